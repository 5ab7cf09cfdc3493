"""What applies to jobs that do not say it themselves; an operator may change it."""

from msgspec import Struct

PLAIN_TEXT = "text"
ENVELOPE = "envelope"


class JobDefaults(Struct, frozen=True, kw_only=True):
    """The format of queue messages without one, and how long a job without a start time waits."""

    queue_format: str = PLAIN_TEXT
    immediate_delay_seconds: int = 0
