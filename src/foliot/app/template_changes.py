"""Save all collections and jobs of a template in one transaction, by the rules of single saves."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from msgspec import Struct

from foliot.app.collection_changes import (
    Prepared,
    ReviseCollection,
    delete_collection,
    put_collection,
)
from foliot.app.jobs import ReviseJob, SavedJob, Saving, put_job
from foliot.app.lookup import check_may_change, locate_job
from foliot.core.access import Principal, sees
from foliot.core.errors import CollectionNotFound, Conflict, Path, RefusedInTemplate, within
from foliot.core.ids import CollectionKey
from foliot.core.model.change import Change
from foliot.core.model.collection import Collection
from foliot.core.model.deployment import DeploymentKey, DeploymentMode
from foliot.core.rules.resource_groups import check_deleted_collections, check_deleted_jobs
from foliot.ports.store import Transaction

_ALL = 1_000_000


class WantedCollection(Struct, frozen=True):
    """A collection of a template, with its path there."""

    path: Path
    key: CollectionKey
    revise: ReviseCollection


class WantedJob(Struct, frozen=True):
    """A job of a template, with its path there."""

    path: Path
    key: CollectionKey
    name: str
    revise: ReviseJob


class WantedTemplate(Struct, frozen=True, kw_only=True):
    """All that a template wants to have saved; complete mode does not delete what is `kept`."""

    key: DeploymentKey
    mode: DeploymentMode
    collections: Sequence[WantedCollection]
    jobs: Sequence[WantedJob]
    kept: Sequence[CollectionKey] = ()


class ResourceChange(NamedTuple):
    """A change of a collection, or of a job, for the log."""

    event: str
    key: CollectionKey
    job: str | None = None


class SavedTemplate(Struct, frozen=True, kw_only=True):
    """All that a template has saved and deleted; what was saved before is not among `changes`."""

    collections: Sequence[Collection]
    jobs: Sequence[SavedJob]
    deleted: Sequence[CollectionKey]
    changes: Sequence[ResourceChange]


def check_may_deploy(who: Principal, wanted: WantedTemplate) -> None:
    """Refuse a template with a collection that the caller may not change."""
    for each in (*wanted.collections, *wanted.jobs):
        with in_template(each.path):
            check_may_change(who, each.key)


def save_template(
    transaction: Transaction,
    *,
    who: Principal,
    wanted: WantedTemplate,
    prepared: Sequence[Prepared],
    saving: Saving,
) -> SavedTemplate:
    """Store what a template wants; a refusal names the resource, and nothing is stored.

    What goes is deleted first, so that it does not count for the limits of a plan.
    """
    changes: list[ResourceChange] = []
    deleted = _lock_all(transaction, wanted, _surplus(transaction, who, wanted))
    check_deleted_collections(len(deleted))
    jobs_going = sum(transaction.count_jobs(each.id) for each in deleted)
    check_deleted_jobs(wanted.key.group, jobs_going)
    for each in deleted:
        delete_collection(transaction, each, saving.change)
        changes.append(ResourceChange("Collection deleted", each.key))
    collections = [
        _save_collection(transaction, each, ready, saving.change, changes)
        for each, ready in zip(wanted.collections, prepared, strict=True)
    ]
    jobs = [_save_job(transaction, who, each, saving, changes) for each in wanted.jobs]
    return SavedTemplate(
        collections=collections,
        jobs=jobs,
        deleted=[each.key for each in deleted],
        changes=changes,
    )


@contextmanager
def in_template(path: Path) -> Generator[None]:
    """Add the path of a resource to the refusals that are about it."""
    try:
        with within(*path):
            yield
    except (Conflict, CollectionNotFound) as refusal:
        raise RefusedInTemplate(path, refusal) from None


def _surplus(
    transaction: Transaction, who: Principal, wanted: WantedTemplate
) -> Sequence[CollectionKey]:
    """Return what complete mode deletes: collections that the template does not name, in scope."""
    if wanted.mode is not DeploymentMode.COMPLETE:
        return ()
    named = {key.folded for key in (*_keys(wanted), *wanted.kept)}
    present = transaction.collections(wanted.key.subscription, wanted.key.group, limit=_ALL)
    return [each.key for each in present if each.key.folded not in named and sees(who, each.key)]


def _lock_all(
    transaction: Transaction, wanted: WantedTemplate, surplus: Sequence[CollectionKey]
) -> Sequence[Collection]:
    """Lock all collections, then all jobs; return the collections that are to be deleted.

    Each are locked in one order, so that no two transactions wait for each other.
    """
    keys = {key.folded: key for key in (*surplus, *_keys(wanted))}
    found = {folded: transaction.collection(keys[folded]) for folded in sorted(keys)}
    ids = {folded: each.id for folded, each in found.items() if each is not None}
    named = [(each.key.folded, each.name) for each in wanted.jobs]
    going = [each for key in surplus if (each := found[key.folded]) is not None]
    transaction.lock_jobs(
        [(ids[folded], name) for folded, name in named if folded in ids],
        [each.id for each in going],
    )
    return going


def _keys(wanted: WantedTemplate) -> Iterator[CollectionKey]:
    for each in (*wanted.collections, *wanted.jobs):
        yield each.key


def _save_collection(
    transaction: Transaction,
    wanted: WantedCollection,
    prepared: Prepared,
    change: Change,
    changes: list[ResourceChange],
) -> Collection:
    with in_template(wanted.path):
        old = transaction.collection(wanted.key)
        saved, is_new = put_collection(transaction, old, wanted.revise(old), prepared, change)
    if saved != old:
        event = "Collection created" if is_new else "Collection updated"
        changes.append(ResourceChange(event, saved.key))
    return saved


def _save_job(
    transaction: Transaction,
    who: Principal,
    wanted: WantedJob,
    saving: Saving,
    changes: list[ResourceChange],
) -> SavedJob:
    with in_template(wanted.path):
        located = locate_job(transaction, who, wanted.key, wanted.name)
        revision = wanted.revise(located[1])
        saved = put_job(transaction, located, wanted.name, revision, saving)
    if saved.job is not located[1]:
        event = "Job created" if saved.is_new else "Job updated"
        changes.append(ResourceChange(event, saved.collection.key, saved.job.name))
    return saved
