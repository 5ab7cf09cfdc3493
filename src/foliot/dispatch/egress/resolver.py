"""Resolves names in threads, without letting slow names block quick ones.

The system's resolver cannot be interrupted: a thread that looks up a dead name is blocked until the
resolver gives up. Each name therefore waits in one of three queues, each with threads of its own:

- quick: its last lookup was quick,
- new: it was not looked up before,
- slow: its last lookup hung, or failed after a while.

A lookup that takes longer than a second counts as slow from then on, whichever queue it began in.
If no thread was free in time, that says nothing about the target: it is a shortage of this node.
"""

import asyncio
import socket
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import ip_address

from msgspec import Struct

from foliot.dispatch.egress.addresses import Address
from foliot.dispatch.http.history_messages import CANCELED, TIMEOUT, Failure, curl_failure
from foliot.dispatch.local_shortage import DestinationShortage, Shortage, shortage_in, shortage_now

_NO_SUCH_NAME = 6  # a CURLcode
# The owner of a name could give it any number of addresses.
_MAX_ADDRESSES = 16

# Returns the addresses of a name, or raises OSError.
Lookup = Callable[[str], Sequence[Address]]
Found = tuple[Address, ...] | Failure | Shortage

_NO_THREAD_FREE = "No thread was free to resolve the target's name: too many names do not answer."


class ResolverSettings(Struct, frozen=True, kw_only=True):
    """How long addresses are cached, and how many threads each queue has."""

    cache_seconds: float = 30
    # A name that hung counts as slow for this long.
    slow_seconds: float = 300
    slow_after_seconds: float = 1
    max_cached: int = 8192
    quick_threads: int = 32
    new_threads: int = 256
    slow_threads: int = 64
    # Up to this many lookups that turn out slow free the thread of their queue for others.
    max_slow_threads: int = 256


def threads_for(slots: int) -> ResolverSettings:
    """Return settings with enough threads for so many concurrent attempts, with one name each."""
    return ResolverSettings(
        quick_threads=max(8, slots // 16),
        new_threads=max(16, slots // 2),
        slow_threads=max(8, slots // 8),
        max_slow_threads=max(16, slots // 2),
    )


class _CachedAddresses(Struct, frozen=True):
    addresses: tuple[Address, ...]
    until: float
    is_quick: bool


class _Queue:
    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.running = 0
        self.waiting: deque[_Query] = deque()


class _Query:
    def __init__(self, host: str, queue: _Queue) -> None:
        self.host = host
        self.queue = queue
        self.found: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        self.waiters = 0
        self.has_begun = False
        self.timer: asyncio.TimerHandle | None = None


def system_lookup(host: str) -> list[Address]:
    """Look up a name with the system's resolver."""
    entries = socket.getaddrinfo(host.encode(), None, type=socket.SOCK_STREAM)
    return [ip_address(str(entry[4][0]).partition("%")[0]) for entry in entries]


_DEFAULTS = ResolverSettings()


class Resolver:
    """Addresses by name, in one event loop; concurrent requests share the lookup of a name."""

    def __init__(
        self, lookup: Lookup = system_lookup, settings: ResolverSettings = _DEFAULTS
    ) -> None:
        self._lookup = lookup
        self._settings = settings
        self._cached: dict[str, _CachedAddresses] = {}
        self._open: dict[str, _Query] = {}
        self._quick = _Queue(settings.quick_threads)
        self._new = _Queue(settings.new_threads)
        self._slow = _Queue(settings.slow_threads)
        self._is_closed = False

    def known(self, host: str) -> tuple[Address, ...] | None:
        """Return the cached addresses of a name."""
        cached = self._cached.get(host)
        if cached is None or cached.until <= asyncio.get_running_loop().time():
            return None
        return cached.addresses or None

    async def addresses(self, host: str, deadline: float) -> tuple[Address, ...] | Failure:
        """Resolve a name by a time of the event loop's clock, or raise Shortage."""
        known = self.known(host)
        if known is not None:
            return known
        if self._is_closed:
            return CANCELED
        query = self._open.get(host) or self._new_query(host)
        query.waiters += 1
        seconds = deadline - asyncio.get_running_loop().time()
        try:
            self._start_next(query.queue)
            await asyncio.wait({query.found}, timeout=max(0, seconds))
        finally:
            query.waiters -= 1
        if not query.found.done():
            if not query.has_begun:
                raise DestinationShortage(_NO_THREAD_FREE)
            return TIMEOUT
        found = query.found.result()
        if isinstance(found, Shortage):
            raise found
        return found

    def close(self) -> None:
        """End all open lookups as canceled; threads that hang are left behind."""
        self._is_closed = True
        for query in list(self._open.values()):
            self._finish(query, CANCELED)

    def _new_query(self, host: str) -> _Query:
        query = self._open[host] = _Query(host, self._queue_for(host))
        query.queue.waiting.append(query)
        return query

    def _queue_for(self, host: str) -> _Queue:
        cached = self._cached.get(host)
        if cached is not None and cached.is_quick:
            return self._quick
        is_slow = cached is not None and cached.until > asyncio.get_running_loop().time()
        return self._slow if is_slow else self._new

    def _start_next(self, queue: _Queue) -> None:
        while queue.waiting and queue.running < queue.threads:
            query = queue.waiting.popleft()
            if query.waiters:
                self._start(query)
            else:
                # All requests for this name have given up.
                self._finish(query, TIMEOUT)

    def _start(self, query: _Query) -> None:
        loop = asyncio.get_running_loop()
        thread = threading.Thread(
            target=_look_up, args=(self._lookup, query, loop, self._ended), daemon=True
        )
        query.has_begun = True
        query.queue.running += 1
        query.timer = loop.call_later(
            self._settings.slow_after_seconds, self._turned_out_slow, query
        )
        try:
            thread.start()
        except RuntimeError:
            self._ended(query, Shortage("This process cannot start another thread."))

    def _turned_out_slow(self, query: _Query) -> None:
        self._cache(query.host, (), self._settings.slow_seconds, is_quick=False)
        began_in = query.queue
        query.timer = None
        if began_in is not self._slow and self._slow.running < self._settings.max_slow_threads:
            began_in.running -= 1
            self._slow.running += 1
            query.queue = self._slow
            self._start_next(began_in)

    def _ended(self, query: _Query, found: Found) -> None:
        is_quick = query.timer is not None
        if query.timer is not None:
            query.timer.cancel()
        query.queue.running -= 1
        if isinstance(found, tuple):
            self._cache(query.host, found, self._settings.cache_seconds, is_quick=is_quick)
        elif is_quick:
            self._cached.pop(query.host, None)
        self._finish(query, found)
        if not self._is_closed:
            self._start_next(query.queue)

    def _finish(self, query: _Query, found: Found) -> None:
        self._open.pop(query.host, None)
        if not query.found.done():
            query.found.set_result(found)

    def _cache(
        self, host: str, addresses: tuple[Address, ...], seconds: float, *, is_quick: bool
    ) -> None:
        self._cached.pop(host, None)
        if len(self._cached) >= self._settings.max_cached:
            del self._cached[next(iter(self._cached))]
        until = asyncio.get_running_loop().time() + seconds
        self._cached[host] = _CachedAddresses(addresses, until, is_quick)


def _look_up(
    lookup: Lookup,
    query: _Query,
    loop: asyncio.AbstractEventLoop,
    ended: Callable[[_Query, Found], None],
) -> None:
    """Look up a name in this thread, and pass the result to the event loop if that still runs."""
    found = _result(lookup, query.host)
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(ended, query, found)


def _result(lookup: Lookup, host: str) -> Found:
    shortage = None
    try:
        found = tuple(dict.fromkeys(lookup(host)))[:_MAX_ADDRESSES]
        if found:
            return found
    except (OSError, ValueError, MemoryError) as error:
        # Without descriptors the resolver reports that the name does not exist.
        shortage = shortage_in(error) or shortage_now()
    return shortage or curl_failure(_NO_SUCH_NAME, "", host=host)
