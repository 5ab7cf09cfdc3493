"""History: one entry for each attempt; the last one at a run's action tells how the run ended."""

from enum import StrEnum

from msgspec import Struct

from foliot.core.ids import JobId
from foliot.core.instant import Instant
from foliot.core.model.run import PLANNED, Trigger
from foliot.core.model.run_outcome import RunOutcome


class AttemptStatus(StrEnum):
    """How an attempt ended, or that it was not made."""

    COMPLETED = "completed"
    FAILED = "failed"
    POSTPONED = "postponed"


class SkipReason(StrEnum):
    """Why occurrences were skipped; history has no entry for the last two."""

    MISSED = "missed"
    EXPIRED = "expired"
    OVERLAP = "overlap"
    LIMIT = "limit"
    DISABLED = "disabled"
    DAY_OFF = "dayOff"


class HistoryEntry(Struct, frozen=True, kw_only=True):
    """One attempt, or one stretch of skipped occurrences. A number of 0 is not stored yet.

    `run_id`, `trigger` and `tag` are those of the run; in entries from before runs were recorded
    the first is 0 and the others are absent. The last attempt at the main action of a run has its
    outcome; attempts before it and those at the error action have none. A stretch has the outcome
    `skipped` and no run; it lasts from `expected_at` to `last_expected_at`. `reason` is why the
    attempt failed or the occurrences were skipped. `timings` is the text of `rules/timings_text`.
    """

    number: int = 0
    job_id: JobId
    started_at: Instant
    ended_at: Instant
    expected_at: Instant
    status: AttemptStatus
    message: str
    retry_count: int
    repeat_count: int
    is_error_action: bool = False
    run_id: int | None = None
    trigger: Trigger | None = None
    tag: str | None = None
    outcome: RunOutcome | None = None
    reason: str | None = None
    host: str | None = None
    status_code: int | None = None
    last_expected_at: Instant | None = None
    skipped_count: int | None = None
    timings: str | None = None

    @property
    def start_delay(self) -> int | None:
        """How long after its planned time the attempt began; None if nothing planned that time.

        A rerun or a backfill has a planned time long past, and a manual run has none.
        """
        is_planned = self.trigger is None or self.trigger in PLANNED
        is_made = self.status is not AttemptStatus.POSTPONED
        return self.started_at - self.expected_at if is_planned and is_made else None
