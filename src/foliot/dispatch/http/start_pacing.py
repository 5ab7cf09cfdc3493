"""Begins transfers at a pace: in a burst, a transfer begins mostly when another one has ended.

Hundreds of transfers in progress cost an eighth more processor time each than some dozens, and do
not get more answers from a target that answers in milliseconds. Where targets answer slowly, the
number in progress grows by a limited number in each short period.
"""

import asyncio
from collections import deque
from typing import Final

STARTS_PER_PERIOD: Final = 64
PERIOD_SECONDS: Final = 0.01
# After so many periods all slots are in use, however many there are.
_PERIODS = 8


class StartPacing:
    """Lets a transfer begin for each that has ended, and at least some in each period."""

    def __init__(self, loop: asyncio.AbstractEventLoop, slots: int = 0) -> None:
        self._loop = loop
        self._starts = self._free = max(STARTS_PER_PERIOD, -(-slots // _PERIODS))
        self._period_ends_at = loop.time() + PERIOD_SECONDS
        self._waiting: deque[asyncio.Future[None]] = deque()
        # How many have begun in place of others since the timer was set.
        self._replaced = 0
        self._timer: asyncio.TimerHandle | None = None

    async def begin(self) -> None:
        """Return when a transfer may begin; `end` must follow."""
        if not self._waiting and (self._free or self._is_period_over()):
            self._free -= 1
            return
        future: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append(future)
        if self._timer is None:
            self._set_timer()
        try:
            await future
        except asyncio.CancelledError:
            if not future.cancelled():
                # It was let begin, and never will.
                self.end()
            raise

    def end(self) -> None:
        """Let another transfer begin in place of one that has ended."""
        if self._let_one_begin():
            self._replaced += 1
        else:
            self._free = min(self._free + 1, self._starts)

    def close(self) -> None:
        """Let all begin that wait: nothing is sent any more, and they find that out."""
        while self._let_one_begin():
            pass

    def _is_period_over(self) -> bool:
        now = self._loop.time()
        if now < self._period_ends_at:
            return False
        self._free, self._period_ends_at = self._starts, now + PERIOD_SECONDS
        return True

    def _set_timer(self) -> None:
        self._replaced = 0
        self._timer = self._loop.call_later(PERIOD_SECONDS, self._next_period)

    def _next_period(self) -> None:
        self._timer = None
        for _ in range(self._starts - self._replaced):
            self._let_one_begin()
        if self._waiting:
            self._set_timer()

    def _let_one_begin(self) -> bool:
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
                return True
        return False
