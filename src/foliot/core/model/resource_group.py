"""Resource groups: they hold collections, and have a location and tags of their own."""

from msgspec import Struct

from foliot.core.model.collection import Collection


class ResourceGroup(Struct, frozen=True, kw_only=True):
    """A group of collections.

    A group that is not stored exists because it has collections: it has no tags, and the location
    of the first of them.
    """

    subscription: str
    name: str
    location: str | None = None
    tags: dict[str, str] | None = None
    is_stored: bool = True


def group_of(collection: Collection) -> ResourceGroup:
    """Return the group that exists because of a collection."""
    key = collection.key
    return ResourceGroup(
        subscription=key.subscription,
        name=key.group,
        location=collection.location,
        is_stored=False,
    )
