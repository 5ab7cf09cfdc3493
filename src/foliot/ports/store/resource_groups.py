"""Resource groups and subscriptions: those that have collections, and groups that are stored."""

from collections.abc import Sequence
from typing import Protocol

from foliot.core.model.resource_group import ResourceGroup


class ResourceGroupReading(Protocol):
    """Finds resource groups: those that are stored, and those that have collections."""

    def resource_group(self, subscription: str, name: str) -> ResourceGroup | None:
        """Return a group; in a transaction nobody else changes the groups of its subscription."""
        ...

    def resource_groups(
        self, subscription: str, *, after: str = "", skip: int = 0, limit: int = 100
    ) -> Sequence[ResourceGroup]:
        """Return the groups of a subscription, by folded name."""
        ...

    def count_resource_groups(self, subscription: str) -> int:
        """Return how many groups of a subscription are stored."""
        ...

    def count_jobs_of_group(self, subscription: str, name: str) -> int:
        """Return how many jobs the collections of a group have."""
        ...

    def subscriptions(self, *, after: str = "", skip: int = 0, limit: int = 100) -> Sequence[str]:
        """Return the folded names of subscriptions that have groups or collections, sorted."""
        ...


class ResourceGroupChanges(Protocol):
    """Changes resource groups."""

    def save_resource_group(self, group: ResourceGroup) -> None:
        """Store a group; one that is stored already keeps its name."""
        ...

    def delete_resource_group(self, subscription: str, name: str) -> None:
        """Remove the stored group; its collections stay."""
        ...
