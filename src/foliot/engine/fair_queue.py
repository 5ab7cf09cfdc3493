"""Decides which run gets the next slot: fairly between collections, and between destinations.

A slot is one attempt in progress. The collection with the fewest slots goes first. A destination or
collection beyond its share may use idle slots, but not the last ones:

- A quarter of all slots is reserved for destinations within their share: a target that hangs fills
  the others, and must not delay anybody else.
- Half of that quarter is reserved for collections with few slots: a collection with any number of
  hanging targets must not delay the others.
- When only that half is left, a collection takes at most an eighth of the free slots: more
  collections may come after it.
"""

from collections import Counter, OrderedDict, deque

from foliot.core.ids import CollectionId
from foliot.core.instant import SECOND, Instant
from foliot.core.model.action import Action, HttpRequest, QueueMessage, ServiceBusMessage
from foliot.core.model.run import DueRun
from foliot.core.rules.retries import action_of
from foliot.core.target_origin import origin_of_uri

_PART_OF_FREE = 8
# A destination is paused for this long when this machine lacks something for it, such as ports.
_PAUSE = SECOND


class _ReleaseRate:
    """Slots released per second: in the last full second, or in this one if that has more."""

    def __init__(self) -> None:
        self._second: int = 0
        self._count = 0
        self._before = 0

    def count(self, now: Instant) -> None:
        self._advance(now)
        self._count += 1

    def at(self, now: Instant) -> int:
        self._advance(now)
        return max(self._count, self._before)

    def _advance(self, now: Instant) -> None:
        second = now // SECOND
        if second != self._second:
            self._before = self._count if second == self._second + 1 else 0
            self._second = second
            self._count = 0


class _Collection:
    """The waiting runs of a collection by destination, and the number of its slots.

    `progress_at` is when its last run ended, or when its first one began.
    """

    def __init__(self) -> None:
        self.used = 0
        self.progress_at: Instant | None = None
        self.waiting: OrderedDict[str, deque[DueRun]] = OrderedDict()


class FairQueue:
    """Runs that wait for a slot, and the slots of each collection and destination."""

    def __init__(self, slots: int, slots_per_host: int | None = None) -> None:
        self._slots = self._free = slots
        self._share = slots_per_host or max(1, slots // 4)
        self._reserved = slots // 4
        self._reserved_for_collections = slots // 8
        self._collections: dict[CollectionId, _Collection] = {}
        # The collections with waiting runs by their number of slots: `take` needs no search, which
        # would cost time in proportion to the number of collections for each attempt.
        self._by_used: dict[int, OrderedDict[CollectionId, _Collection]] = {}
        self._used: Counter[str] = Counter()
        self._waiting_at: Counter[str] = Counter()
        self._full: set[str] = set()
        self._progress_at: dict[str, Instant] = {}
        self._paused_at: dict[str, Instant] = {}
        self._release_rate = _ReleaseRate()
        self.waiting_count = 0

    @property
    def in_flight(self) -> int:
        """How many slots are in use."""
        return self._slots - self._free

    def add(self, due: DueRun) -> None:
        """Add a run behind the others of its collection and destination."""
        key, destination = due.collection.id, destination_of(action_of(due))
        collection = self._collections.setdefault(key, _Collection())
        collection.waiting.setdefault(destination, deque()).append(due)
        self._by_used.setdefault(collection.used, OrderedDict()).setdefault(key, collection)
        self._waiting_at[destination] += 1
        self.waiting_count += 1

    @property
    def waiting(self) -> list[DueRun]:
        """The runs that wait for a slot."""
        held = self._collections.values()
        return [due for each in held for runs in each.waiting.values() for due in runs]

    def room(self, now: Instant) -> int:
        """Return how many runs to claim: one for each free slot, and those that begin in a second.

        The second number is the release rate less the waiting runs. Waiting runs do not count
        against free slots: these may be reserved for runs of others, which are not claimed yet.
        """
        return self._free + max(0, self._release_rate.at(now) - self.waiting_count)

    def pause(self, destination: str, now: Instant) -> None:
        """Let no run go to a destination for a second."""
        self._paused_at[destination] = now

    def take(self, now: Instant) -> tuple[str, DueRun] | None:
        """Take out the run that goes next, with its destination; None if none may go now.

        Collections with equally many slots take turns, and so do the destinations of each.
        """
        if self._paused_at:
            self._end_pauses(now)
        if self._free <= self._reserved and self._only_full_ones_wait():
            return None
        for used in sorted(self._by_used):
            if not self._has_room_for_collection(used):
                return None
            for key, collection in self._by_used[used].items():
                for destination in collection.waiting:
                    if self._has_room_for_destination(destination):
                        return destination, self._pop(key, destination, now)
        return None

    def _end_pauses(self, now: Instant) -> None:
        for destination, at in list(self._paused_at.items()):
            # The clock may be set back: a pause in the future has ended, too.
            if not 0 <= now - at < _PAUSE:
                del self._paused_at[destination]

    def release(self, destination: str, key: CollectionId, now: Instant) -> None:
        """Free the slot of a run."""
        collection = self._collections[key]
        self._free += 1
        self._release_rate.count(now)
        self._change_used(key, collection, -1)
        collection.progress_at = now
        self._used[destination] -= 1
        self._progress_at[destination] = now
        if self._used[destination] < self._share:
            self._full.discard(destination)
        if not self._used[destination]:
            del self._used[destination], self._progress_at[destination]
        self._forget_if_empty(key, collection)

    def take_stuck(self, since: Instant) -> list[DueRun]:
        """Take out the runs that wait where nothing has ended since then.

        They take up the room of runs that could begin, and another node may have free slots.
        """
        stuck = [
            (key, destination)
            for key, collection in self._collections.items()
            for destination in collection.waiting
            if self._is_stuck(collection, destination, since)
        ]
        return [due for key, destination in stuck for due in self._remove(key, destination)]

    def take_all(self) -> list[DueRun]:
        """Take out all waiting runs."""
        places = [(key, each) for key, held in self._collections.items() for each in held.waiting]
        return [due for key, destination in places for due in self._remove(key, destination)]

    def _only_full_ones_wait(self) -> bool:
        return sum(self._waiting_at[each] for each in self._full) == self.waiting_count

    def _has_room_for_collection(self, used: int) -> bool:
        # With few free slots a collection takes a small part of them: some are left for the next.
        if used < max(1, self._free // _PART_OF_FREE):
            return self._free > 0
        return self._free > self._reserved_for_collections

    def _has_room_for_destination(self, destination: str) -> bool:
        if destination in self._paused_at:
            return False
        return self._free > (self._reserved if self._used[destination] >= self._share else 0)

    def _is_stuck(self, collection: _Collection, destination: str, since: Instant) -> bool:
        if destination in self._paused_at:
            return True
        if not self._has_room_for_collection(collection.used):
            return _is_before(collection.progress_at, since)
        if not self._has_room_for_destination(destination):
            return _is_before(self._progress_at.get(destination), since)
        return False

    def _pop(self, key: CollectionId, destination: str, now: Instant) -> DueRun:
        collection = self._collections[key]
        runs = collection.waiting[destination]
        due = runs.popleft()
        # The next turn of this collection is another destination's.
        collection.waiting.move_to_end(destination)
        if not runs:
            del collection.waiting[destination]
        self._count_out(destination, 1)
        self._free -= 1
        self._change_used(key, collection, 1)
        self._used[destination] += 1
        if self._used[destination] >= self._share:
            self._full.add(destination)
        # Without an end so far, progress is counted from the first begin.
        self._progress_at.setdefault(destination, now)
        collection.progress_at = collection.progress_at or now
        return due

    def _change_used(self, key: CollectionId, collection: _Collection, change: int) -> None:
        """Count slots of a collection, and list it behind those with equally many."""
        self._unlist(key, collection)
        collection.used += change
        if collection.waiting:
            self._by_used.setdefault(collection.used, OrderedDict())[key] = collection

    def _unlist(self, key: CollectionId, collection: _Collection) -> None:
        equals = self._by_used.get(collection.used)
        if equals is not None:
            equals.pop(key, None)
            if not equals:
                del self._by_used[collection.used]

    def _remove(self, key: CollectionId, destination: str) -> deque[DueRun]:
        collection = self._collections[key]
        runs = collection.waiting.pop(destination)
        self._count_out(destination, len(runs))
        if not collection.waiting:
            self._unlist(key, collection)
        self._forget_if_empty(key, collection)
        return runs

    def _count_out(self, destination: str, count: int) -> None:
        self.waiting_count -= count
        self._waiting_at[destination] -= count
        if not self._waiting_at[destination]:
            del self._waiting_at[destination]

    def _forget_if_empty(self, key: CollectionId, collection: _Collection) -> None:
        if not collection.used and not collection.waiting:
            del self._collections[key]


def _is_before(progress_at: Instant | None, since: Instant) -> bool:
    return progress_at is not None and progress_at < since


def destination_of(action: Action) -> str:
    """Return what an action depends on: scheme, host and port; a storage account; a namespace."""
    match action.part:
        case HttpRequest(uri=uri):
            return origin_of_uri(uri)
        case QueueMessage(storage_account=account):
            return f"queue:{account}".lower()
        case ServiceBusMessage(namespace=namespace):
            return f"bus:{namespace}".lower()
