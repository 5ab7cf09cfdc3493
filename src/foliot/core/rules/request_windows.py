"""Counts requests in windows of time, to limit how often something is done by hand."""

from collections.abc import Hashable, Iterable
from typing import Final, Generic, TypeVar

from msgspec import Struct

from foliot.core.instant import Instant

_KEPT: Final = 10_000

Key = TypeVar("Key", bound=Hashable)


class _Window(Struct):
    since: Instant
    until: Instant
    count: int = 0


class RequestWindows(Generic[Key]):
    """Windows of time by what is counted; each begins with the first request, in memory only."""

    def __init__(self) -> None:
        self._windows: dict[Key, _Window] = {}

    def full_until(self, key: Key, limit: int, now: Instant) -> Instant | None:
        """Return when the window ends in which there were as many requests as the limit."""
        window = self._windows.get(key)
        if window is None or not _is_open(window, now) or window.count < limit:
            return None
        return window.until

    def add(self, keys: Iterable[Key], now: Instant, ticks: int) -> None:
        """Count a request; a window that begins with it is so long."""
        if len(self._windows) >= _KEPT:
            self._windows = {
                key: window for key, window in self._windows.items() if _is_open(window, now)
            }
        for key in keys:
            window = self._windows.get(key)
            if window is None or not _is_open(window, now):
                window = self._windows[key] = _Window(now, Instant(now + ticks))
            window.count += 1


def _is_open(window: _Window, now: Instant) -> bool:
    # The clock may have been set back: a window in the future is not open.
    return window.since <= now < window.until
