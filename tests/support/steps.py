"""Runs one coroutine after the other in an event loop."""

import asyncio
from collections.abc import Coroutine
from contextvars import Context
from typing import Any, TypeVar

Result = TypeVar("Result")


class Steps(asyncio.Runner):
    """A runner that leaves the signal of Ctrl-C alone: to take it costs more than most steps do."""

    def run(self, coro: Coroutine[Any, Any, Result], *, context: Context | None = None) -> Result:
        loop = self.get_loop()
        return loop.run_until_complete(loop.create_task(coro, context=context))
