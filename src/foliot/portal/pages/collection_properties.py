"""The properties of a collection: its names, its settings, when it was changed and by whom."""

from starlette.responses import Response

from foliot.api.wire.collection import collection_id
from foliot.portal.page_request import PageRequest
from foliot.portal.pages.jobs import collection_values


async def show(request: PageRequest) -> Response:
    """Show the properties of a collection."""
    found = await request.use_cases.dashboard.collection(request.who, request.key)
    return request.render_page(
        "collection_properties.html",
        resource_id=collection_id(found.collection.key),
        **collection_values(found, "properties"),
    )
