"""Finds what a caller names; what lies outside its scope is not there for it."""

from foliot.core.access import Principal, check_sight
from foliot.core.errors import CollectionNotFound, JobNotFound
from foliot.core.ids import CollectionKey
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job
from foliot.ports.store import Reading


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
    """Return a collection and, if it is there, its job of this name."""
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
