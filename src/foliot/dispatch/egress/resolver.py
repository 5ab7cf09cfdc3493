"""Resolves names in threads, so that names that hang take no thread from names that answer.

The system's resolver cannot be interrupted: a thread that asks for a name nobody answers for is
lost until it gives up by itself. Each name therefore waits in one of three queues:

- quick: it answered quickly the last time,
- new: nothing is known about it,
- slow: it hung the last time, or failed after a while.

A lookup that takes longer than a second counts as slow from then on, wherever it began. A name for
which no thread was free in time says nothing about its target: that is a shortage of ours.
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
# Whoever owns a name decides how many addresses it has.
_MOST_ADDRESSES = 16

# Returns the addresses of a name, or raises OSError.
Lookup = Callable[[str], Sequence[Address]]
Found = tuple[Address, ...] | Failure | Shortage

_NO_THREAD_FREE = "No thread was free to resolve the target's name: too many names do not answer."


class ResolverSettings(Struct, frozen=True, kw_only=True):
    """How long answers are kept, and how many threads there are for names of each kind."""

    cache_seconds: float = 30
    # For so long a name that hung counts as slow.
    slow_seconds: float = 300
    slow_after_seconds: float = 1
    max_cached: int = 8192
    quick_threads: int = 32
    new_threads: int = 256
    slow_threads: int = 64
    # Lookups that turned out to be slow leave their queue to others up to this number.
    max_slow_threads: int = 256


def threads_for(slots: int) -> ResolverSettings:
    """Return settings with threads for so many attempts at a time, each of which asks one name."""
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
        self.waiting: deque[_Question] = deque()


class _Question:
    def __init__(self, host: str, queue: _Queue) -> None:
        self.host = host
        self.queue = queue
        self.found: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        self.asking = 0
        self.has_begun = False
        self.timer: asyncio.TimerHandle | None = None


def system_lookup(host: str) -> list[Address]:
    """Ask the resolver of the system."""
    entries = socket.getaddrinfo(host.encode(), None, type=socket.SOCK_STREAM)
    return [ip_address(str(entry[4][0]).partition("%")[0]) for entry in entries]


_DEFAULTS = ResolverSettings()


class Resolver:
    """Addresses by name, in one event loop. A name is asked for once at a time."""

    def __init__(
        self, lookup: Lookup = system_lookup, settings: ResolverSettings = _DEFAULTS
    ) -> None:
        self._lookup = lookup
        self._settings = settings
        self._cached: dict[str, _CachedAddresses] = {}
        self._open: dict[str, _Question] = {}
        self._quick = _Queue(settings.quick_threads)
        self._new = _Queue(settings.new_threads)
        self._slow = _Queue(settings.slow_threads)
        self._is_closed = False

    def known(self, host: str) -> tuple[Address, ...] | None:
        """Return the addresses of a name that was resolved a short while ago."""
        cached = self._cached.get(host)
        if cached is None or cached.until <= asyncio.get_running_loop().time():
            return None
        return cached.addresses or None

    async def addresses(self, host: str, deadline: float) -> tuple[Address, ...] | Failure:
        """Resolve a name by a time of the event loop's clock; raise Shortage if we cannot ask."""
        known = self.known(host)
        if known is not None:
            return known
        if self._is_closed:
            return CANCELED
        question = self._open.get(host) or self._question(host)
        question.asking += 1
        seconds = deadline - asyncio.get_running_loop().time()
        try:
            self._start_next(question.queue)
            await asyncio.wait({question.found}, timeout=max(0, seconds))
        finally:
            question.asking -= 1
        if not question.found.done():
            if not question.has_begun:
                raise DestinationShortage(_NO_THREAD_FREE)
            return TIMEOUT
        found = question.found.result()
        if isinstance(found, Shortage):
            raise found
        return found

    def close(self) -> None:
        """Tell whoever waits; threads that hang are left behind."""
        self._is_closed = True
        for question in list(self._open.values()):
            self._settle(question, CANCELED)

    def _question(self, host: str) -> _Question:
        question = self._open[host] = _Question(host, self._queue_for(host))
        question.queue.waiting.append(question)
        return question

    def _queue_for(self, host: str) -> _Queue:
        cached = self._cached.get(host)
        if cached is not None and cached.is_quick:
            return self._quick
        is_slow = cached is not None and cached.until > asyncio.get_running_loop().time()
        return self._slow if is_slow else self._new

    def _start_next(self, queue: _Queue) -> None:
        while queue.waiting and queue.running < queue.threads:
            question = queue.waiting.popleft()
            if question.asking:
                self._start(question)
            else:
                # Whoever wanted to know has given up.
                self._settle(question, TIMEOUT)

    def _start(self, question: _Question) -> None:
        loop = asyncio.get_running_loop()
        thread = threading.Thread(
            target=_look_up, args=(self._lookup, question, loop, self._ended), daemon=True
        )
        question.has_begun = True
        question.queue.running += 1
        question.timer = loop.call_later(
            self._settings.slow_after_seconds, self._turned_out_slow, question
        )
        try:
            thread.start()
        except RuntimeError:
            self._ended(question, Shortage("This process cannot start another thread."))

    def _turned_out_slow(self, question: _Question) -> None:
        self._keep(question.host, (), self._settings.slow_seconds, is_quick=False)
        began_in = question.queue
        question.timer = None
        if began_in is not self._slow and self._slow.running < self._settings.max_slow_threads:
            began_in.running -= 1
            self._slow.running += 1
            question.queue = self._slow
            self._start_next(began_in)

    def _ended(self, question: _Question, found: Found) -> None:
        is_quick = question.timer is not None
        if question.timer is not None:
            question.timer.cancel()
        question.queue.running -= 1
        if isinstance(found, tuple):
            self._keep(question.host, found, self._settings.cache_seconds, is_quick=is_quick)
        elif is_quick:
            self._cached.pop(question.host, None)
        self._settle(question, found)
        if not self._is_closed:
            self._start_next(question.queue)

    def _settle(self, question: _Question, found: Found) -> None:
        self._open.pop(question.host, None)
        if not question.found.done():
            question.found.set_result(found)

    def _keep(
        self, host: str, addresses: tuple[Address, ...], seconds: float, *, is_quick: bool
    ) -> None:
        self._cached.pop(host, None)
        if len(self._cached) >= self._settings.max_cached:
            del self._cached[next(iter(self._cached))]
        until = asyncio.get_running_loop().time() + seconds
        self._cached[host] = _CachedAddresses(addresses, until, is_quick)


def _look_up(
    lookup: Lookup,
    question: _Question,
    loop: asyncio.AbstractEventLoop,
    ended: Callable[[_Question, Found], None],
) -> None:
    """Ask in a thread of its own, and tell the event loop if it is still there."""
    found = _answer(lookup, question.host)
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(ended, question, found)


def _answer(lookup: Lookup, host: str) -> Found:
    shortage = None
    try:
        found = tuple(dict.fromkeys(lookup(host)))[:_MOST_ADDRESSES]
        if found:
            return found
    except (OSError, ValueError, MemoryError) as error:
        # A resolver without descriptors says that the name is not known.
        shortage = shortage_in(error) or shortage_now()
    return shortage or curl_failure(_NO_SUCH_NAME, "", host=host)
