"""Failures: runs that did not simply succeed, grouped by reason and host; and mutes of groups."""

from typing import NamedTuple

from msgspec import Struct

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.token import Scope


class FailureKind(NamedTuple):
    """What the runs of a group have in common; an empty part is one that they do not have."""

    reason: str = ""
    host: str = ""

    @property
    def text(self) -> str:
        """The reason and the host in one line."""
        return " ".join(part for part in self if part) or "no reason"


class NamedJob(NamedTuple):
    """The name of a job and of its collection."""

    key: CollectionKey
    name: str


class FailureGroup(Struct, frozen=True, kw_only=True):
    """Runs of one kind: how many, of how many jobs, when the first and the last of them ended.

    `rerun` is how many of those that failed have been rerun since, or are being rerun. The status
    code is the one that all runs have, and `only_job` the job that all runs are of.
    """

    kind: FailureKind
    runs: int
    jobs: int
    first_at: Instant
    last_at: Instant
    newest: int
    rerun: int = 0
    status_code: int | None = None
    only_job: NamedJob | None = None

    @property
    def to_rerun(self) -> int:
        """How many of its runs a rerun would make again."""
        return self.runs - self.rerun


class RetriedGroup(Struct, frozen=True):
    """Runs that failed for one reason and wait for a retry, and when the first of them is due.

    The times of the group are those of their last attempts.
    """

    group: FailureGroup
    next_at: Instant


class FailureMute(Struct, frozen=True, kw_only=True):
    """A kind of failure that nobody needs to see for a while, in a scope; who muted it, when."""

    scope: Scope
    kind: FailureKind
    until: Instant
    muted_at: Instant
    muted_by: str
