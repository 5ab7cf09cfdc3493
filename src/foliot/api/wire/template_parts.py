"""The resources of a template: collections and jobs to be saved.

Each is decoded as the body of a PUT is. A refusal names the path of the resource in the request.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from foliot.api.wire.collection import (
    COLLECTION_TYPE,
    decode_collection,
    tells_premium_plans_apart,
)
from foliot.api.wire.job import Address, Submission, decode_job, replace_job
from foliot.api.wire.pfx.certificate import Certificates, open_certificates
from foliot.app.template_changes import WantedCollection, WantedJob
from foliot.core.errors import Invalid, Path, within
from foliot.core.ids import CollectionKey
from foliot.core.limits import Limits
from foliot.core.model.collection import Collection
from foliot.core.model.deployment import DeploymentKey
from foliot.core.rules.shown_values import secrets_in
from foliot.templates import TemplateResource

# Each takes up to 3 seconds to open.
MAX_CERTIFICATES = 50
TEMPLATE: Path = ("properties", "template")

_ID = re.compile(
    r"/subscriptions/([^/]+)/resourceGroups/([^/]+)"
    r"/providers/Microsoft\.Scheduler/jobCollections/([^/]+)(?:/jobs/([^/]+))?/?",
    re.IGNORECASE,
)


class TemplateParts(Struct, frozen=True):
    """The collections and jobs of a template, and the secrets in its jobs."""

    collections: Sequence[WantedCollection]
    jobs: Sequence[WantedJob]
    secrets: frozenset[str]


class _Placed(Struct, frozen=True):
    """A resource of a template, with the name of its collection and of its job."""

    path: Path
    resource: TemplateResource
    key: CollectionKey
    job: str | None


async def open_template_certificates(resources: Iterable[TemplateResource]) -> Certificates:
    """Open the certificates of all jobs, each once."""
    opened: Certificates = {}
    for each in resources:
        with within(*TEMPLATE, *each.path):
            opened = {**opened, **await open_certificates(each.body, opened)}
            if len(opened) > MAX_CERTIFICATES:
                problem = f"has one certificate more than the {MAX_CERTIFICATES} that are allowed."
                raise Invalid((), problem)
    return opened


def decode_parts(
    resources: Iterable[TemplateResource], limits: Limits, certificates: Certificates
) -> TemplateParts:
    """Read all resources: collections and jobs."""
    placed = [_placed(each) for each in resources]
    submissions = [
        (each, _decode_job(each, limits, certificates)) for each in placed if each.job is not None
    ]
    return TemplateParts(
        [_wanted_collection(each) for each in placed if each.job is None],
        [_wanted_job(each, submission) for each, submission in submissions],
        frozenset(secret for _, each in submissions for secret in secrets_in(each.definition)),
    )


def left_out_collections(
    deployment: DeploymentKey, left_out: Iterable[tuple[str, str]]
) -> list[CollectionKey]:
    """Return the collections that a template names and does not deploy: a condition is false."""
    return [
        CollectionKey(deployment.subscription, deployment.group, name)
        for kind, name in left_out
        if kind.lower() == COLLECTION_TYPE.lower()
    ]


def parse_resource_id(text: str) -> tuple[CollectionKey, str | None] | None:
    """Return the collection, and the job if it is one, that an id names."""
    match = _ID.fullmatch(text)
    if match is None:
        return None
    subscription, group, collection, job = match.groups()
    return CollectionKey(subscription, group, collection), job


def _placed(resource: TemplateResource) -> _Placed:
    """Find out what a resource is; the evaluation has checked its type and its name."""
    path = (*TEMPLATE, *resource.path)
    collection, _, job = resource.name.partition("/")
    key = CollectionKey(resource.subscription, resource.group, collection)
    return _Placed(path, resource, key, job or None)


def _wanted_collection(placed: _Placed) -> WantedCollection:
    resource = placed.resource
    # A group without a location gives its collections an empty one, which later could not change.
    body = {name: each for name, each in resource.body.items() if (name, each) != ("location", "")}
    with within(*placed.path):
        wanted = decode_collection(
            body,
            placed.key,
            knows_premium_tiers=tells_premium_plans_apart(resource.api_version),
        )

    def revise(_: Collection | None) -> Collection:
        return wanted

    return WantedCollection(placed.path, placed.key, revise)


def _decode_job(placed: _Placed, limits: Limits, certificates: Certificates) -> Submission:
    # A job is where its collection is: old samples repeat the location.
    body = {name: each for name, each in placed.resource.body.items() if name != "location"}
    with within(*placed.path):
        return decode_job(body, Address(placed.key, placed.job), limits, certificates)


def _wanted_job(placed: _Placed, submission: Submission) -> WantedJob:
    return WantedJob(
        placed.path, placed.key, placed.job or "", lambda old: replace_job(old, submission)
    )
