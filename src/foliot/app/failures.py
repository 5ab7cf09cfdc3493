"""Failures by reason and host: count them, mute a kind for a day, unmute it."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from foliot.app.change_log import log_change
from foliot.app.run_records import RunsOf, runs_scope
from foliot.core.access import Principal, lies_within, require
from foliot.core.errors import Conflict, Forbidden
from foliot.core.ids import JobId
from foliot.core.instant import DAY, Instant
from foliot.core.model.audit import AuditAction
from foliot.core.model.failure import FailureGroup, FailureKind, FailureMute, RetriedGroup
from foliot.core.model.run_record import RunFilter
from foliot.core.model.token import Role, Scope
from foliot.core.rules.audit_entries import failures_entry
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store, Transaction

# So many of the newest runs are counted; a report says when there are more.
MOST_COUNTED: Final = 10_000
# So many of the newest runs that wait for a retry are counted.
MOST_RETRIES_COUNTED: Final = 5000
MUTED_FOR: Final = DAY
_MOST_MUTES: Final = 100


class MutedGroup(Struct, frozen=True):
    """A group of failures that is muted, and by which mute."""

    group: FailureGroup
    mute: FailureMute


class FailureReport(Struct, frozen=True, kw_only=True):
    """Failures by reason and host, the most frequent first; those that are muted apart.

    `since` is the end of the oldest run that was counted, if not all of them were.
    """

    groups: Sequence[FailureGroup]
    muted: Sequence[MutedGroup] = ()
    since: Instant | None = None

    @property
    def runs(self) -> int:
        """How many runs failed, without the muted ones."""
        return sum(group.runs for group in self.groups)

    @property
    def first_at(self) -> Instant:
        """When the first of these runs ended."""
        return min((group.first_at for group in self.groups), default=Instant(0))

    @property
    def rerun(self) -> int:
        """How many of these runs have been rerun since, or are being rerun."""
        return sum(group.rerun for group in self.groups)

    @property
    def to_rerun(self) -> int:
        """How many of these runs a rerun would make again."""
        return sum(group.to_rerun for group in self.groups)

    @property
    def muted_runs(self) -> int:
        """How many of the runs that failed are muted."""
        return sum(each.group.runs for each in self.muted)


class RetryReport(Struct, frozen=True):
    """Runs that failed and wait for a retry, by reason and host; how many more are muted.

    `is_cut` says that there are more than were looked at.
    """

    groups: Sequence[RetriedGroup] = ()
    muted_runs: int = 0
    is_cut: bool = False

    @property
    def runs(self) -> int:
        """How many runs wait for a retry, without the muted ones."""
        return sum(each.group.runs for each in self.groups)


class Failures:
    """What a caller can do with failures: count them, mute them."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def report(self, who: Principal, of: RunsOf, wanted: RunFilter) -> FailureReport:
        """Count the runs that pass a filter by reason and host."""
        now = self._clock.now()

        def view(reading: Reading) -> FailureReport:
            scope, job_id = runs_scope(reading, who, of)
            return failure_report(reading, scope, wanted, now=now, job_id=job_id)

        return await self._store.browse(view)

    async def retries(self, who: Principal, of: RunsOf, wanted: RunFilter) -> RetryReport:
        """Count the runs that have failed and wait for a retry, whatever the period of a filter."""
        now = self._clock.now()

        def view(reading: Reading) -> RetryReport:
            scope, job_id = runs_scope(reading, who, of)
            return retry_report(reading, scope, wanted, now=now, job_id=job_id)

        return await self._store.browse(view)

    async def mute(self, who: Principal, of: RunsOf, kind: FailureKind) -> FailureMute:
        """Mute a kind of failure for a day, for everybody, in the part that the caller names."""
        now = self._clock.now()

        def change(transaction: Transaction) -> FailureMute:
            scope, _ = runs_scope(transaction, who, of)
            # Those of other scopes do not count: nobody may use up the mutes of others.
            others = [
                each
                for each in transaction.failure_mutes(now)
                if each.scope == scope and each.kind != kind
            ]
            if len(others) >= _MOST_MUTES:
                raise Conflict(f"{_MOST_MUTES} kinds of failures are muted here; unmute one first.")
            mute = FailureMute(
                scope=scope,
                kind=kind,
                until=Instant(now + MUTED_FOR),
                muted_at=now,
                muted_by=who.name,
            )
            transaction.mute_failures(mute)
            made = who.changing_at(now)
            transaction.add_audit_entries(failures_entry(made, AuditAction.MUTED, mute))
            return mute

        require(who, Role.CONTRIBUTOR)
        mute = await self._store.write(change)
        log_change("Failures muted", of.key, reason=kind.reason, host=kind.host)
        return mute

    async def unmute(self, who: Principal, scope: Scope, kind: FailureKind) -> bool:
        """End a mute; tell whether there was one."""
        now = self._clock.now()

        def change(transaction: Transaction) -> bool:
            mutes = transaction.failure_mutes(now)
            found = next((each for each in mutes if (each.scope, each.kind) == (scope, kind)), None)
            if found is None:
                return False
            transaction.unmute_failures(scope, kind)
            made = who.changing_at(now)
            transaction.add_audit_entries(failures_entry(made, AuditAction.UNMUTED, found))
            return True

        require(who, Role.CONTRIBUTOR)
        if not lies_within(scope, who.scope):
            raise Forbidden("The failures are muted beyond the scope of your token.")
        was_muted = await self._store.write(change)
        if was_muted:
            log_change("Failures unmuted", reason=kind.reason, host=kind.host)
        return was_muted


def failure_report(
    reading: Reading, scope: Scope, wanted: RunFilter, *, now: Instant, job_id: JobId | None = None
) -> FailureReport:
    """Count the runs of a scope that pass a filter by reason and host."""
    found = reading.failure_groups(scope, wanted, job_id=job_id, sample=MOST_COUNTED)
    mutes = mutes_of(reading, scope, now)
    ordered = sorted(found, key=lambda group: (-group.runs, -group.last_at, group.kind))
    is_cut = sum(group.runs for group in found) >= MOST_COUNTED
    return FailureReport(
        groups=[group for group in ordered if group.kind not in mutes],
        muted=[MutedGroup(group, mutes[group.kind]) for group in ordered if group.kind in mutes],
        since=min(group.first_at for group in found) if is_cut else None,
    )


def retry_report(
    reading: Reading, scope: Scope, wanted: RunFilter, *, now: Instant, job_id: JobId | None = None
) -> RetryReport:
    """Count the runs of a scope that wait for a retry by reason and host."""
    found = reading.retried_groups(scope, wanted, job_id=job_id, sample=MOST_RETRIES_COUNTED)
    if not found:
        return RetryReport()
    allowed = [each for each in found if _allows(wanted, each.group.kind)]
    mutes = mutes_of(reading, scope, now)
    shown = [each for each in allowed if each.group.kind not in mutes]
    return RetryReport(
        sorted(shown, key=lambda each: (-each.group.runs, -each.group.last_at, each.group.kind)),
        sum(each.group.runs for each in allowed if each.group.kind in mutes),
        is_cut=sum(each.group.runs for each in found) >= MOST_RETRIES_COUNTED,
    )


def _allows(wanted: RunFilter, kind: FailureKind) -> bool:
    return wanted.reason in (None, kind.reason) and wanted.host in (None, kind.host)


def mutes_of(reading: Reading, scope: Scope, now: Instant) -> dict[FailureKind, FailureMute]:
    """Return the mutes that hold in all of a scope, by kind."""
    mutes = reading.failure_mutes(now)
    return {mute.kind: mute for mute in mutes if lies_within(scope, mute.scope)}
