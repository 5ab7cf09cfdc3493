"""Resource groups and subscriptions: list, show; of groups also save and delete.

A group exists as soon as it has a collection, or is saved. A subscription needs nothing to exist.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import structs

from foliot.app.change_log import log_change
from foliot.app.listing_page import Page
from foliot.app.lookup import check_may_change_group, check_sight_of_group
from foliot.app.write_and_wake import write_and_wake
from foliot.core.access import Principal, sees_all_of_group
from foliot.core.errors import GroupNotFound
from foliot.core.ids import CollectionKey
from foliot.core.model.audit import AuditDetails
from foliot.core.model.change import Change
from foliot.core.model.resource_group import ResourceGroup, group_of
from foliot.core.rules.audit_entries import (
    MAX_NAMES,
    collection_entry,
    first_names,
    group_entry,
)
from foliot.core.rules.resource_groups import (
    check_deleted_jobs,
    check_group_count,
    check_saved_group,
)
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store, Transaction

ReviseGroup = Callable[[ResourceGroup | None], ResourceGroup]
Row = TypeVar("Row")

_ALL = 1_000_000


class ResourceGroups:
    """What a caller can do with resource groups."""

    def __init__(self, store: Store, clock: Clock, wake_engine: Callable[[], None]) -> None:
        self._store = store
        self._clock = clock
        self._wake_engine = wake_engine

    async def list_subscriptions(self, who: Principal, page: Page[str]) -> Sequence[str]:
        """Return a page of the subscriptions that are in use, or the one of the caller's scope."""
        only = who.scope.subscription
        if only is not None:
            return _one_row(only, page)
        return await self._store.browse(
            lambda reading: reading.subscriptions(
                after=page.after or "", skip=page.skip, limit=page.limit
            )
        )

    async def list_groups(
        self, who: Principal, subscription: str, page: Page[str]
    ) -> Sequence[ResourceGroup]:
        """Return a page of the groups of a subscription, within scope."""
        check_sight_of_group(who, subscription)
        only = who.scope.group
        if only is not None:
            found = await self._store.read(lambda it: visible_group(it, who, subscription, only))
            return [] if found is None else _one_row(found, page)
        return await self._store.browse(
            lambda reading: reading.resource_groups(
                subscription, after=page.after or "", skip=page.skip, limit=page.limit
            )
        )

    async def get_group(self, who: Principal, subscription: str, name: str) -> ResourceGroup:
        """Return a group."""
        check_sight_of_group(who, subscription, name)
        found = await self._store.read(lambda it: visible_group(it, who, subscription, name))
        if found is None:
            raise GroupNotFound(name)
        return found

    async def save_group(
        self, who: Principal, subscription: str, name: str, revise: ReviseGroup, *, must_exist: bool
    ) -> tuple[ResourceGroup, bool]:
        """Create or change a group; return it, and whether it is new."""
        check_may_change_group(who, subscription, name)

        def change(transaction: Transaction) -> tuple[ResourceGroup, bool]:
            old = transaction.resource_group(subscription, name)
            if old is None and must_exist:
                raise GroupNotFound(name)
            new = _renamed(revise(old), old)
            if old is None or not old.is_stored:
                check_group_count(transaction.count_resource_groups(subscription))
            check_saved_group(new, old)
            transaction.save_resource_group(new)
            if new != old:
                made = who.changing_at(self._clock.now())
                transaction.add_audit_entries(group_entry(made, old, new))
            return new, old is None

        saved, is_new = await self._store.write(change)
        event = "Resource group created" if is_new else "Resource group updated"
        log_change(event, resource_group=_text(saved))
        return saved, is_new

    async def delete_group(self, who: Principal, subscription: str, name: str) -> None:
        """Remove a group with all that is in it, at once."""
        check_may_change_group(who, subscription, name)

        def change(transaction: Transaction) -> tuple[ResourceGroup, int]:
            found = transaction.resource_group(subscription, name)
            if found is None:
                raise GroupNotFound(name)
            jobs = transaction.count_jobs_of_group(subscription, name)
            check_deleted_jobs(found.name, jobs)
            _record_deletion(transaction, found, jobs, who.changing_at(self._clock.now()))
            return found, _delete_all(transaction, found)

        deleted, count = await write_and_wake(self._store, change, self._wake_engine)
        log_change("Resource group deleted", resource_group=_text(deleted), collections=count)


def _renamed(new: ResourceGroup, old: ResourceGroup | None) -> ResourceGroup:
    """Return a group that is to be stored under the name by which it is known."""
    known = old or new
    return structs.replace(new, subscription=known.subscription, name=known.name, is_stored=True)


def _delete_all(transaction: Transaction, group: ResourceGroup) -> int:
    """Remove a group and everything that belongs to it; return how many collections it had."""
    count = transaction.delete_collections(group.subscription, group.name)
    transaction.delete_deployments(group.subscription, group.name)
    transaction.delete_resource_group(group.subscription, group.name)
    return count


def _record_deletion(
    transaction: Transaction, group: ResourceGroup, jobs: int, change: Change
) -> None:
    """Tell in the audit log who deleted a group, and each collection of it."""
    listed = transaction.collections(group.subscription, group.name, limit=_ALL)
    details = AuditDetails(
        collections=len(listed), jobs=jobs, names=first_names(each.key.name for each in listed)
    )
    transaction.add_audit_entries(
        group_entry(change, group, None, details),
        *(collection_entry(change, each, None) for each in listed[:MAX_NAMES]),
    )


def visible_group(
    reading: Reading, who: Principal, subscription: str, name: str
) -> ResourceGroup | None:
    """Return what a caller sees of a group.

    To a caller whose scope is one collection its group always exists, and tells of this collection
    alone: it must not learn whether there are others, and may create its own.
    """
    if sees_all_of_group(who):
        return reading.resource_group(subscription, name)
    assert who.scope.collection is not None  # noqa: S101  (the caller sees this one alone)
    own = reading.collection(CollectionKey(subscription, name, who.scope.collection))
    if own is None:
        return ResourceGroup(subscription=subscription, name=name, is_stored=False)
    return group_of(own)


def _one_row(only: Row, page: Page[str]) -> Sequence[Row]:
    """Return a page of a listing that has one row."""
    return [] if page.skip or page.after else [only]


def _text(group: ResourceGroup) -> str:
    return f"{group.subscription}/{group.name}"
