"""Failures by reason and host, and mutes of them."""

from collections.abc import Sequence
from typing import Protocol

from foliot.core.ids import JobId
from foliot.core.instant import Instant
from foliot.core.model.failure import FailureGroup, FailureKind, FailureMute, RetriedGroup
from foliot.core.model.run_record import RunFilter
from foliot.core.model.token import Scope


class FailureReading(Protocol):
    """Counts runs that did not simply succeed, and finds mutes."""

    def failure_groups(
        self, scope: Scope, wanted: RunFilter, *, job_id: JobId | None = None, sample: int
    ) -> Sequence[FailureGroup]:
        """Return the newest runs that pass a filter, at most `sample`, by reason and host.

        Those that simply succeeded are not among them. A job is one of the scope's collection.
        """
        ...

    def retried_groups(
        self, scope: Scope, wanted: RunFilter, *, job_id: JobId | None = None, sample: int
    ) -> Sequence[RetriedGroup]:
        """Return the newest runs that wait for a retry, at most `sample`, by reason and host.

        Only the trigger of the filter counts.
        """
        ...

    def failure_mutes(self, now: Instant) -> Sequence[FailureMute]:
        """Return the mutes of all scopes that have not ended."""
        ...


class FailureChanges(Protocol):
    """Mutes failures."""

    def mute_failures(self, mute: FailureMute) -> None:
        """Store a mute in place of an earlier one, and remove those that have ended."""
        ...

    def unmute_failures(self, scope: Scope, kind: FailureKind) -> bool:
        """Remove a mute; tell whether it existed."""
        ...
