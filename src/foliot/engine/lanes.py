"""Which run goes next: one lane for each destination, so that a dead target delays nobody else.

A destination may use idle slots beyond its share, but never the last ones: those are kept for
destinations that are still within theirs.
"""

import re
from collections import Counter, OrderedDict, deque

from foliot.core.instant import Instant
from foliot.core.model import Action, HttpRequest, QueueMessage, ServiceBusMessage
from foliot.core.run import DueRun
from foliot.core.settling import action_of

_ORIGIN = re.compile(r"([^:/?#]+:)//([^/?#]*)")


class Lanes:
    """Runs that wait for a slot, by destination, and how many slots each destination has."""

    def __init__(self, slots: int) -> None:
        self._free = slots
        self._share = max(1, slots // 4)
        self._kept = slots // 4
        self._waiting: OrderedDict[str, deque[DueRun]] = OrderedDict()
        self._used: Counter[str] = Counter()
        self._moved_at: dict[str, Instant] = {}
        self.waiting_count = 0

    @property
    def in_flight(self) -> int:
        """How many slots are in use."""
        return self._used.total()

    def add(self, due: DueRun) -> None:
        """Let a run wait for its turn."""
        self._waiting.setdefault(destination_of(action_of(due)), deque()).append(due)
        self.waiting_count += 1

    def take(self, now: Instant) -> tuple[str, DueRun] | None:
        """Return the run that goes next, with its destination, or None if none may go now.

        Destinations take turns.
        """
        for destination in self._waiting:
            if self._may_go(destination):
                # The first one out has just begun to move.
                self._moved_at.setdefault(destination, now)
                return destination, self._taken(destination)
        return None

    def release(self, destination: str, now: Instant) -> None:
        """Give back the slot of a run."""
        self._free += 1
        self._used[destination] -= 1
        self._moved_at[destination] = now
        if not self._used[destination]:
            del self._used[destination], self._moved_at[destination]

    def set_aside(self, since: Instant) -> list[DueRun]:
        """Take out the runs that wait where nothing has moved since then, and return them.

        They would be in the way of others, whose turn may have come.
        """
        stuck = [each for each in self._waiting if self._is_stuck(each, since)]
        aside = [due for destination in stuck for due in self._waiting.pop(destination)]
        self.waiting_count -= len(aside)
        return aside

    def put_back(self) -> list[DueRun]:
        """Return all the runs that wait, and wait for nothing more."""
        left = [due for lane in self._waiting.values() for due in lane]
        self._waiting.clear()
        self.waiting_count = 0
        return left

    def _may_go(self, destination: str) -> bool:
        if self._used[destination] < self._share:
            return self._free > 0
        return self._free > self._kept

    def _is_stuck(self, destination: str, since: Instant) -> bool:
        if self._may_go(destination) or not self._used[destination]:
            return False
        return self._moved_at[destination] < since

    def _taken(self, destination: str) -> DueRun:
        lane = self._waiting.pop(destination)
        due = lane.popleft()
        if lane:
            self._waiting[destination] = lane  # behind the others
        self._free -= 1
        self._used[destination] += 1
        self.waiting_count -= 1
        return due


def destination_of(action: Action) -> str:
    """Return what an action needs to be alive: scheme, host and port; account; namespace."""
    match action.part:
        case HttpRequest(uri=uri):
            return _origin(uri)
        case QueueMessage(storage_account=account):
            return f"queue:{account}".lower()
        case ServiceBusMessage(namespace=namespace):
            return f"bus:{namespace}".lower()


def _origin(uri: str) -> str:
    match = _ORIGIN.match(uri)
    return uri if match is None else f"{match[1]}//{match[2].rpartition('@')[2]}".lower()
