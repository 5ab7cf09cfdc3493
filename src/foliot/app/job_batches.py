"""Changes of many jobs: some at a time, and one that is refused stops no other."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol, TypeVar

from foliot.core.errors import FoliotError
from foliot.core.ids import JobId


class _OfJob(Protocol):
    @property
    def job_id(self) -> JobId: ...


Item = TypeVar("Item", bound=_OfJob)
Result = TypeVar("Result")

# So many changes share one transaction of the store.
_AT_A_TIME: Final = 50


async def change_each(
    items: Sequence[Item], change: Callable[[Item], Awaitable[Result]]
) -> Sequence[tuple[Item, Result | FoliotError]]:
    """Make a change for each item; return its result, or why it was refused."""
    # In the order in which the engine locks jobs; on pages they stand by name.
    items = sorted(items, key=lambda each: each.job_id)
    found: list[tuple[Item, Result | FoliotError]] = []
    for start in range(0, len(items), _AT_A_TIME):
        part = items[start : start + _AT_A_TIME]
        results = await asyncio.gather(*map(change, part), return_exceptions=True)
        for item, result in zip(part, results, strict=True):
            if isinstance(result, BaseException) and not isinstance(result, FoliotError):
                raise result
            found.append((item, result))
    return found
