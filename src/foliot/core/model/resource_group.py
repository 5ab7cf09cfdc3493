"""Resource groups: they hold collections, and have a location and tags of their own."""

from msgspec import Struct


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
