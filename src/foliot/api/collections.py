"""Job collections."""

from collections.abc import Callable

from foliot.api.call import ApiResponse, Call
from foliot.api.paging import listing, window_of
from foliot.api.wire.collection import decode_collection, encode_collection, patch_collection
from foliot.app.use_cases import UseCases
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json
from foliot.core.model.collection import Collection, CollectionState


async def list_collections(use_cases: UseCases, call: Call) -> ApiResponse:
    """List the collections of a subscription, or of a group."""
    return await page_of_collections(
        use_cases, call, call.names.get("group"), lambda each: _encoded(call, each)
    )


async def page_of_collections(
    use_cases: UseCases, call: Call, group: str | None, encode: Callable[[Collection], Json]
) -> ApiResponse:
    """Return a page of the collections of a subscription, or of a group, each encoded."""
    window = window_of(call, _parse_place)
    found = await use_cases.collections.list_collections(
        call.who, call.names["subscription"], group, window.page
    )
    shown, last = window.split(found)
    return listing(call, [*map(encode, shown)], None if last is None else _place(last.key))


async def get(use_cases: UseCases, call: Call) -> ApiResponse:
    """Show a collection."""
    return ApiResponse(
        content=_encoded(call, await use_cases.collections.get_collection(call.who, call.key))
    )


async def put(use_cases: UseCases, call: Call) -> ApiResponse:
    """Create or replace a collection."""
    wanted = decode_collection(call.json(), call.key, knows_premium_tiers=call.knows_premium_tiers)
    saved, is_new = await use_cases.collections.save_collection(
        call.who, call.key, lambda _: wanted, must_exist=False
    )
    return ApiResponse(201 if is_new else 200, _encoded(call, saved))


async def patch(use_cases: UseCases, call: Call) -> ApiResponse:
    """Change parts of a collection."""
    body = call.json()

    def revise(old: Collection | None) -> Collection:
        assert old is not None  # noqa: S101  (it must exist)
        return patch_collection(old, body, knows_premium_tiers=call.knows_premium_tiers)

    saved, _ = await use_cases.collections.save_collection(
        call.who, call.key, revise, must_exist=True
    )
    return ApiResponse(content=_encoded(call, saved))


async def delete(use_cases: UseCases, call: Call) -> ApiResponse:
    """Remove a collection with all that is in it."""
    await use_cases.collections.delete_collection(call.who, call.key)
    return ApiResponse()


async def enable(use_cases: UseCases, call: Call) -> ApiResponse:
    """Let the jobs of a collection run."""
    await use_cases.collections.set_collection_state(call.who, call.key, CollectionState.ENABLED)
    return ApiResponse()


async def disable(use_cases: UseCases, call: Call) -> ApiResponse:
    """Keep the jobs of a collection from running."""
    await use_cases.collections.set_collection_state(call.who, call.key, CollectionState.DISABLED)
    return ApiResponse()


def _encoded(call: Call, collection: Collection) -> Json:
    return encode_collection(collection, knows_premium_tiers=call.knows_premium_tiers)


def _place(key: CollectionKey) -> str:
    return f"{key.group.lower()}/{key.name.lower()}"


def _parse_place(text: str) -> tuple[str, str]:
    group, _, name = text.lower().partition("/")
    return group, name
