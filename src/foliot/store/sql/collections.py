"""Collections: the port's readings and changes, as named statements."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from foliot.core.errors import Conflict
from foliot.core.ids import CollectionId, CollectionKey
from foliot.core.model.collection import Collection, CollectionState, Sku
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.rows import collection_of, row_of_collection, shared_collection_of

_BEFORE_THE_FIRST: Final = ("", "")


class SqlCollectionReading(SqlAccess):
    """Satisfies `ports.store.collections.CollectionReading`."""

    def collection(self, key: CollectionKey) -> Collection | None:
        """Return a collection."""
        folded = key.folded
        self._dialect.lock("collection", folded)
        subscription, group, name = folded
        what = {"subscription": subscription, "group": group, "name": name}
        row = self._row("collection", what)
        return None if row is None else shared_collection_of(row)

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
        after_group, after_name = after or _BEFORE_THE_FIRST
        page = {
            "subscription": subscription.lower(),
            "group": None if group is None else group.lower(),
            "after_group": after_group.lower(),
            "after_name": after_name.lower(),
            "skip": skip,
            "limit": limit,
        }
        statement = "collections" if group is None else "collections_in_group"
        return [collection_of(row) for row in self._run(statement, page)]

    def count_collections(self, subscription: str, sku: Sku) -> int:
        """Return how many collections of a subscription have a plan."""
        folded = subscription.lower()
        self._dialect.lock("subscription", (folded,))
        what = {"subscription": folded, "sku": sku.value}
        return self._number("count_collections", what)


class SqlCollectionChanges(SqlAccess):
    """Satisfies `ports.store.collections.CollectionChanges`."""

    def add_collection(self, collection: Collection) -> Collection:
        """Store a new collection and return it with its id."""
        taken = f"The job collection '{collection.key.name}' exists already."
        row = row_of_collection(collection)
        number = self._dialect.insert("add_collection", row, taken=taken)
        return replace(collection, id=CollectionId(number))

    def save_collection(self, collection: Collection) -> None:
        """Store a changed collection, and halt its jobs while it is not enabled."""
        self._dialect.lock("collection_by_id", (collection.id,))
        former = self._row("collection_state", {"id": collection.id})
        if former is None:
            raise Conflict(f"The job collection '{collection.key.name}' no longer exists.")
        self._change("save_collection", row_of_collection(collection))
        is_halted = collection.state is not CollectionState.ENABLED
        if is_halted is not (former[0] != CollectionState.ENABLED):
            self._dialect.lock("jobs", (collection.id,))
            what = {"collection_id": collection.id, "is_halted": is_halted}
            at = {"collection_id": collection.id, "at": collection.changed_at or 0}
            self._change("note_halt" if is_halted else "note_resumption", at)
            self._change("halt_jobs", what)

    def delete_collection(self, collection_id: CollectionId) -> None:
        """Remove a collection, and hide its jobs with their history."""
        self._dialect.lock("collection_by_id", (collection_id,))
        self._dialect.lock("jobs", (collection_id,))
        what = {"collection_id": collection_id}
        self._change("add_hidden_collection")
        self._change("drop_all_runs", what)
        self._change("drop_definitions", what)
        self._change("hide_jobs", what)
        self._change("delete_collection", {"id": collection_id})

    def delete_collections(self, subscription: str, group: str) -> int:
        """Remove all collections of a group, and hide their jobs with their history."""
        key = subscription.lower(), group.lower()
        self._dialect.lock("collections_of_group", key)
        self._dialect.lock("jobs_of_group", key)
        what = {"subscription": key[0], "group": key[1]}
        self._change("add_hidden_collection")
        self._change("drop_runs_of_group", what)
        self._change("drop_definitions_of_group", what)
        self._change("hide_jobs_of_group", what)
        return self._change("delete_collections_of_group", what)
