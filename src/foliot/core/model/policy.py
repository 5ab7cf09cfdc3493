"""The policy of a job: how its runs are made. A field that is None was not given."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from foliot.core.model.action import Duration


class Overlap(StrEnum):
    """What happens to an occurrence that comes due while another run of its job is open."""

    ALLOW = "allow"
    SKIP = "skip"
    QUEUE = "queue"


class CatchUp(StrEnum):
    """Which missed occurrences run."""

    LATEST = "latest"
    ALL = "all"
    NONE = "none"


class Policy(Struct, frozen=True, kw_only=True):
    """How the runs of a job are made; docs/reference/policies.md describes each field.

    `timeout` is the most time that an attempt may take. `pause_after` is how many runs are given up
    in a row before the job is disabled.
    """

    overlap: Overlap | None = None
    catch_up: CatchUp | None = None
    catch_up_window: Duration | None = None
    start_within: Duration | None = None
    jitter: Duration | None = None
    timeout: Duration | None = None
    pause_after: int | None = None

    @property
    def runs_one_at_a_time(self) -> bool:
        """Whether a run of the job begins only when no other one is in progress."""
        return self.overlap in (Overlap.SKIP, Overlap.QUEUE)

    @property
    def may_queue(self) -> bool:
        """Whether occurrences of the job may wait their turn."""
        return self.runs_one_at_a_time or self.catch_up is CatchUp.ALL


NO_POLICY: Final = Policy()
