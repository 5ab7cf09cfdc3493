"""Job collections, as resources."""

from typing import Any

from foliot.api.wire.clients import ANY_CLIENT
from foliot.api.wire.envelope import (
    IDENTITY,
    LOCATION,
    TAGS,
    check_identity,
    inner_properties,
    read_resource,
)
from foliot.api.wire.field_types import INTEGER, described, word
from foliot.api.wire.fields import WireField, WireObject, read_field
from foliot.api.wire.json_reader import Properties, optional_object, read_word, required
from foliot.api.wire.merge import merge
from foliot.api.wire.regions import display_name
from foliot.api.wire.schedule import FREQUENCY
from foliot.core.errors import within
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json
from foliot.core.model.collection import Collection, CollectionState, MaxRecurrence, Quota, Sku
from foliot.core.recurrence import Frequency
from foliot.core.rules.quota import check_quota, check_recurrence

_STATES = {state.lower(): state for state in CollectionState}
_SKUS = {sku.lower(): sku for sku in Sku}
_PREMIUM = (Sku.P10_PREMIUM, Sku.P20_PREMIUM)
COLLECTION_TYPE = "Microsoft.Scheduler/jobCollections"
# The versions of the API that know one premium plan.
OLD_VERSIONS = ("2016-01-01", "2014-08-01-preview")
_OLD_PREMIUM = "Premium"


# One client sends 0 for a limit that is not given.
_ZERO_IS_ABSENT = described(INTEGER, description="0 is the same as absent")


def _max_recurrence(frequency: Frequency, interval: int | None) -> MaxRecurrence:
    slowest = MaxRecurrence(frequency, interval or None)
    check_recurrence(slowest)
    return slowest


def _quota(max_job_count: int | None, **others: Any) -> Quota:
    return Quota(max_job_count=max_job_count or None, **others)


_MAX_RECURRENCE = WireObject(
    _max_recurrence,
    WireField("frequency", "frequency", FREQUENCY, "Fastest recurrence", required=True),
    WireField("interval", "interval", _ZERO_IS_ABSENT, "Once every"),
)
_QUOTA = WireObject(
    _quota,
    WireField("maxJobCount", "max_job_count", _ZERO_IS_ABSENT, "Most jobs"),
    WireField(
        "maxJobOccurrence",
        "max_job_occurrence",
        described(INTEGER, minimum=1),
        "Most runs of a job",
    ),
    WireField("maxRecurrence", "max_recurrence", _MAX_RECURRENCE.type()),
)
_SKU_NAME = described(word(_SKUS), enum=[*(sku.value for sku in Sku), _OLD_PREMIUM])
_SKU = WireObject(Sku, WireField("name", "", _SKU_NAME, "Plan", required=True))
_PROPERTIES = WireObject(
    Collection,
    WireField("sku", "", _SKU.type()),
    WireField("state", "state", word(_STATES), "State"),
    WireField("quota", "quota", _QUOTA.type()),
)
COLLECTION = WireObject(
    Collection,
    *IDENTITY,
    LOCATION,
    TAGS,
    WireField("properties", "", _PROPERTIES.type()),
    component="Collection",
)


def tells_premium_plans_apart(version: str) -> bool:
    """Tell whether a version of the API knows more than one premium plan."""
    return version.lower() not in OLD_VERSIONS


def decode_collection(body: Json, key: CollectionKey, *, knows_premium_tiers: bool) -> Collection:
    """Read a collection; an absent plan is Standard and an absent state is Enabled."""
    resource = read_resource(body)
    check_identity(resource, collection_id(key), (key.name,))
    location, tags = read_field(resource, LOCATION), read_field(resource, TAGS)
    given = inner_properties(resource) or Properties({}, resource.at("properties"))
    sku = _sku(given, knows_premium_tiers=knows_premium_tiers)
    state, quota = given.get("state"), _decode_quota(given)
    resource.refuse_unknown()
    with within(*given.path, "quota"):
        check_quota(sku, quota)
    return Collection(
        key=key,
        location=None if location is None else display_name(location),
        tags=tags,
        sku=sku,
        state=CollectionState.ENABLED
        if state is None
        else read_word(state, given.at("state"), _STATES),
        quota=quota,
    )


def patch_collection(old: Collection, patch: Json, *, knows_premium_tiers: bool) -> Collection:
    """Return a collection with a patch applied."""
    Properties(patch)  # what is no object is refused before it replaces anything
    base: Json = encode_collection(old, knows_premium_tiers=True)
    merged = merge(base, patch)
    tiers = knows_premium_tiers or _keeps_the_plan(patch)
    return decode_collection(merged, old.key, knows_premium_tiers=tiers)


def encode_collection(collection: Collection, *, knows_premium_tiers: bool) -> dict[str, Json]:
    """Write a collection as a resource."""
    premium = collection.sku in _PREMIUM and not knows_premium_tiers
    sku: Json = {"name": _OLD_PREMIUM if premium else collection.sku.value}
    return COLLECTION.encode(
        collection,
        ANY_CLIENT,
        id=collection_id(collection.key),
        type=COLLECTION_TYPE,
        name=collection.key.name,
        properties=_PROPERTIES.encode(collection, ANY_CLIENT, sku=sku),
    )


def collection_id(key: CollectionKey) -> str:
    """Return the identity of a collection: its path."""
    return (
        f"/subscriptions/{key.subscription}/resourceGroups/{key.group}"
        f"/providers/Microsoft.Scheduler/jobCollections/{key.name}"
    )


def _keeps_the_plan(patch: Json) -> bool:
    given = optional_object(Properties(patch), "properties")
    return given is None or given.get("sku") is None


def _sku(given: Properties, *, knows_premium_tiers: bool) -> Sku:
    sku = optional_object(given, "sku")
    if sku is None:
        return Sku.STANDARD
    words = _SKUS if knows_premium_tiers else _SKUS | {_OLD_PREMIUM.lower(): Sku.P10_PREMIUM}
    names = [*Sku] if knows_premium_tiers else [*Sku, _OLD_PREMIUM]
    expected = f"one of {', '.join(names)}"
    return read_word(required(sku, "name", expected), sku.at("name"), words, expected)


def _decode_quota(properties: Properties) -> Quota | None:
    given = optional_object(properties, "quota")
    return None if given is None else _QUOTA.decode(given)
