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
    """The choice for both; the defaults are those of a rule without a choice."""

    skipped: SkippedTime = SkippedTime.AFTER
    repeated: RepeatedTime = RepeatedTime.FIRST


DEFAULT_DST = DstPolicy()
