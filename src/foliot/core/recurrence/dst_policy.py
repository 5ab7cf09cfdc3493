"""What becomes of times that the clock skips or shows twice, as the client chose."""

from enum import StrEnum

from msgspec import Struct


class SkippedTime(StrEnum):
    """When a time runs that the clock skips: after the gap, not at all, or before the gap."""

    AFTER = "after"
    SKIP = "skip"
    BEFORE = "before"


class RepeatedTime(StrEnum):
    """When a time runs that the clock shows twice."""

    FIRST = "first"
    SECOND = "second"
    BOTH = "both"


class DstPolicy(Struct, frozen=True, kw_only=True):
    """The choices as they were given: an answer has none that nobody made."""

    skipped: SkippedTime | None = None
    repeated: RepeatedTime | None = None

    @property
    def of_skipped(self) -> SkippedTime:
        """What becomes of times that the clock skips."""
        return self.skipped or SkippedTime.AFTER

    @property
    def of_repeated(self) -> RepeatedTime:
        """When a rule fires at times that the clock shows twice."""
        return self.repeated or RepeatedTime.FIRST

    @property
    def is_default(self) -> bool:
        """Whether a rule without a choice does the same."""
        return (self.of_skipped, self.of_repeated) == (SkippedTime.AFTER, RepeatedTime.FIRST)


DEFAULT_DST = DstPolicy()
