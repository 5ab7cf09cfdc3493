"""API tokens: list, create, revoke; for Owners."""

from starlette.responses import Response

from foliot.api.wire.scope import parse_scope, scope_text
from foliot.core.access import require
from foliot.core.errors import Forbidden
from foliot.core.model.token import Role
from foliot.portal.forms.problems import Problems
from foliot.portal.page_request import PageRequest
from foliot.portal.pages.token_form import (
    create_token,
    read_token,
    render_token_page,
    revoke_token,
    token_rows,
)

_PATH = "/tokens"
_BAD_REQUEST, _FORBIDDEN = 400, 403


async def show(request: PageRequest) -> Response:
    """Show all tokens, and the form for a new one."""
    return await _page(request)


async def create(request: PageRequest) -> Response:
    """Create a token from the form."""
    require(request.who, Role.OWNER)
    problems, wanted = read_token(
        request, lambda text: parse_scope(text) if text else request.who.scope
    )
    if wanted is None:
        return await _page(request, problems)
    try:
        return await create_token(request, wanted, _PATH)
    except Forbidden as refusal:
        return await _page(request, {"scope": str(refusal)}, _FORBIDDEN)


async def revoke(request: PageRequest) -> Response:
    """Revoke a token."""
    found = await request.use_cases.tokens.list_tokens(request.who)
    return await revoke_token(request, found, _PATH)


async def _page(
    request: PageRequest, problems: Problems | None = None, status: int = _BAD_REQUEST
) -> Response:
    found = await request.use_cases.tokens.list_tokens(request.who)
    return render_token_page(
        request,
        "tokens.html",
        _PATH,
        problems=problems or {},
        http_status=status if problems else 200,
        tokens=token_rows(request, found),
        own_scope=scope_text(request.who.scope),
    )
