"""Resource groups: the port's readings and changes, as named statements."""

from collections.abc import Sequence

from foliot.core.model.resource_group import ResourceGroup, group_of
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.rows import collection_of, resource_group_of, row_of_resource_group


class SqlResourceGroupReading(SqlAccess):
    """Satisfies `ports.store.resource_groups.ResourceGroupReading`."""

    def resource_group(self, subscription: str, name: str) -> ResourceGroup | None:
        """Return a group that is stored, or that has collections."""
        folded = {"subscription": subscription.lower(), "name": name.lower()}
        self._dialect.lock("resource_groups", (folded["subscription"],))
        row = self._row("resource_group", folded)
        if row is not None:
            return resource_group_of(row)
        return self._group_of_collections(**folded)

    def resource_groups(
        self, subscription: str, *, after: str = "", skip: int = 0, limit: int = 100
    ) -> Sequence[ResourceGroup]:
        """Return the groups of a subscription, by folded name."""
        page = {
            "subscription": subscription.lower(),
            "after": after.lower(),
            "skip": skip,
            "limit": limit,
        }
        return [resource_group_of(row) for row in self._run("resource_groups", page)]

    def count_resource_groups(self, subscription: str) -> int:
        """Return how many groups of a subscription are stored."""
        return self._number("count_resource_groups", {"subscription": subscription.lower()})

    def count_jobs_of_group(self, subscription: str, name: str) -> int:
        """Return how many jobs the collections of a group have."""
        what = {"subscription": subscription.lower(), "group": name.lower()}
        return self._number("count_jobs_of_group", what)

    def subscriptions(self, *, after: str = "", skip: int = 0, limit: int = 100) -> Sequence[str]:
        """Return the folded names of subscriptions that have groups or collections, sorted."""
        page = {"after": after.lower(), "skip": skip, "limit": limit}
        return [name for (name,) in self._run("subscriptions", page)]

    def _group_of_collections(self, *, subscription: str, name: str) -> ResourceGroup | None:
        page = {
            "subscription": subscription,
            "group": name,
            "after_group": "",
            "after_name": "",
            "skip": 0,
            "limit": 1,
        }
        row = self._row("collections_in_group", page)
        return None if row is None else group_of(collection_of(row))


class SqlResourceGroupChanges(SqlAccess):
    """Satisfies `ports.store.resource_groups.ResourceGroupChanges`."""

    def save_resource_group(self, group: ResourceGroup) -> None:
        """Store a group."""
        self._change("save_resource_group", row_of_resource_group(group))

    def delete_resource_group(self, subscription: str, name: str) -> None:
        """Remove the stored group."""
        what = {"subscription": subscription.lower(), "name": name.lower()}
        self._change("delete_resource_group", what)
