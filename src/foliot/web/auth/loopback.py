"""Authentication switched off: every program of this machine is Owner, no web page is."""

import re

from starlette.requests import Request

from foliot.core.access import Principal
from foliot.core.errors import Forbidden
from foliot.core.model.token import Role
from foliot.core.networks import is_loopback
from foliot.ports.logs import add_to_context, request_id

_HOST = re.compile(r"(?:\[(?P<v6>[^\]]+)\]|(?P<name>[^:\[\]]+))(?::\d{1,5})?", re.ASCII)


class LoopbackAuthenticator:
    """Authenticates everyone as Owner, except a web page of another site.

    The server listens on loopback alone, so only programs of this machine reach it, and a browser
    is one of them. A page of another site cannot forge Origin, Host gives away a site that points
    its own name at this machine (DNS rebinding), and a form cannot send JSON.
    """

    async def authenticate(self, request: Request, client: str) -> Principal:
        """Return an Owner, or raise Forbidden where a page of another site may have called."""
        check_host(request)
        _check_origin(request)
        _check_content_type(request)
        add_to_context(who="--no-auth")
        return local_owner(client)

    async def close(self) -> None:
        """Do nothing: no writes run beside the requests."""


def local_owner(client: str) -> Principal:
    """Return whoever calls from this machine while authentication is switched off."""
    return Principal(Role.OWNER, name="this machine", address=client, request_id=request_id())


def check_host(request: Request) -> None:
    """Refuse a request whose Host is not a name or address of loopback."""
    match = _HOST.fullmatch(request.headers.get("host", ""))
    if match is None or not is_loopback(match["v6"] or match["name"]):
        raise Forbidden(
            "Without authentication the server answers only requests whose 'Host' is localhost or "
            "a loopback address."
        )


def _check_origin(request: Request) -> None:
    origin = request.headers.get("origin")
    own = f"{request.scope['scheme']}://{request.headers.get('host', '')}"
    if origin is not None and origin.lower() != own.lower():
        raise Forbidden(f"A web page of another origin may not call; the server's own is {own}.")


def _check_content_type(request: Request) -> None:
    headers = request.headers
    has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if has_body and content_type != "application/json":
        raise Forbidden("Without authentication a body must have the type application/json.")
