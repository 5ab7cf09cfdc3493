"""What the server is and how it is set: to read, not to change."""

from collections.abc import Mapping

from msgspec import structs
from starlette.responses import Response

from foliot.api.wire.scope import scope_text
from foliot.app.dashboard import sees_everything
from foliot.core.model.token import Role
from foliot.core.rules.quota import PLANS
from foliot.portal.page_request import Visit


async def show_settings(visit: Visit) -> Response:
    """Show limits and plans, and to an Owner of the server its settings."""
    limits = structs.asdict(visit.desk.limits)
    settings: Mapping[str, str] = visit.desk.facts.settings if _owns_the_server(visit) else {}
    return visit.page("settings.html", settings=settings, limits=limits, plans=PLANS)


async def show(visit: Visit) -> Response:
    """Show the version, the time and the visitor's rights, and to an Owner of the server more."""
    return visit.page(
        "about.html",
        facts=visit.desk.facts,
        scope=scope_text(visit.who.scope),
        owns_the_server=_owns_the_server(visit),
    )


def _owns_the_server(visit: Visit) -> bool:
    """Tell whether the visitor may see paths, addresses and names of machines."""
    return visit.who.role is Role.OWNER and sees_everything(visit.who)
