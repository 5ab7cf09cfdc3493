"""Which run goes next: slots are shared between collections, and in each between destinations.

The collection that has the fewest slots comes first. Whoever has its share may use idle slots
beyond it, but never the last ones: a quarter is kept for destinations that are within their share,
so that a dead target delays nobody else, and the half of that for collections with few slots, so
that no number of dead targets does. Of these a collection takes an eighth of what is left: others
may come after it.
"""

from collections import Counter, OrderedDict, deque

from foliot.core.ids import CollectionId
from foliot.core.instant import SECOND, Instant
from foliot.core.model.action import Action, HttpRequest, QueueMessage, ServiceBusMessage
from foliot.core.model.run import DueRun
from foliot.core.origin import origin_of_uri
from foliot.core.rules.settling import action_of

_PART_OF_THE_LAST = 8
# For so long nothing goes to a destination for which something is lacking here.
_HOLD = SECOND


class _Pace:
    """How many slots were given back in a second: the last one, or this one if it has more."""

    def __init__(self) -> None:
        self._second: int = 0
        self._count = 0
        self._before = 0

    def count(self, now: Instant) -> None:
        self._turn(now)
        self._count += 1

    def at(self, now: Instant) -> int:
        self._turn(now)
        return max(self._count, self._before)

    def _turn(self, now: Instant) -> None:
        second = now // SECOND
        if second != self._second:
            self._before = self._count if second == self._second + 1 else 0
            self._second = second
            self._count = 0


class _Collection:
    """The runs of a collection that wait, by destination, and the slots it has."""

    def __init__(self) -> None:
        self.used = 0
        self.moved_at: Instant | None = None
        self.waiting: OrderedDict[str, deque[DueRun]] = OrderedDict()


class Lanes:
    """Runs that wait for a slot, and how many slots each collection and destination has."""

    def __init__(self, slots: int, slots_per_host: int | None = None) -> None:
        self._slots = self._free = slots
        self._share = slots_per_host or max(1, slots // 4)
        self._kept = slots // 4
        self._kept_for_collections = slots // 8
        self._collections: dict[CollectionId, _Collection] = {}
        # Those that wait, by the slots they have: the next one is found without a search.
        self._by_used: dict[int, OrderedDict[CollectionId, _Collection]] = {}
        self._used: Counter[str] = Counter()
        self._waiting_at: Counter[str] = Counter()
        self._full: set[str] = set()
        self._moved_at: dict[str, Instant] = {}
        self._held_at: dict[str, Instant] = {}
        self._pace = _Pace()
        self.waiting_count = 0

    @property
    def in_flight(self) -> int:
        """How many slots are in use."""
        return self._slots - self._free

    def add(self, due: DueRun) -> None:
        """Let a run wait for its turn."""
        key, destination = due.collection.id, destination_of(action_of(due))
        collection = self._collections.setdefault(key, _Collection())
        collection.waiting.setdefault(destination, deque()).append(due)
        self._by_used.setdefault(collection.used, OrderedDict()).setdefault(key, collection)
        self._waiting_at[destination] += 1
        self.waiting_count += 1

    def room(self, now: Instant) -> int:
        """Return how many more runs to have: for each free slot, and what begins within a second.

        That is as many as in the last one, less those that wait already. Those may be of no use to
        the free slots, which are kept for others.
        """
        return self._free + max(0, self._pace.at(now) - self.waiting_count)

    def hold(self, destination: str, now: Instant) -> None:
        """Let nothing go to a destination for a moment."""
        self._held_at[destination] = now

    def take(self, now: Instant) -> tuple[str, DueRun] | None:
        """Return the run that goes next, with its destination, or None if none may go now.

        Collections that have as few slots take turns, and so do the destinations of each.
        """
        for destination, at in list(self._held_at.items()):
            if not 0 <= now - at < _HOLD:
                del self._held_at[destination]
        if self._free <= self._kept and self._only_full_ones_wait():
            return None
        for used in sorted(self._by_used):
            if not self._has_room_for_collection(used):
                return None
            for key, collection in self._by_used[used].items():
                for destination in collection.waiting:
                    if self._has_room_for_destination(destination):
                        return destination, self._taken(key, destination, now)
        return None

    def release(self, destination: str, key: CollectionId, now: Instant) -> None:
        """Give back the slot of a run."""
        collection = self._collections[key]
        self._free += 1
        self._pace.count(now)
        self._use(key, collection, -1)
        collection.moved_at = now
        self._used[destination] -= 1
        self._moved_at[destination] = now
        if self._used[destination] < self._share:
            self._full.discard(destination)
        if not self._used[destination]:
            del self._used[destination], self._moved_at[destination]
        self._forget(key, collection)

    def set_aside(self, since: Instant) -> list[DueRun]:
        """Take out the runs that wait where nothing has moved since then, and return them.

        They would be in the way of others, whose turn may have come, and other nodes may be idle.
        """
        stuck = [
            (key, destination)
            for key, collection in self._collections.items()
            for destination in collection.waiting
            if self._is_stuck(collection, destination, since)
        ]
        return [due for key, destination in stuck for due in self._without(key, destination)]

    def put_back(self) -> list[DueRun]:
        """Return all the runs that wait, and wait for nothing more."""
        lanes = [(key, each) for key, held in self._collections.items() for each in held.waiting]
        return [due for key, destination in lanes for due in self._without(key, destination)]

    def _only_full_ones_wait(self) -> bool:
        return sum(self._waiting_at[each] for each in self._full) == self.waiting_count

    def _has_room_for_collection(self, used: int) -> bool:
        # Of the last slots whoever comes takes a small part, so that some are left for the next.
        if used < max(1, self._free // _PART_OF_THE_LAST):
            return self._free > 0
        return self._free > self._kept_for_collections

    def _has_room_for_destination(self, destination: str) -> bool:
        if destination in self._held_at:
            return False
        return self._free > (self._kept if self._used[destination] >= self._share else 0)

    def _is_stuck(self, collection: _Collection, destination: str, since: Instant) -> bool:
        if destination in self._held_at:
            return True
        if not self._has_room_for_collection(collection.used):
            return _is_before(collection.moved_at, since)
        if not self._has_room_for_destination(destination):
            return _is_before(self._moved_at.get(destination), since)
        return False

    def _taken(self, key: CollectionId, destination: str, now: Instant) -> DueRun:
        collection = self._collections[key]
        lane = collection.waiting[destination]
        due = lane.popleft()
        collection.waiting.move_to_end(destination)
        if not lane:
            del collection.waiting[destination]
        self._count_out(destination, 1)
        self._free -= 1
        self._use(key, collection, 1)
        self._used[destination] += 1
        if self._used[destination] >= self._share:
            self._full.add(destination)
        # The first one out has just begun to move.
        self._moved_at.setdefault(destination, now)
        collection.moved_at = collection.moved_at or now
        return due

    def _use(self, key: CollectionId, collection: _Collection, change: int) -> None:
        """Count slots of a collection, and put it behind the others that wait with as many."""
        self._leave(key, collection)
        collection.used += change
        if collection.waiting:
            self._by_used.setdefault(collection.used, OrderedDict())[key] = collection

    def _leave(self, key: CollectionId, collection: _Collection) -> None:
        equals = self._by_used.get(collection.used)
        if equals is not None:
            equals.pop(key, None)
            if not equals:
                del self._by_used[collection.used]

    def _without(self, key: CollectionId, destination: str) -> deque[DueRun]:
        collection = self._collections[key]
        lane = collection.waiting.pop(destination)
        self._count_out(destination, len(lane))
        if not collection.waiting:
            self._leave(key, collection)
        self._forget(key, collection)
        return lane

    def _count_out(self, destination: str, count: int) -> None:
        self.waiting_count -= count
        self._waiting_at[destination] -= count
        if not self._waiting_at[destination]:
            del self._waiting_at[destination]

    def _forget(self, key: CollectionId, collection: _Collection) -> None:
        if not collection.used and not collection.waiting:
            del self._collections[key]


def _is_before(moved_at: Instant | None, since: Instant) -> bool:
    return moved_at is not None and moved_at < since


def destination_of(action: Action) -> str:
    """Return what an action needs to be alive: scheme, host and port; account; namespace."""
    match action.part:
        case HttpRequest(uri=uri):
            return origin_of_uri(uri)
        case QueueMessage(storage_account=account):
            return f"queue:{account}".lower()
        case ServiceBusMessage(namespace=namespace):
            return f"bus:{namespace}".lower()
