"""Passes each action to the dispatcher of its kind."""

import asyncio
from collections.abc import Callable, Mapping

from foliot.core.history_text import failure_note
from foliot.core.model.action import ActionPart
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.reason import Reason
from foliot.dispatch.time_limit import TimeLimit
from foliot.ports.dispatch import Dispatcher


class Dispatchers:
    """A dispatcher for all kinds of action, made of one for each.

    Each of them has a deadline of its own. An attempt that takes longer than `seconds_for` says all
    the same is cancelled and raises TimeoutError: that is a fault of ours.
    """

    def __init__(
        self,
        by_part: Mapping[type[ActionPart], Dispatcher],
        *,
        seconds_for: Callable[[AttemptRequest], float | None] = lambda _: None,
    ) -> None:
        self._by_part = by_part
        self._seconds_for = seconds_for
        self._time_limit = TimeLimit()

    async def dispatch(self, request: AttemptRequest) -> Outcome | NotSent:
        """Make one attempt."""
        dispatcher = self._by_part.get(type(request.action.part))
        if dispatcher is None:
            text = "This kind of action cannot be carried out yet."
            message = failure_note(request.action, "UnknownError", text)
            return Outcome(succeeded=False, message=message, reason=Reason.INVALID_REQUEST)
        seconds = self._seconds_for(request)
        if seconds is None:
            return await dispatcher.dispatch(request)
        return await self._time_limit.wait_for(dispatcher.dispatch(request), seconds)

    async def close(self) -> None:
        """Close all dispatchers."""
        await asyncio.gather(*(dispatcher.close() for dispatcher in self._by_part.values()))
