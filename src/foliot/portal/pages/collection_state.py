"""Pause and resume a collection: what happens is told first, then done."""

from starlette.responses import Response

from foliot.core.access import require
from foliot.core.model.collection import CollectionState
from foliot.core.model.token import Role
from foliot.portal import urls
from foliot.portal.page_request import GOOD, PageRequest
from foliot.portal.pages.jobs import collection_values


async def show_disable(request: PageRequest) -> Response:
    """Say what a pause does; a collection that is not enabled has its own page."""
    return await _ask(request, CollectionState.ENABLED)


async def show_enable(request: PageRequest) -> Response:
    """Say what resuming does; a collection that is enabled has its own page."""
    return await _ask(request, CollectionState.DISABLED)


async def disable(request: PageRequest) -> Response:
    """Disable a collection: its jobs do not run."""
    await _set_state(request, CollectionState.DISABLED)
    words = "Collection paused: its jobs do not run until you resume it."
    return request.redirect(urls.collection(request.key), (GOOD, words))


async def enable(request: PageRequest) -> Response:
    """Enable a collection."""
    await _set_state(request, CollectionState.ENABLED)
    words = "Collection resumed: its jobs run again from the next planned time."
    return request.redirect(urls.collection(request.key), (GOOD, words))


async def _ask(request: PageRequest, expected: CollectionState) -> Response:
    require(request.who, Role.CONTRIBUTOR)
    found = await request.use_cases.dashboard.collection(request.who, request.key)
    is_enabled = found.collection.state is CollectionState.ENABLED
    if is_enabled != (expected is CollectionState.ENABLED):
        return request.redirect(urls.collection(request.key))
    return request.render_page("collection_state.html", **collection_values(found, "jobs"))


async def _set_state(request: PageRequest, state: CollectionState) -> None:
    await request.use_cases.collections.set_collection_state(request.who, request.key, state)
