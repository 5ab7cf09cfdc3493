"""What an import makes of its files: collections with jobs, and what could not be taken over."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.json_text import Json


class ImportOptions(Struct, frozen=True, kw_only=True):
    """What the caller says about the import: where the jobs go, their zone, the present time.

    Without a `collection` the source names the collections.
    """

    now: Instant
    subscription: str = "me"
    group: str = "home"
    collection: str | None = None
    zone: str | None = None
    keeps_secrets: bool = False


class SourceText(Struct, frozen=True):
    """The content of a file, with its name."""

    name: str
    content: bytes


class NeededValue(Struct, frozen=True):
    """A placeholder in a job, and what its value was in the source."""

    placeholder: str
    meaning: str


class ImportedJob(Struct, frozen=True, kw_only=True):
    """A job, where it comes from, and what is different from the source."""

    origin: str
    name: str
    properties: dict[str, Json]
    notes: tuple[str, ...] = ()
    needed: tuple[NeededValue, ...] = ()


class ImportedCollection(Struct, frozen=True, kw_only=True):
    """A collection with its jobs; `attributes` are those of the collection beside its key."""

    key: CollectionKey
    attributes: Mapping[str, Json]
    jobs: tuple[ImportedJob, ...]


class LeftOut(Struct, frozen=True):
    """An entry of the source that becomes no job, and why."""

    origin: str
    reason: str


class ImportResult(Struct, frozen=True, kw_only=True):
    """Everything that an import has found."""

    collections: tuple[ImportedCollection, ...]
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()


class DraftJob(Struct, frozen=True, kw_only=True):
    """A job before its name and its placeholders are decided.

    Its properties may hold a `HiddenText` wherever they may hold a text. `collection` is the one
    that the source puts the job into, if the source has such a thing. `is_named` says that the name
    is of the source, and not made up.
    """

    origin: str
    wished_name: str
    properties: dict[str, Any]
    notes: tuple[str, ...] = ()
    collection: str | None = None
    is_named: bool = True
