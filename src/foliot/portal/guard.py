"""Who visits, and whether a form is one of ours."""

from typing import NamedTuple

from starlette.requests import Request

from foliot.core.access import Principal
from foliot.core.errors import Forbidden
from foliot.core.instant import Instant
from foliot.core.model.token import Role
from foliot.portal.context import Desk
from foliot.ports.logs import add_to_context
from foliot.web.auth.cookies import Cookies
from foliot.web.auth.gate import check_host
from foliot.web.auth.sessions import Session
from foliot.web.proxies import Caller, base_url

_NO_TOKEN = b""


class Visitor(NamedTuple):
    """Who visits, under which session."""

    session: Session
    who: Principal
    name: str
    is_new: bool = False


async def visitor(desk: Desk, request: Request, cookies: Cookies, now: Instant) -> Visitor | None:
    """Return who visits, or None if they have to sign in first."""
    session = await desk.sessions.read(cookies, now)
    if desk.gate is None:
        check_host(request)
        add_to_context(who="--no-auth")
        kept = session if session and session.digest == _NO_TOKEN else None
        used = kept or desk.sessions.begin(_NO_TOKEN, now)
        return Visitor(used, Principal(Role.OWNER), "everyone here", kept is None)
    if session is None:
        return None
    token = await desk.gate.find(session.digest)
    if token is None:
        return None
    return Visitor(session, Principal(token.role, token.scope), token.name)


def check_origin(request: Request, called: Caller, public_url: str | None) -> None:
    """Refuse a form that a page of another site may have sent."""
    own = {f"{called.scheme}://{called.host}", base_url(called, public_url=public_url)}
    origin = request.headers.get("origin")
    if origin is None:
        is_own = request.headers.get("sec-fetch-site") == "same-origin"
    else:
        is_own = origin.lower() in {each.lower() for each in own}
    if not is_own:
        raise Forbidden(
            f"A form of another site is not accepted; this one's address is {min(own)}. Behind a "
            "proxy, set FOLIOT_PUBLIC_URL to the address that browsers use."
        )
