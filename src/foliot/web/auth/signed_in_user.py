"""The visitor of a page: the holder of the token that the browser's session began with."""

from typing import NamedTuple

from starlette.requests import Request

from foliot.core.access import Principal
from foliot.core.instant import Instant
from foliot.ports.logs import add_to_context
from foliot.web.auth.bearer_tokens import TokenAuthenticator, principal_of
from foliot.web.auth.cookies import Cookies
from foliot.web.auth.loopback import check_host, local_owner
from foliot.web.auth.sessions import Session, Sessions

_NO_TOKEN = b""


class PortalClient(NamedTuple):
    """The browser that sent a request: its address and cookies, and when it asked."""

    address: str
    cookies: Cookies
    now: Instant


class Visitor(NamedTuple):
    """A session, and whom it stands for."""

    session: Session
    who: Principal
    is_new: bool = False


async def find_visitor(
    authenticator: TokenAuthenticator | None,
    sessions: Sessions,
    request: Request,
    client: PortalClient,
) -> Visitor | None:
    """Return the visitor, or None if they must sign in; without authenticator all are Owners."""
    session = await sessions.read(client.cookies, client.now)
    if authenticator is None:
        check_host(request)
        add_to_context(who="--no-auth")
        kept = session if session and session.digest == _NO_TOKEN else None
        used = kept or sessions.begin(_NO_TOKEN, client.now)
        return Visitor(used, local_owner(client.address), kept is None)
    if session is None:
        return None
    token = await authenticator.find_valid(session.digest)
    if token is None:
        return None
    return Visitor(session, principal_of(token, client.address))
