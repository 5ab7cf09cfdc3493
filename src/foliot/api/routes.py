"""The table of routes: which handler answers which address and method, and for whom."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from foliot.api import collections, jobs
from foliot.api.call import ApiResponse, Call
from foliot.app.service import Service
from foliot.core.model.token import Role

Handler = Callable[[Service, Call], Awaitable[ApiResponse]]


class Operation(NamedTuple):
    """What a call does and what it takes to make it: known before a byte of its body is read."""

    handler: Handler
    role: Role = Role.READER
    needs_collection: bool = False


_SUBSCRIPTION = "/subscriptions/{subscription}"
_PROVIDER = f"{_SUBSCRIPTION}/providers/Microsoft.Scheduler"
_GROUP = f"{_SUBSCRIPTION}/resourceGroups/{{group}}"
_COLLECTIONS = f"{_GROUP}/providers/Microsoft.Scheduler/jobCollections"
_COLLECTION = f"{_COLLECTIONS}/{{collection}}"
_JOBS = f"{_COLLECTION}/jobs"
_JOB = f"{_JOBS}/{{job}}"

ROUTES: dict[str, dict[str, Operation]] = {
    _JOB: {
        "GET": Operation(jobs.get),
        "PUT": Operation(jobs.put, Role.CONTRIBUTOR, needs_collection=True),
        "PATCH": Operation(jobs.patch, Role.CONTRIBUTOR, needs_collection=True),
        "DELETE": Operation(jobs.delete, Role.CONTRIBUTOR),
    },
    f"{_JOB}/run": {"POST": Operation(jobs.run, Role.CONTRIBUTOR)},
    f"{_JOB}/history": {"GET": Operation(jobs.list_history)},
    _JOBS: {
        "GET": Operation(jobs.list_jobs),
        "POST": Operation(jobs.create, Role.CONTRIBUTOR, needs_collection=True),
    },
    _COLLECTION: {
        "GET": Operation(collections.get),
        "PUT": Operation(collections.put, Role.CONTRIBUTOR),
        "PATCH": Operation(collections.patch, Role.CONTRIBUTOR, needs_collection=True),
        "DELETE": Operation(collections.delete, Role.CONTRIBUTOR),
    },
    f"{_COLLECTION}/enable": {"POST": Operation(collections.enable, Role.CONTRIBUTOR)},
    f"{_COLLECTION}/disable": {"POST": Operation(collections.disable, Role.CONTRIBUTOR)},
    _COLLECTIONS: {"GET": Operation(collections.list_collections)},
    f"{_PROVIDER}/jobCollections": {"GET": Operation(collections.list_collections)},
}

# Old clients make these calls first, with whichever version of the API they know.
ROUTES_OF_ANY_VERSION: dict[str, dict[str, Operation]] = {
    _PROVIDER: {"GET": Operation(collections.provider)},
    f"{_PROVIDER}/register": {"POST": Operation(collections.provider)},
    _GROUP: {"HEAD": Operation(collections.group_exists)},
}
