"""Hands each action to whoever carries out its kind."""

import asyncio
from collections.abc import Mapping

from foliot.core.model.action import ActionPart
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.ports.dispatch import Dispatcher


class Dispatchers:
    """A dispatcher for all kinds of action, made of one for each.

    Each of them ends by its own deadline; one that does not within `seconds` is cancelled, which is
    a TimeoutError: the fault is ours.
    """

    def __init__(
        self, by_part: Mapping[type[ActionPart], Dispatcher], *, seconds: float | None = None
    ) -> None:
        self._by_part = by_part
        self._seconds = seconds

    async def dispatch(self, request: AttemptRequest) -> Outcome | NotSent:
        """Make one attempt."""
        dispatcher = self._by_part.get(type(request.action.part))
        if dispatcher is None:
            message = f"{request.action.kind} Action - This kind cannot be carried out yet."
            return Outcome(succeeded=False, message=message)
        async with asyncio.timeout(self._seconds):
            return await dispatcher.dispatch(request)

    async def close(self) -> None:
        """Close all of them."""
        await asyncio.gather(*(dispatcher.close() for dispatcher in self._by_part.values()))
