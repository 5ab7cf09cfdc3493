"""The engine of this process, as the use cases see it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from foliot.ports.alert_sender import AlertSender
from foliot.ports.dispatch import Dispatcher


def _wake_nobody() -> None:
    """Do nothing: this process runs no jobs."""


def _abort_nothing(_: Sequence[int]) -> None:
    """Do nothing: this process makes no attempts."""


class EngineAccess(NamedTuple):
    """What the engine is told: that work may be due, and which runs are over; and what sends.

    A process without an engine has neither a dispatcher nor a sender of alerts,
    and does not know whether others can send e-mail.
    """

    wake: Callable[[], None] = _wake_nobody
    abort_runs: Callable[[Sequence[int]], None] = _abort_nothing
    dispatcher: Dispatcher | None = None
    alert_sender: AlertSender | None = None
    can_send_email: bool = True


NO_ENGINE = EngineAccess()
