"""Collections: their plan, state and quota."""

from enum import StrEnum

from msgspec import Struct

from foliot.core.ids import CollectionId, CollectionKey
from foliot.core.instant import Instant
from foliot.core.recurrence import Frequency


class Sku(StrEnum):
    """The plan of a collection."""

    FREE = "Free"
    STANDARD = "Standard"
    P10_PREMIUM = "P10Premium"
    P20_PREMIUM = "P20Premium"


class CollectionState(StrEnum):
    """Whether the jobs of a collection run: only those of an enabled one do."""

    ENABLED = "Enabled"
    DISABLED = "Disabled"
    SUSPENDED = "Suspended"


class MaxRecurrence(Struct, frozen=True):
    """The fastest recurrence a quota allows."""

    frequency: Frequency
    interval: int | None = None


class Quota(Struct, frozen=True, kw_only=True):
    """Limits of one collection, below those of its plan."""

    max_job_count: int | None = None
    max_job_occurrence: int | None = None
    max_recurrence: MaxRecurrence | None = None


class Collection(Struct, frozen=True, kw_only=True):
    """Jobs that share a plan, a quota and a state. An id of 0 is not stored yet.

    `changed_by` is the name of the caller who last changed the collection itself. What an earlier
    version of Foliot stored has no time and no caller.
    """

    id: CollectionId = CollectionId(0)
    key: CollectionKey
    location: str | None = None
    tags: dict[str, str] | None = None
    sku: Sku = Sku.STANDARD
    state: CollectionState = CollectionState.ENABLED
    quota: Quota | None = None
    created_at: Instant | None = None
    changed_at: Instant | None = None
    changed_by: str | None = None
