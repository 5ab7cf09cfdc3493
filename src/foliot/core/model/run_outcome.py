"""How a run ended."""

from enum import StrEnum


class RunOutcome(StrEnum):
    """How a run ended; `recovered` is a success after retries."""

    SUCCEEDED = "succeeded"
    RECOVERED = "recovered"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELED = "canceled"
