"""Find what a caller names; what lies outside its scope does not exist for it."""

from foliot.core.access import Principal, check_sight, require, sees_all_of_group, sees_group
from foliot.core.errors import (
    AlertNotFound,
    CalendarNotFound,
    CollectionNotFound,
    Conflict,
    Forbidden,
    GroupNotFound,
    JobNotFound,
    SubscriptionNotFound,
)
from foliot.core.ids import CollectionKey
from foliot.core.model.alert import Alert
from foliot.core.model.calendar import Calendar
from foliot.core.model.collection import Collection, CollectionState
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


def check_enabled(collection: Collection, verb: str) -> None:
    """Refuse to do something with a job whose collection is not enabled."""
    if collection.state is not CollectionState.ENABLED:
        name, state = collection.key.name, collection.state
        raise Conflict(f"The collection '{name}' is {state}; enable it to {verb} a job.")


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


def find_calendar(
    reading: Reading, who: Principal, key: CollectionKey, name: str
) -> tuple[Collection, Calendar]:
    """Return a calendar and its collection."""
    collection = find_collection(reading, who, key)
    calendar = reading.calendar(collection.id, name)
    if calendar is None:
        raise CalendarNotFound(name)
    return collection, calendar


def find_alert(
    reading: Reading, who: Principal, key: CollectionKey, name: str
) -> tuple[Collection, Alert]:
    """Return an alert and its collection."""
    collection = find_collection(reading, who, key)
    alert = reading.alert(collection.id, name)
    if alert is None:
        raise AlertNotFound(name)
    return collection, alert
