"""Changes by callers: when, and by whom."""

from typing import NamedTuple

from foliot.core.instant import Instant


class Change(NamedTuple):
    """When a caller changed a collection or a job, and the name of the caller."""

    at: Instant
    by: str
