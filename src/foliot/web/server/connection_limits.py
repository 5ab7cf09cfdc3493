"""How many connections there may be: of one address, and in all.

Each takes a descriptor, and a server without descriptors answers nobody. So half of them are kept
for everything else, no address may have more than half of the rest, and where one more is too
many, the connection goes that has waited longest for a request.
"""

import asyncio
import resource
from collections import Counter, OrderedDict
from collections.abc import Callable

from foliot.ports.logs import get_logger
from foliot.web.proxies import Networks, is_trusted, source_of

_MANY = 2**20
_BETWEEN_COMPLAINTS = 60.0

_log = get_logger("foliot.serve")


def limited_connections(*, most_of_one: int, trusted: Networks) -> "Connections":
    """Return the connections that a server may have."""
    return Connections(
        # The other half is for the store, and for attempts where this process makes them.
        lambda: _descriptors() // 2,
        most_of_one=most_of_one,
        trusted=trusted,
    )


def _descriptors() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MANY if soft == resource.RLIM_INFINITY else soft


class Connections:
    """All connections, and which of them wait for a request."""

    def __init__(
        self, most: Callable[[], int], *, most_of_one: int, trusted: Networks = ()
    ) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self._trusted = trusted
        self._all: set[Connection] = set()
        self._by_source: Counter[str] = Counter()
        # The one that has waited longest first.
        self._waiting: OrderedDict[Connection, None] = OrderedDict()
        self._quiet_until = 0.0

    def admit(self, peer: str) -> "Connection | None":
        """Return a new connection, or None if there may be no more; another may have to go."""
        most, source = self._most(), source_of(peer)
        most_of_one = most if is_trusted(peer, self._trusted) else min(self._most_of_one, most // 2)
        if self._by_source[source] >= most_of_one and not self._end_one(source):
            self._complain(f"{peer} has {most_of_one} open already")
            return None
        if len(self._all) >= most and not self._end_one():
            self._complain(f"all {most} that descriptors allow are busy. Raise `ulimit -n`")
            return None
        connection = Connection(self, source)
        self._all.add(connection)
        self._by_source[source] += 1
        self.note_waiting(connection)
        return connection

    def relieve(self) -> None:
        """End the connection that has waited longest, if one waits."""
        self._end_one()

    def note_waiting(self, connection: "Connection") -> None:
        """Note that a connection waits for its client to ask for something."""
        if connection in self._all:
            self._waiting[connection] = None
            self._waiting.move_to_end(connection)

    def note_busy(self, connection: "Connection") -> None:
        """Note that a connection has a request."""
        self._waiting.pop(connection, None)

    def note_ended(self, connection: "Connection") -> None:
        """Note that a connection is no more."""
        if connection not in self._all:
            return
        self._all.remove(connection)
        self._waiting.pop(connection, None)
        self._by_source[connection.source] -= 1
        if not self._by_source[connection.source]:
            del self._by_source[connection.source]

    def _end_one(self, source: str | None = None) -> bool:
        found = next((each for each in self._waiting if source in (None, each.source)), None)
        if found is None:
            return False
        self.note_ended(found)
        found.abort()
        return True

    def _complain(self, reason: str) -> None:
        now = asyncio.get_running_loop().time()
        if now >= self._quiet_until:
            self._quiet_until = now + _BETWEEN_COMPLAINTS
            _log.warning("Connection refused", reason=reason)


class Connection:
    """One of all connections."""

    def __init__(self, connections: Connections, source: str) -> None:
        self.source = source
        self.abort: Callable[[], object] = lambda: None
        self._connections = connections

    def wait(self) -> None:
        """Note that it waits for its client to ask for something."""
        self._connections.note_waiting(self)

    def work(self) -> None:
        """Note that it has a request."""
        self._connections.note_busy(self)

    def end(self) -> None:
        """Note that it is no more."""
        self._connections.note_ended(self)
