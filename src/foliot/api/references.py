"""The resources that a template refers to, for the thread that evaluates it.

The thread waits while the event loop asks the store. Outputs may refer to what the deployment is
about to save: a trial of the deployment says how it will be.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import TimeoutError as TookTooLong
from typing import Any, TypeVar

from foliot.api.wire.clients import ANY_CLIENT
from foliot.api.wire.collection import collection_id, encode_collection
from foliot.api.wire.job import encode_job
from foliot.api.wire.template_parts import parse_resource_id
from foliot.app.jobs import SavedJob
from foliot.app.template_changes import SavedTemplate
from foliot.app.use_cases import UseCases
from foliot.core.access import Principal
from foliot.core.credentials import masked_job
from foliot.core.errors import CollectionNotFound, Invalid, JobNotFound, Unavailable
from foliot.core.json_text import Json
from foliot.core.model.collection import Collection
from foliot.templates import FindResource

_SECONDS = 30
# As many as a template can have resources.
MAX_REFERENCES = 800

Found = TypeVar("Found")
Resource = Mapping[str, Json]


class TemplateReferences:
    """Finds resources for a thread; made on the event loop that asks the store."""

    def __init__(self, use_cases: UseCases, who: Principal) -> None:
        self._use_cases = use_cases
        self._who = who
        self._loop = asyncio.get_running_loop()
        self._known: dict[tuple[str, bool], Resource | None] = {}

    def stored(self, identity: str) -> Resource | None:
        """Return a resource that is stored, or None."""
        return self._found(identity, is_masked=False)

    def deployed(self, trial: Callable[[], Awaitable[SavedTemplate]]) -> FindResource:
        """Return a function that finds a resource after the deployment.

        It is masked: whoever may read the deployment sees its outputs.
        """
        new: dict[str, Resource] = {}

        def find(identity: str) -> Resource | None:
            if not new:
                new.update(_resources(self._wait(_awaited(trial()))))
            found = new.get(identity.rstrip("/").lower())
            return self._found(identity, is_masked=True) if found is None else found

        return find

    def _found(self, identity: str, *, is_masked: bool) -> Resource | None:
        """Ask the store once for each resource, and for no more than a template should need."""
        key = identity.rstrip("/").lower(), is_masked
        if key not in self._known:
            if len(self._known) >= MAX_REFERENCES:
                problem = f"the template refers to more than {MAX_REFERENCES} stored resources."
                raise Invalid((), problem)
            self._known[key] = self._wait(self._find(identity, is_masked=is_masked))
        return self._known[key]

    async def _find(self, identity: str, *, is_masked: bool) -> Resource | None:
        named = parse_resource_id(identity)
        if named is None:
            return None
        key, job = named
        try:
            if job is None:
                found = await self._use_cases.collections.get_collection(self._who, key)
                return _collection(found)
            saved = await self._use_cases.jobs.get_job(self._who, key, job)
        except (CollectionNotFound, JobNotFound):
            return None
        return _job(saved, is_masked=is_masked)

    def _wait(self, work: Coroutine[Any, Any, Found]) -> Found:
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result(_SECONDS)
        except TookTooLong:
            raise Unavailable("The store does not answer.") from None


async def _awaited(work: Awaitable[Found]) -> Found:
    return await work


def _resources(saved: SavedTemplate) -> Mapping[str, Resource]:
    """Return all resources of a deployment by their ids in lower case."""
    collections = {collection_id(each.key).lower(): _collection(each) for each in saved.collections}
    jobs = {
        f"{collection_id(each.collection.key)}/jobs/{each.job.name}".lower(): _job(
            each, is_masked=True
        )
        for each in saved.jobs
    }
    return {**collections, **jobs}


def _collection(collection: Collection) -> Resource:
    return _body(encode_collection(collection, knows_premium_tiers=True))


def _job(saved: SavedJob, *, is_masked: bool) -> Resource:
    job = masked_job(saved.job) if is_masked else saved.job
    return _body(encode_job(saved.collection, job, ANY_CLIENT))


def _body(resource: Resource) -> Resource:
    """Leave out what the id says already."""
    return {name: each for name, each in resource.items() if name not in ("id", "name", "type")}
