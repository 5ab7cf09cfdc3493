"""What the server is and how it is set: to read, not to change."""

from collections.abc import Mapping

from msgspec import structs
from starlette.responses import Response

from foliot.app.dashboard import sees_everything
from foliot.core.model.token import Role, scope_text
from foliot.core.rules.quota import PLANS
from foliot.portal.page_request import PageRequest


async def show_settings(request: PageRequest) -> Response:
    """Show limits and plans, and to an Owner of the server its settings."""
    limits = structs.asdict(request.context.limits)
    settings: Mapping[str, str] = (
        request.context.facts.settings if _owns_the_server(request) else {}
    )
    return request.render_page("settings.html", settings=settings, limits=limits, plans=PLANS)


async def show(request: PageRequest) -> Response:
    """Show the version, the time and the visitor's rights, and to an Owner of the server more."""
    return request.render_page(
        "about.html",
        facts=request.context.facts,
        scope=scope_text(request.who.scope),
        owns_the_server=_owns_the_server(request),
    )


def _owns_the_server(request: PageRequest) -> bool:
    """Tell whether the visitor may see paths, addresses and names of machines."""
    return request.who.role is Role.OWNER and sees_everything(request.who)
