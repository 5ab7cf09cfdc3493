"""Limits the number of open connections: of one address, and in all.

Each connection takes a descriptor, and a server without descriptors answers nobody. So half of the
descriptors are kept for everything else, and no address may have more than half of the rest. When
a limit is reached, the connection that has been idle longest is closed for the new one.
"""

import asyncio
import resource
from collections import Counter, OrderedDict
from collections.abc import Callable

from foliot.ports.logs import get_logger
from foliot.web.proxies import Networks, is_trusted, source_of

_UNLIMITED = 2**20
_SECONDS_BETWEEN_WARNINGS = 60.0

_log = get_logger("foliot.serve")


def connection_limits(*, most_of_one: int, trusted: Networks) -> "ConnectionLimits":
    """Return the limits of this process."""
    return ConnectionLimits(
        # The other half is for the store, and for attempts where this process makes them.
        lambda: _descriptors() // 2,
        most_of_one=most_of_one,
        trusted=trusted,
    )


def _descriptors() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _UNLIMITED if soft == resource.RLIM_INFINITY else soft


class ConnectionLimits:
    """Counts the open connections, and closes idle ones when a limit is reached."""

    def __init__(
        self, most: Callable[[], int], *, most_of_one: int, trusted: Networks = ()
    ) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self._trusted = trusted
        self._all: set[ClientConnection] = set()
        self._by_source: Counter[str] = Counter()
        # The one that has been idle longest first.
        self._idle: OrderedDict[ClientConnection, None] = OrderedDict()
        self._quiet_until = 0.0

    def admit(self, peer: str) -> "ClientConnection | None":
        """Return a new connection, or None if no idle one can be closed for it."""
        most, source = self._most(), source_of(peer)
        most_of_one = most if is_trusted(peer, self._trusted) else min(self._most_of_one, most // 2)
        if self._by_source[source] >= most_of_one and not self.close_idle(source):
            self._warn(f"{peer} has {most_of_one} open already")
            return None
        if len(self._all) >= most and not self.close_idle():
            self._warn(f"all {most} that descriptors allow are busy. Raise `ulimit -n`")
            return None
        connection = ClientConnection(self, source)
        self._all.add(connection)
        self._by_source[source] += 1
        self.note_idle(connection)
        return connection

    def close_idle(self, source: str | None = None) -> bool:
        """Close the connection that has been idle longest, of one source or of all; if any."""
        found = next((each for each in self._idle if source in (None, each.source)), None)
        if found is None:
            return False
        self.note_closed(found)
        found.abort()
        return True

    def note_idle(self, connection: "ClientConnection") -> None:
        """Note that a connection waits for a request."""
        if connection in self._all:
            self._idle[connection] = None
            self._idle.move_to_end(connection)

    def note_busy(self, connection: "ClientConnection") -> None:
        """Note that a connection answers a request."""
        self._idle.pop(connection, None)

    def note_closed(self, connection: "ClientConnection") -> None:
        """Note that a connection is closed."""
        if connection not in self._all:
            return
        self._all.remove(connection)
        self._idle.pop(connection, None)
        self._by_source[connection.source] -= 1
        if not self._by_source[connection.source]:
            del self._by_source[connection.source]

    def _warn(self, reason: str) -> None:
        now = asyncio.get_running_loop().time()
        if now >= self._quiet_until:
            self._quiet_until = now + _SECONDS_BETWEEN_WARNINGS
            _log.warning("Connection refused", reason=reason)


class ClientConnection:
    """One open connection."""

    def __init__(self, limits: ConnectionLimits, source: str) -> None:
        self.source = source
        self.abort: Callable[[], object] = lambda: None
        self._limits = limits

    def mark_idle(self) -> None:
        """Note that it waits for a request."""
        self._limits.note_idle(self)

    def mark_busy(self) -> None:
        """Note that it answers a request."""
        self._limits.note_busy(self)

    def mark_closed(self) -> None:
        """Note that it is closed."""
        self._limits.note_closed(self)
