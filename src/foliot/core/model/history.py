"""History: one entry for each attempt."""

from enum import StrEnum

from msgspec import Struct

from foliot.core.ids import JobId
from foliot.core.instant import Instant


class AttemptStatus(StrEnum):
    """How an attempt ended, or that it was not made."""

    COMPLETED = "completed"
    FAILED = "failed"
    POSTPONED = "postponed"


class HistoryEntry(Struct, frozen=True, kw_only=True):
    """One attempt, or one stretch of skipped occurrences. A number of 0 is not stored yet."""

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
