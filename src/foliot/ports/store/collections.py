"""Collections by key, their plans and states."""

from collections.abc import Sequence
from typing import Protocol

from foliot.core.ids import CollectionId, CollectionKey
from foliot.core.model.collection import Collection, Sku


class CollectionReading(Protocol):
    """Finds collections."""

    def collection(self, key: CollectionKey) -> Collection | None:
        """Return a collection."""
        ...

    def collections(
        self,
        subscription: str,
        group: str | None = None,
        *,
        after: tuple[str, str] | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[Collection]:
        """Return collections by folded group and name."""
        ...

    def count_collections(self, subscription: str, sku: Sku) -> int:
        """Return how many collections of a subscription have a plan.

        In a transaction nobody else adds one until it ends.
        """
        ...


class CollectionChanges(Protocol):
    """Changes collections."""

    def add_collection(self, collection: Collection) -> Collection:
        """Store a new collection and return it with its id; Conflict if its key is taken."""
        ...

    def save_collection(self, collection: Collection) -> None:
        """Store a changed collection; Conflict if it no longer exists."""
        ...

    def delete_collection(self, collection_id: CollectionId) -> None:
        """Remove a collection with its jobs and their runs.

        Their history is hidden and left to `purge_job`: there may be very much of it.
        """
        ...

    def delete_collections(self, subscription: str, group: str) -> int:
        """Remove all collections of a group in the same way, and return how many there were."""
        ...
