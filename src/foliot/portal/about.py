"""What the server is and how it is set: to read, not to change."""

from msgspec import structs
from starlette.responses import Response

from foliot.core.quota import PLANS
from foliot.portal.visit import Visit


async def show_settings(visit: Visit) -> Response:
    """Show settings, limits and plans."""
    limits = structs.asdict(visit.desk.limits)
    return visit.page(
        "settings.html", settings=visit.desk.facts.settings, limits=limits, plans=PLANS
    )


async def show(visit: Visit) -> Response:
    """Show the version, the database and the time."""
    return visit.page("about.html", facts=visit.desk.facts)
