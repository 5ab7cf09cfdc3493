"""Access to a collection: the tokens that reach it; Owners create and revoke them here."""

from collections.abc import Sequence

from msgspec import structs
from starlette.responses import Response

from foliot.core.access import require, scope_of
from foliot.core.ids import CollectionKey
from foliot.core.model.token import Role, Scope, Token
from foliot.portal import urls
from foliot.portal.forms.problems import Problems
from foliot.portal.page_request import PageRequest
from foliot.portal.pages.jobs import collection_values
from foliot.portal.pages.token_form import (
    create_token,
    read_token,
    render_token_page,
    revoke_token,
    token_rows,
)

_BAD_REQUEST = 400
# By how many parts of a scope are given.
_REACH = ("whole server", "this subscription", "this resource group", "this collection")


async def show(request: PageRequest) -> Response:
    """Show which tokens reach a collection; whoever is no Owner gets the reason instead."""
    return await _page(request, {})


async def create(request: PageRequest) -> Response:
    """Create a token whose scope is the collection."""
    require(request.who, Role.OWNER)
    found = await request.use_cases.collections.get_collection(request.who, request.key)
    problems, wanted = read_token(request, lambda _: scope_of(found.key))
    if wanted is None:
        return await _page(request, problems)
    return await create_token(request, wanted, _address(found.key))


async def revoke(request: PageRequest) -> Response:
    """Revoke a token that reaches the collection."""
    require(request.who, Role.OWNER)
    found = await request.use_cases.collections.get_collection(request.who, request.key)
    return await revoke_token(request, await _tokens(request, found.key), _address(found.key))


async def _page(request: PageRequest, problems: Problems) -> Response:
    found = await request.use_cases.dashboard.collection(request.who, request.key)
    key, is_owner = found.collection.key, request.who.role is Role.OWNER
    rows = token_rows(request, await _tokens(request, key) if is_owner else ())
    return render_token_page(
        request,
        "collection_access.html",
        _address(key),
        problems=problems,
        http_status=_BAD_REQUEST if problems else 200,
        tokens=[row._replace(scope=_REACH[_depth(row.token.scope)]) for row in rows],
        sees_all_tokens=request.who.scope == Scope(),
        **collection_values(found, "access"),
    )


async def _tokens(request: PageRequest, key: CollectionKey) -> Sequence[Token]:
    """Return the tokens that reach a collection, those of the collection itself first."""
    found = await request.use_cases.tokens.list_tokens_of(request.who, key)
    return sorted(found, key=lambda token: -_depth(token.scope))


def _depth(scope: Scope) -> int:
    return sum(part is not None for part in structs.astuple(scope))


def _address(key: CollectionKey) -> str:
    return urls.collection(key, "access")
