"""Tokens: who may call, made and revoked by an Owner."""

import os

from starlette.responses import Response

from foliot.core.errors import Invalid, within
from foliot.core.model import Role
from foliot.core.secret import Secret
from foliot.core.tokens import (
    RANDOM_BYTES,
    check_token_name,
    has_expired,
    parse_expiry,
    parse_role,
    parse_scope,
    scope_text,
)
from foliot.portal.visit import BAD, GOOD, Visit
from foliot.tokens import NewToken

_BAD_REQUEST = 400
_FIELDS = ("name", "role", "scope", "expires")


async def show(visit: Visit) -> Response:
    """Show all tokens, and the form of a new one."""
    return await _page(visit)


async def create(visit: Visit) -> Response:
    """Make a token and show it, this once."""
    try:
        wanted = _wanted(visit)
    except Invalid as refusal:
        problems = {str(refusal.path[0]): refusal.problem}
        return await _page(visit, problems=problems, http_status=_BAD_REQUEST)
    _, text = await visit.desk.tokens.create(visit.who, wanted, os.urandom(RANDOM_BYTES))
    return await _page(visit, made=text, made_name=wanted.name)


async def revoke(visit: Visit) -> Response:
    """Make a token worthless."""
    number = visit.names["token"]
    is_number = number.isascii() and number.isdigit() and len(number) < 18  # noqa: PLR2004
    gone = is_number and await visit.desk.tokens.revoke(visit.who, int(number))
    notice = (GOOD, f"Token {number} is revoked.") if gone else (BAD, f"No token {number} here.")
    return visit.go("/tokens", notice)


def _wanted(visit: Visit) -> NewToken:
    name, role, scope, expires = (visit.form.get(field).strip() for field in _FIELDS)
    with within("name"):
        check_token_name(name)
    with within("role"):
        rights = parse_role(role)
    with within("scope"):
        place = parse_scope(scope)
    with within("expires"):
        expiry = parse_expiry(expires, visit.now) if expires else None
    return NewToken(name, rights, place, expiry)


async def _page(
    visit: Visit,
    *,
    problems: dict[str, str] | None = None,
    made: Secret | None = None,
    made_name: str = "",
    http_status: int = 200,
) -> Response:
    found = await visit.desk.tokens.list(visit.who)
    typed = made is None
    return visit.page(
        "tokens.html",
        http_status=http_status,
        tokens=[(token, scope_text(token.scope), has_expired(token, visit.now)) for token in found],
        roles=[(role.value, role.value) for role in Role],
        values={name: [visit.form.get(name)] if typed else [""] for name in _FIELDS},
        own_scope=scope_text(visit.who.scope),
        problems=problems or {},
        made=None if made is None else made.reveal(),
        made_name=made_name,
    )
