"""Find what a caller names; what lies outside its scope does not exist for it."""

from foliot.core.access import Principal, check_sight, require, sees_all_of_group, sees_group
from foliot.core.errors import (
    CollectionNotFound,
    Forbidden,
    GroupNotFound,
    JobNotFound,
    SubscriptionNotFound,
)
from foliot.core.ids import CollectionKey
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job
from foliot.core.model.token import Role
from foliot.ports.store import Reading


def check_sight_of_group(who: Principal, subscription: str, group: str | None = None) -> None:
    """Refuse a subscription, or a group of it, in which the caller may see nothing."""
    if not sees_group(who, subscription):
        raise SubscriptionNotFound(subscription)
    if group is not None and not sees_group(who, subscription, group):
        raise GroupNotFound(group)


def check_may_change_group(who: Principal, subscription: str, group: str) -> None:
    """Refuse a caller that may not change this group, or that does not see all of it."""
    check_sight_of_group(who, subscription, group)
    require(who, Role.CONTRIBUTOR)
    if not sees_all_of_group(who):
        raise Forbidden(
            f"This is about all of the resource group '{group}'; "
            "it needs a token whose scope is not one collection."
        )


def check_may_change(who: Principal, key: CollectionKey) -> None:
    """Refuse a caller that may not change this collection; one outside its scope is not found."""
    check_sight(who, key)
    require(who, Role.CONTRIBUTOR)


def find_collection(reading: Reading, who: Principal, key: CollectionKey) -> Collection:
    """Return a collection."""
    check_sight(who, key)
    found = reading.collection(key)
    if found is None:
        raise CollectionNotFound(key.name, key.group)
    return found


def locate_job(
    reading: Reading, who: Principal, key: CollectionKey, name: str
) -> tuple[Collection, Job | None]:
    """Return a collection and, if it exists, its job of this name."""
    check_sight(who, key)
    found = reading.located_job(key, name)
    if found is None:
        raise CollectionNotFound(key.name, key.group)
    return found


def find_job(
    reading: Reading, who: Principal, key: CollectionKey, name: str
) -> tuple[Collection, Job]:
    """Return a job and its collection."""
    collection, job = locate_job(reading, who, key, name)
    if job is None:
        raise JobNotFound(name)
    return collection, job
