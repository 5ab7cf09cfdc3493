"""Records of template deployments, by key."""

from collections.abc import Sequence
from typing import Protocol

from foliot.core.model.deployment import Deployment, DeploymentKey


class DeploymentReading(Protocol):
    """Finds deployments; Conflict or Unavailable if a record cannot be opened."""

    def deployment(self, key: DeploymentKey) -> Deployment | None:
        """Return a deployment."""
        ...

    def deployments(
        self,
        subscription: str,
        group: str,
        *,
        after: str | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[Deployment]:
        """Return the deployments of a group by folded name."""
        ...

    def count_deployments(self, subscription: str, group: str) -> int:
        """Return how many deployments a group has."""
        ...


class DeploymentChanges(Protocol):
    """Changes the records of deployments, and nothing of what they deployed."""

    def save_deployment(self, deployment: Deployment, *, kept: int | None) -> bool:
        """Store a deployment in place of an older one of its key; tell whether there was none.

        Of the deployments of its group the oldest are removed, so that at most `kept` remain;
        with None, none is removed.
        """
        ...

    def delete_deployment(self, key: DeploymentKey) -> bool:
        """Remove a deployment; tell whether it existed."""
        ...

    def delete_deployments(self, subscription: str, group: str) -> None:
        """Remove all deployments of a group."""
        ...
