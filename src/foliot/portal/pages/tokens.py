"""Tokens: who may call, made and revoked by an Owner."""

import os
from collections.abc import Callable
from hmac import compare_digest
from typing import NamedTuple, TypeVar

from starlette.responses import Response

from foliot.api.wire.scope import parse_scope, scope_text
from foliot.app.tokens import NewToken
from foliot.core.access import require
from foliot.core.errors import Forbidden, Invalid
from foliot.core.model.token import (
    RANDOM_BYTES,
    Role,
    Scope,
    Token,
    check_token_name,
    has_expired,
    parse_expiry,
    parse_role,
)
from foliot.portal.forms.labels import label_of
from foliot.portal.forms.problems import Problems, in_words, summary_of
from foliot.portal.page_request import BAD, GOOD, Visit
from foliot.portal.pages import sign_in
from foliot.web.auth.sessions import MADE_TOKEN_SECONDS, MadeToken

Value = TypeVar("Value")

_PATH = "/tokens"
# Sent to this one page: it holds a token, sealed, until that has been shown.
_COOKIE = "foliot-made-token"
_BAD_REQUEST, _FORBIDDEN = 400, 403
_FIELDS = ("name", "role", "scope", "expires")


class Row(NamedTuple):
    """A token as the list shows it; one's own is that one is signed in with."""

    token: Token
    scope: str
    is_over: bool
    is_own: bool


async def show(visit: Visit) -> Response:
    """Show all tokens, and the form of a new one."""
    return await _page(visit)


async def create(visit: Visit) -> Response:
    """Make a token; the page it is shown on can be loaded again without making another."""
    require(visit.who, Role.OWNER)
    problems, wanted = _read(visit)
    if wanted is None:
        return await _page(visit, problems=problems)
    try:
        _, text = await visit.use_cases.tokens.create_token(
            visit.who, wanted, os.urandom(RANDOM_BYTES)
        )
    except Forbidden as refusal:
        return await _page(visit, problems={"scope": str(refusal)}, status=_FORBIDDEN)
    response = visit.go(_PATH)
    made = MadeToken(visit.session.csrf, wanted.name, text.reveal(), visit.now)
    response.set_cookie(
        _COOKIE,
        visit.desk.sessions.seal_made_token(made),
        max_age=MADE_TOKEN_SECONDS,
        path=_PATH,
        secure=visit.cookies.is_secure,
        httponly=True,
        samesite="strict",
    )
    return response


async def revoke(visit: Visit) -> Response:
    """Make a token worthless; whoever is signed in with it has to sign in with another."""
    number = visit.names["token"]
    found = await visit.use_cases.tokens.list_tokens(visit.who)
    token = next((each for each in found if str(each.id) == number), None)
    if token is None or not await visit.use_cases.tokens.revoke_token(visit.who, token.id):
        return visit.go(_PATH, (BAD, f"There is no token {number} here."))
    words = f"Token {token.name} revoked."
    if not _is_own(visit, token):
        return visit.go(_PATH, (GOOD, words))
    return await sign_in.leave(visit, (GOOD, f"{words} You were signed in with it: use another."))


def _is_own(visit: Visit, token: Token) -> bool:
    return compare_digest(visit.session.digest, token.digest)


def _read(visit: Visit) -> tuple[Problems, NewToken | None]:
    """Read the form, or tell all that is wrong with it."""
    name, role, scope, expires = (visit.form.get(field).strip() for field in _FIELDS)
    problems: Problems = {}

    def taken(field: str, read: Callable[[], Value], otherwise: Value) -> Value:
        try:
            return read()
        except Invalid as refusal:
            problems[field] = in_words(field, refusal.problem)
            return otherwise

    wanted = NewToken(
        taken("name", lambda: check_token_name(name), ""),
        taken("role", lambda: parse_role(role), Role.READER),
        taken("scope", lambda: parse_scope(scope) if scope else visit.who.scope, Scope()),
        taken("expires", lambda: parse_expiry(expires, visit.now) if expires else None, None),
    )
    return problems, None if problems else wanted


async def _page(
    visit: Visit, *, problems: Problems | None = None, status: int = _BAD_REQUEST
) -> Response:
    found = await visit.use_cases.tokens.list_tokens(visit.who)
    sealed = visit.request.cookies.get(_COOKIE)
    response = visit.page(
        "tokens.html",
        http_status=status if problems else 200,
        tokens=[
            Row(
                token,
                scope_text(token.scope),
                is_over=has_expired(token, visit.now),
                is_own=_is_own(visit, token),
            )
            for token in found
        ],
        roles=[(role.value, role.value) for role in Role],
        values={name: [visit.form.get(name)] for name in _FIELDS},
        own_scope=scope_text(visit.who.scope),
        problems=problems or {},
        summary=summary_of(problems or {}),
        label_of=label_of,
        made=visit.desk.sessions.read_made_token(sealed, visit.session, visit.now),
    )
    if sealed:
        response.delete_cookie(_COOKIE, path=_PATH)
    return response
