"""Deployments of templates: save all collections and jobs of a template, or nothing.

A deployment is one transaction. A trial is the same transaction, undone: it refuses what the
deployment would refuse, and returns what the deployment would store.
"""

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct, structs

from foliot.app.change_log import log_change, log_deployment
from foliot.app.collection_changes import Prepared, prepare_change
from foliot.app.jobs import Saving
from foliot.app.listing_page import Page
from foliot.app.lookup import check_sight_of_group
from foliot.app.resource_groups import visible_group
from foliot.app.template_changes import (
    SavedTemplate,
    WantedTemplate,
    check_may_deploy,
    in_template,
    save_template,
)
from foliot.app.write_and_wake import write_and_wake
from foliot.core.access import Principal, require, sees_all_of_group
from foliot.core.errors import Conflict, DeploymentNotFound
from foliot.core.ids import check_deployment, check_group, check_subscription
from foliot.core.instant import Instant
from foliot.core.job_defaults import JobDefaults
from foliot.core.model.audit import AuditAction, AuditDetails, AuditEntry
from foliot.core.model.change import Change
from foliot.core.model.deployment import DeployedResource, Deployment, DeploymentKey
from foliot.core.model.resource_group import ResourceGroup
from foliot.core.model.token import Role
from foliot.core.rules.audit_entries import deployment_entry, first_names
from foliot.core.rules.turns import MAX_OPEN_RUNS
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store, Transaction

# As many as the old service keeps for each group.
MAX_DEPLOYMENTS = 800


class DeploymentStart(Struct, frozen=True):
    """When a deployment begins, and its group; without one it is about to have collections."""

    now: Instant
    group: ResourceGroup | None


class Trial(Exception):
    """Ends the transaction of a trial, which is then undone, with what it would have stored."""

    def __init__(self, saved: SavedTemplate) -> None:
        super().__init__()
        self.saved = saved


class Deployments:
    """What a caller can do with deployments."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        wake_engine: Callable[[], None],
        defaults: JobDefaults,
        max_open_runs: int = MAX_OPEN_RUNS,
    ) -> None:
        self._defaults = defaults
        self._max_open_runs = max_open_runs
        self._store = store
        self._clock = clock
        self._wake_engine = wake_engine

    async def start(self, who: Principal, key: DeploymentKey) -> DeploymentStart:
        """Return what a template needs to know, if the caller may deploy one here."""
        check_sight_of_group(who, key.subscription, key.group)
        require(who, Role.CONTRIBUTOR)
        check_deployment(key.name)
        group = await self._store.read(
            lambda reading: visible_group(reading, who, key.subscription, key.group)
        )
        if group is None:
            check_subscription(key.subscription)
            check_group(key.group)
        return DeploymentStart(self._clock.now(), group)

    async def try_out(
        self, who: Principal, wanted: WantedTemplate, started_at: Instant
    ) -> SavedTemplate:
        """Return what a deployment would store; refuse it as the deployment would."""
        change = await self._change(who, wanted, started_at)

        def undone(transaction: Transaction) -> SavedTemplate:
            _check_record(transaction, who, wanted.key)
            raise Trial(change(transaction))

        try:
            return await self._store.write(undone)
        except Trial as trial:
            return trial.saved

    async def deploy(
        self, who: Principal, wanted: WantedTemplate, record: Deployment
    ) -> tuple[Deployment, bool]:
        """Save a template with the record of it; return the record, and whether it is new."""
        change = await self._change(who, wanted, record.deployed_at)

        def deploy(transaction: Transaction) -> tuple[SavedTemplate, Deployment, bool]:
            _check_record(transaction, who, wanted.key)
            saved = change(transaction)
            ended = structs.replace(
                record,
                duration=max(0, self._clock.now() - record.deployed_at),
                resources=resources_of(saved),
                deleted=tuple(key.name for key in saved.deleted),
                made_within=who.scope.collection,
            )
            kept = MAX_DEPLOYMENTS if sees_all_of_group(who) else None
            is_new = transaction.save_deployment(ended, kept=kept)
            transaction.add_audit_entries(_entry(who.changing_at(record.deployed_at), saved, ended))
            return saved, ended, is_new

        saved, ended, is_new = await write_and_wake(self._store, deploy, self._wake_engine)
        _log(saved, ended, is_new=is_new)
        return ended, is_new

    async def _change(
        self, who: Principal, wanted: WantedTemplate, now: Instant
    ) -> Callable[[Transaction], SavedTemplate]:
        check_may_deploy(who, wanted)
        prepared: list[Prepared] = []
        for each in wanted.collections:
            with in_template(each.path):
                prepared.append(await prepare_change(self._store, who, each.key, each.revise, now))
        saving = Saving(who.changing_at(now), self._defaults, self._max_open_runs)
        return partial(save_template, who=who, wanted=wanted, prepared=prepared, saving=saving)

    async def get_deployment(self, who: Principal, key: DeploymentKey) -> Deployment:
        """Return a deployment."""
        return await self._store.read(partial(_find, who=who, key=key))

    async def list_deployments(
        self, who: Principal, subscription: str, group: str, page: Page[str]
    ) -> Sequence[Deployment]:
        """Return a page of a group's deployments, in order of name."""
        check_sight_of_group(who, subscription, group)

        def view(reading: Reading) -> Sequence[Deployment]:
            if sees_all_of_group(who):
                return reading.deployments(
                    subscription, group, after=page.after, skip=page.skip, limit=page.limit
                )
            found = reading.deployments(
                subscription, group, after=page.after, limit=MAX_DEPLOYMENTS
            )
            seen = [each for each in found if _is_seen(who, each)]
            return seen[page.skip : page.skip + page.limit]

        return await self._store.browse(view)

    async def delete_deployment(self, who: Principal, key: DeploymentKey) -> None:
        """Remove the record of a deployment; what it deployed stays."""
        check_sight_of_group(who, key.subscription, key.group)
        require(who, Role.CONTRIBUTOR)

        def change(transaction: Transaction) -> None:
            # Who sees all of the group may also delete a record that cannot be opened.
            if not sees_all_of_group(who):
                _find(transaction, who, key)
            if not transaction.delete_deployment(key):
                raise DeploymentNotFound(key.name)
            made = who.changing_at(self._clock.now())
            transaction.add_audit_entries(
                deployment_entry(made, key, AuditAction.DELETED, within=who.scope.collection)
            )

        await self._store.write(change)
        log_deployment("Deployment deleted", key)


def _find(reading: Reading, who: Principal, key: DeploymentKey) -> Deployment:
    check_sight_of_group(who, key.subscription, key.group)
    found = reading.deployment(key)
    if found is None or not _is_seen(who, found):
        raise DeploymentNotFound(key.name)
    return found


def _is_seen(who: Principal, deployment: Deployment) -> bool:
    """Tell whether a deployment was made within the caller's scope, or touched nothing else."""
    if sees_all_of_group(who):
        return True
    if deployment.made_within is not None:
        return deployment.made_within == who.scope.collection
    touched = {each.collection.lower() for each in deployment.resources}
    return touched | {name.lower() for name in deployment.deleted} == {who.scope.collection}


def _check_record(reading: Reading, who: Principal, key: DeploymentKey) -> None:
    """Refuse to replace or push out the record of a deployment that the caller may not see."""
    if sees_all_of_group(who):
        return
    found = reading.deployment(key)
    present = reading.count_deployments(key.subscription, key.group)
    if found is None and present >= MAX_DEPLOYMENTS:
        raise Conflict(
            f"The resource group '{key.group}' has {MAX_DEPLOYMENTS} deployments, and no more are "
            "kept; give the name of one of yours, or delete one."
        )
    if found is not None and not _is_seen(who, found):
        raise Conflict(f"The name '{key.name}' is taken by another deployment; give another.")


def resources_of(saved: SavedTemplate) -> tuple[DeployedResource, ...]:
    """Name the collections and jobs that a template has saved."""
    collections = (DeployedResource(each.key.name) for each in saved.collections)
    jobs = (DeployedResource(each.collection.key.name, each.job.name) for each in saved.jobs)
    return (*collections, *jobs)


def _entry(change: Change, saved: SavedTemplate, deployment: Deployment) -> AuditEntry:
    """Return the entry of a deployment; each change that it made has an entry of its own."""
    changed = saved.changes
    details = AuditDetails(
        collections=sum(each.job is None for each in changed),
        jobs=sum(each.job is not None for each in changed),
        names=first_names(
            each.key.name if each.job is None else f"{each.key.name}/{each.job}" for each in changed
        ),
    )
    within = deployment.made_within
    return deployment_entry(
        change, deployment.key, AuditAction.DEPLOYED, within=within, details=details
    )


def _log(saved: SavedTemplate, deployment: Deployment, *, is_new: bool) -> None:
    for event, key, job in saved.changes:
        log_change(event, key, job, deployment=deployment.key.name)
    log_deployment(
        "Deployment created" if is_new else "Deployment updated",
        deployment.key,
        mode=deployment.mode.value,
        collections=len(saved.collections),
        jobs=len(saved.jobs),
        changes=len(saved.changes),
    )
