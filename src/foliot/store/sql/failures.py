"""Failures by reason and host, and mutes of them, as named statements."""

from collections.abc import Sequence

from foliot.core.ids import CollectionKey, JobId
from foliot.core.instant import Instant
from foliot.core.model.failure import FailureGroup, FailureKind, FailureMute, NamedJob, RetriedGroup
from foliot.core.model.run_record import RunFilter
from foliot.core.model.token import Scope
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.dialect import Parameters, Row
from foliot.store.sql.run_records import SqlRunRecordReading
from foliot.store.sql.scope_parameters import scope_parameters
from foliot.store.sql.statements import Statement


class SqlFailureReading(SqlRunRecordReading):
    """Satisfies `ports.store.failures.FailureReading`."""

    def failure_groups(
        self, scope: Scope, wanted: RunFilter, *, job_id: JobId | None = None, sample: int
    ) -> Sequence[FailureGroup]:
        """Return the newest runs that pass a filter, at most `sample`, by reason and host."""
        what = {
            **scope_parameters(scope),
            **self.filter_parameters(wanted, None),
            "job_id": job_id,
            "sample": sample,
        }
        is_one = scope.collection is not None
        statement: Statement = "failure_groups_of_collection" if is_one else "failure_groups"
        return [_group_of(row) for row in self._run(statement, what)]

    def retried_groups(
        self, scope: Scope, wanted: RunFilter, *, job_id: JobId | None = None, sample: int
    ) -> Sequence[RetriedGroup]:
        """Return the newest runs that wait for a retry, at most `sample`, by reason and host."""
        what = {
            **scope_parameters(scope),
            "job_id": job_id,
            "trigger": wanted.trigger and wanted.trigger.value,
            "sample": sample,
        }
        rows = self._run("retried_groups", what)
        return [RetriedGroup(_group_of(row[1:]), row[0]) for row in rows]

    def failure_mutes(self, now: Instant) -> Sequence[FailureMute]:
        """Return the mutes of all scopes that have not ended."""
        return [_mute_of(row) for row in self._run("failure_mutes", {"now": now})]


class SqlFailureChanges(SqlAccess):
    """Satisfies `ports.store.failures.FailureChanges`."""

    def mute_failures(self, mute: FailureMute) -> None:
        """Store a mute in place of an earlier one, and remove those that have ended."""
        self._change("drop_ended_mutes", {"now": mute.muted_at})
        times = {"until_at": mute.until, "muted_at": mute.muted_at, "muted_by": mute.muted_by}
        self._change("mute_failures", {**_key(mute.scope, mute.kind), **times})

    def unmute_failures(self, scope: Scope, kind: FailureKind) -> bool:
        """Remove a mute; tell whether it existed."""
        return self._change("unmute_failures", _key(scope, kind)) > 0


def _key(scope: Scope, kind: FailureKind) -> Parameters:
    return {
        "subscription": scope.subscription or "",
        "resource_group": scope.group or "",
        "collection": scope.collection or "",
        "reason": kind.reason,
        "host": kind.host,
    }


def _group_of(row: Row) -> FailureGroup:
    reason, host, runs, jobs, first_at, last_at, newest, rerun, *rest = row
    least_status, greatest_status, with_status, *collection, job = rest
    has_one_status = with_status == runs and least_status == greatest_status
    return FailureGroup(
        kind=FailureKind(reason or "", host or ""),
        runs=runs,
        jobs=jobs,
        first_at=first_at,
        last_at=last_at,
        newest=newest,
        rerun=rerun,
        status_code=least_status if has_one_status else None,
        only_job=NamedJob(CollectionKey(*collection), job) if jobs == 1 else None,
    )


def _mute_of(row: Row) -> FailureMute:
    subscription, group, collection, reason, host, until, muted_at, muted_by = row
    return FailureMute(
        scope=Scope(
            subscription=subscription or None, group=group or None, collection=collection or None
        ),
        kind=FailureKind(reason, host),
        until=until,
        muted_at=muted_at,
        muted_by=muted_by,
    )
