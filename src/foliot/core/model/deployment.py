"""Deployments of templates: what each one saved and deleted, and the values that it returned."""

from enum import StrEnum
from typing import Any

from msgspec import Struct

from foliot.core.instant import Instant


class DeploymentMode(StrEnum):
    """Whether a deployment also deletes the collections of its group that its template lacks."""

    INCREMENTAL = "Incremental"
    COMPLETE = "Complete"


class DeploymentKey(Struct, frozen=True):
    """The key of a deployment: subscription, resource group, name."""

    subscription: str
    group: str
    name: str

    @property
    def folded(self) -> tuple[str, str, str]:
        """The parts in lower case, as they are compared."""
        return self.subscription.lower(), self.group.lower(), self.name.lower()


class DeployedResource(Struct, frozen=True):
    """A collection that a deployment saved, or a job of a collection."""

    collection: str
    job: str | None = None


class Deployment(Struct, frozen=True, kw_only=True):
    """The record of a deployment.

    `parameters` and `outputs` are as clients see them: without the values of secrets.
    `deleted` names the collections that were deleted. `duration` is in ticks. `made_within` is the
    collection to which the token of its maker was limited.
    """

    key: DeploymentKey
    deployed_at: Instant
    duration: int = 0
    correlation_id: str
    template_hash: str
    mode: DeploymentMode = DeploymentMode.INCREMENTAL
    tags: dict[str, str] | None = None
    parameters: dict[str, Any]
    outputs: dict[str, Any]
    resources: tuple[DeployedResource, ...] = ()
    deleted: tuple[str, ...] = ()
    made_within: str | None = None
