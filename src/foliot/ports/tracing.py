"""Traces: spans that show a run and its attempts, and headers that tell targets of them."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from foliot.core.model.attempt import Attempt
from foliot.core.model.run import DueRun
from foliot.ports.metrics import SettledAttempt


class Tracer(Protocol):
    """Hears of attempts and runs, thousands of times a second: it must be quick and never raise.

    Without one, nothing is traced and nothing is paid for it.
    """

    def headers(self, due: DueRun, request_id: str) -> Mapping[str, str]:
        """Return the headers that tell the target of an attempt to which trace it belongs."""
        ...

    def ended(self, due: DueRun, attempt: Attempt, request_id: str) -> None:
        """Hear that an attempt has ended."""
        ...

    def settled(
        self, recorded: Sequence[SettledAttempt], given_up: Sequence[SettledAttempt]
    ) -> None:
        """Hear what is on disk, and which attempts were the last ones of runs that failed."""
        ...
