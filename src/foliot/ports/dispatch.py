"""Carrying out actions, as a protocol with its contract."""

from collections.abc import Awaitable
from typing import Protocol

from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome


class Dispatcher(Protocol):
    """Carries out actions.

    Failure of an action is a value: `dispatch` never raises, except when it is cancelled. It
    returns by its deadline, whatever the target does, and its messages hold no secret. A lack on
    our side (descriptors, memory, a process that has ended) is no failure of the action: NotSent.
    """

    def dispatch(self, request: AttemptRequest) -> Awaitable[Outcome | NotSent]:
        """Make one attempt and tell how it ended."""
        ...

    async def close(self) -> None:
        """Release connections and whatever else is held."""
        ...
