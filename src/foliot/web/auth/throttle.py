"""The login throttle: delays answers to an address that keeps sending bad credentials."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable

from msgspec import Struct

from foliot.web.proxies import source_of

Sleep = Callable[[float], Awaitable[object]]
Elapsed = Callable[[], float]

_FREE_FAILURES = 3
_FIRST_DELAY = 0.25
_LONGEST_DELAY = 8.0
_FORGET_AFTER = 600.0
_MAX_SOURCES = 4096
_MAX_WAITING = 1024
_MAX_WAITING_OF_ONE = 8


def loop_time() -> float:
    """Return seconds on the event loop's clock, which never goes back."""
    return asyncio.get_running_loop().time()


class LoginThrottle:
    """Counts failures by address and delays the answer to each further one a little longer.

    It remembers a bounded number of addresses and delays a bounded number of requests, few of
    one address: each occupies a connection, and others of that address need some too. While it is
    full, the next failure is answered at once.
    """

    def __init__(self, *, sleep: Sleep, elapsed: Elapsed) -> None:
        self._sleep = sleep
        self._elapsed = elapsed
        self._failures: OrderedDict[str, _Failures] = OrderedDict()
        self._waiting: Counter[str] = Counter()

    def is_full(self, client: str) -> bool:
        """Tell whether as many failures are delayed as may be, of this address or in all."""
        waiting = self._waiting
        if not waiting:
            return False
        return waiting[source_of(client)] >= _MAX_WAITING_OF_ONE or waiting.total() >= _MAX_WAITING

    async def note_failure(self, client: str) -> None:
        """Count a failure and wait for the delay of this address, unless the throttle is full."""
        source = source_of(client)
        delay = _delay(self._count(source))
        if not delay or self.is_full(client):
            return
        self._waiting[source] += 1
        try:
            await self._sleep(delay)
        finally:
            self._waiting[source] -= 1
            if not self._waiting[source]:
                del self._waiting[source]

    def _count(self, source: str) -> int:
        now = self._elapsed()
        before = self._failures.pop(source, _Failures(0, now))
        count = 1 if now - before.last >= _FORGET_AFTER else before.count + 1
        self._failures[source] = _Failures(count, now)
        if len(self._failures) > _MAX_SOURCES:
            self._failures.popitem(last=False)
        return count


class _Failures(Struct, frozen=True):
    count: int
    last: float


def _delay(count: int) -> float:
    if count <= _FREE_FAILURES:
        return 0
    doublings = min(count - _FREE_FAILURES - 1, 10)
    return min(_FIRST_DELAY * 2**doublings, _LONGEST_DELAY)
