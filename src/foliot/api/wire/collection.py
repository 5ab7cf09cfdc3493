"""Job collections, as resources."""

from foliot.api.wire.envelope import check_identity, inner_properties, read_resource
from foliot.api.wire.json_reader import (
    Json,
    Properties,
    optional_integer,
    optional_object,
    optional_strings,
    optional_text,
    read_word,
    required,
    without_nulls,
)
from foliot.api.wire.merge import merge
from foliot.api.wire.regions import display_name
from foliot.api.wire.schedule import decode_frequency
from foliot.core.errors import within
from foliot.core.ids import CollectionKey
from foliot.core.model.collection import Collection, CollectionState, MaxRecurrence, Quota, Sku
from foliot.core.rules.quota import check_quota, check_recurrence

_STATES = {state.lower(): state for state in CollectionState}
_SKUS = {sku.lower(): sku for sku in Sku}
_PREMIUM = (Sku.P10_PREMIUM, Sku.P20_PREMIUM)


def decode_collection(body: Json, key: CollectionKey, *, knows_premium_tiers: bool) -> Collection:
    """Read a collection; an absent plan is Standard and an absent state is Enabled."""
    resource = read_resource(body)
    check_identity(resource, collection_id(key), (key.name,))
    location, tags = optional_text(resource, "location"), optional_strings(resource, "tags")
    given = inner_properties(resource) or Properties({}, resource.at("properties"))
    sku = _sku(given, knows_premium_tiers=knows_premium_tiers)
    state, quota = given.get("state"), _quota(given)
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
    """Return a collection with a patch laid over it."""
    Properties(patch)  # what is no object is refused before it replaces anything
    base: Json = encode_collection(old, knows_premium_tiers=True)
    merged = merge(base, patch)
    tiers = knows_premium_tiers or _keeps_the_plan(patch)
    return decode_collection(merged, old.key, knows_premium_tiers=tiers)


def encode_collection(collection: Collection, *, knows_premium_tiers: bool) -> dict[str, Json]:
    """Write a collection as a resource."""
    premium = collection.sku in _PREMIUM and not knows_premium_tiers
    return without_nulls(
        {
            "id": collection_id(collection.key),
            "type": "Microsoft.Scheduler/jobCollections",
            "name": collection.key.name,
            "location": collection.location,
            "tags": None if collection.tags is None else dict(collection.tags),
            "properties": without_nulls(
                {
                    "sku": {"name": "Premium" if premium else collection.sku.value},
                    "state": collection.state.value,
                    "quota": _encode_quota(collection.quota),
                }
            ),
        }
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
    words = _SKUS if knows_premium_tiers else _SKUS | {"premium": Sku.P10_PREMIUM}
    value = required(sku, "name", f"one of {', '.join(Sku)}")
    return read_word(value, sku.at("name"), words)


def _quota(properties: Properties) -> Quota | None:
    given = optional_object(properties, "quota")
    if given is None:
        return None
    return Quota(
        max_job_count=optional_integer(given, "maxJobCount"),
        max_job_occurrence=optional_integer(given, "maxJobOccurrence"),
        max_recurrence=_max_recurrence(given),
    )


def _max_recurrence(quota: Properties) -> MaxRecurrence | None:
    given = optional_object(quota, "maxRecurrence")
    if given is None:
        return None
    slowest = MaxRecurrence(decode_frequency(given), optional_integer(given, "interval"))
    with within(*given.path):
        check_recurrence(slowest)
    return slowest


def _encode_quota(quota: Quota | None) -> Json:
    if quota is None:
        return None
    slowest = quota.max_recurrence
    return without_nulls(
        {
            "maxJobCount": quota.max_job_count,
            "maxJobOccurrence": quota.max_job_occurrence,
            "maxRecurrence": slowest
            and without_nulls({"frequency": slowest.frequency.value, "interval": slowest.interval}),
        }
    )
