"""Runs as they are shown: what started them, how they ended, their attempts."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.history import HistoryEntry, RunOutcome
from foliot.core.model.run import Run, Trigger


class OpenState(StrEnum):
    """The state of an open run: an attempt is being made, or one is due later."""

    RUNNING = "running"
    WAITING = "waiting"


class OpenRuns(StrEnum):
    """Which open runs to show: all, or those that have failed and wait for a retry."""

    ALL = "open"
    RETRIED = "retrying"


class RunFilter(Struct, frozen=True, kw_only=True):
    """Which runs to show; what is None allows any. Times are those when a run ended.

    An empty reason or host allows only runs without one. Of an open run they are those of its last
    attempt.
    """

    since: Instant | None = None
    until: Instant | None = None
    outcome: RunOutcome | OpenState | OpenRuns | None = None
    trigger: Trigger | None = None
    reason: str | None = None
    host: str | None = None

    @property
    def allows_success(self) -> bool:
        """Whether a run may pass that succeeded at its first attempt."""
        return not self.reason and self.outcome in (None, RunOutcome.SUCCEEDED)

    @property
    def allows_open(self) -> bool:
        """Whether an open run may pass: it has no end.

        By reason and host alone only ended ones are found: open ones have no index of them.
        """
        is_about_ends = self.until or ((self.reason or self.host) and self.outcome is None)
        return not is_about_ends and not isinstance(self.outcome, RunOutcome)

    @property
    def allows_ended(self) -> bool:
        """Whether an ended run may pass."""
        return not isinstance(self.outcome, OpenState | OpenRuns)


class LaterRun(Struct, frozen=True):
    """The run that repeats a failed one: its id while it is open, then the number of its entry.

    The outcome is None while it is open.
    """

    number: int
    outcome: RunOutcome | None


class EndedRun(Struct, frozen=True):
    """A run that has ended, or a stretch of skipped occurrences, and the name of its job.

    `attempts` are those at the main action and at the error action, in order. `later` is the last
    run that has repeated it, if it failed.
    """

    key: CollectionKey
    job: str
    entry: HistoryEntry
    attempts: Sequence[HistoryEntry] = ()
    later: LaterRun | None = None


class OpenRun(Struct, frozen=True):
    """A run that has not ended, and the name of its job."""

    key: CollectionKey
    job: str
    run: Run
    attempts: Sequence[HistoryEntry] = ()
