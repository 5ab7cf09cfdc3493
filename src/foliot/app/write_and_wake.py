"""Writes that may give the engine work."""

from collections.abc import Callable
from typing import TypeVar

from foliot.ports.store import Store, Transaction

WriteResult = TypeVar("WriteResult")


async def write_and_wake(
    store: Store, change: Callable[[Transaction], WriteResult], wake_engine: Callable[[], None]
) -> WriteResult:
    """Write a change, then wake the engine: it need not wait for its next poll."""
    result = await store.write(change)
    wake_engine()
    return result
