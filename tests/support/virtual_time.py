"""An event loop whose clock jumps to the next timer as soon as nothing else is to be done."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class _Selector(selectors.DefaultSelector):
    """Waits for nobody: what would be waited for has passed."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if found or timeout is None:
            # Nothing but another thread can go on.
            return found or super().select(timeout)
        self.now += max(0.0, timeout)
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """Sleeps take no time; sockets within the process are as quick as they are."""

    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now

    def stand_still(self, seconds: float) -> None:
        """Let time pass while nothing is done, as if the process were stopped."""
        self._clock.now += seconds


def run_virtually(steps: Coroutine[Any, Any, Result]) -> Result:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(steps)
