"""The pages About and Settings, both read-only."""

from collections.abc import Mapping

from msgspec import structs
from starlette.responses import Response

from foliot.api.wire.scope import scope_text
from foliot.app.dashboard import sees_everything
from foliot.core.model.token import Role
from foliot.core.rules.quota import PLANS
from foliot.portal.page_request import PageRequest


async def show_settings(request: PageRequest) -> Response:
    """Show limits and plans; an Owner of the whole server also sees its settings."""
    limits = structs.asdict(request.context.limits)
    settings: Mapping[str, str] = (
        request.context.facts.settings if _owns_the_server(request) else {}
    )
    return request.render_page("settings.html", settings=settings, limits=limits, plans=PLANS)


async def show(request: PageRequest) -> Response:
    """Show version, time and the visitor's rights; an Owner of the server sees more."""
    return request.render_page(
        "about.html",
        facts=request.context.facts,
        scope=scope_text(request.who.scope),
        owns_the_server=_owns_the_server(request),
    )


def _owns_the_server(request: PageRequest) -> bool:
    """Tell whether the visitor may see paths, addresses and machine names."""
    return request.who.role is Role.OWNER and sees_everything(request.who)
