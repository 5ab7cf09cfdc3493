"""API tokens: list, create, revoke; for Owners."""

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
from foliot.portal.forms.problems import Problems, describe_problem, summary_of
from foliot.portal.page_request import BAD, GOOD, PageRequest
from foliot.portal.pages import sign_in
from foliot.web.auth.sessions import MADE_TOKEN_SECONDS, MadeToken

Value = TypeVar("Value")

_PATH = "/tokens"
# Holds the new token, encrypted, until the page has shown it; sent to this page only.
_COOKIE = "foliot-made-token"
_BAD_REQUEST, _FORBIDDEN = 400, 403
_FIELDS = ("name", "role", "scope", "expires")


class TokenRow(NamedTuple):
    """A token in the list; the visitor's own is the one they signed in with."""

    token: Token
    scope: str
    is_over: bool
    is_own: bool


async def show(request: PageRequest) -> Response:
    """Show all tokens, and the form for a new one."""
    return await _page(request)


async def create(request: PageRequest) -> Response:
    """Create a token, then redirect, so that a reload does not create another."""
    require(request.who, Role.OWNER)
    problems, wanted = _read(request)
    if wanted is None:
        return await _page(request, problems=problems)
    try:
        _, text = await request.use_cases.tokens.create_token(
            request.who, wanted, os.urandom(RANDOM_BYTES)
        )
    except Forbidden as refusal:
        return await _page(request, problems={"scope": str(refusal)}, status=_FORBIDDEN)
    response = request.redirect(_PATH)
    made = MadeToken(request.session.csrf, wanted.name, text.reveal(), request.now)
    response.set_cookie(
        _COOKIE,
        request.context.sessions.seal_made_token(made),
        max_age=MADE_TOKEN_SECONDS,
        path=_PATH,
        secure=request.cookies.is_secure,
        httponly=True,
        samesite="strict",
    )
    return response


async def revoke(request: PageRequest) -> Response:
    """Revoke a token; this ends the sessions that use it."""
    number = request.names["token"]
    found = await request.use_cases.tokens.list_tokens(request.who)
    token = next((each for each in found if str(each.id) == number), None)
    if token is None or not await request.use_cases.tokens.revoke_token(request.who, token.id):
        return request.redirect(_PATH, (BAD, f"Token {number} does not exist."))
    words = f"Token {token.name} revoked."
    if not _is_own(request, token):
        return request.redirect(_PATH, (GOOD, words))
    return await sign_in.sign_out(
        request, (GOOD, f"{words} You were signed in with it: sign in with another token.")
    )


def _is_own(request: PageRequest, token: Token) -> bool:
    return compare_digest(request.session.digest, token.digest)


def _read(request: PageRequest) -> tuple[Problems, NewToken | None]:
    """Read the form, or return all its problems."""
    name, role, scope, expires = (request.form.get(field).strip() for field in _FIELDS)
    problems: Problems = {}

    def taken(field: str, read: Callable[[], Value], otherwise: Value) -> Value:
        try:
            return read()
        except Invalid as refusal:
            problems[field] = describe_problem(field, refusal.problem)
            return otherwise

    wanted = NewToken(
        taken("name", lambda: check_token_name(name), ""),
        taken("role", lambda: parse_role(role), Role.READER),
        taken("scope", lambda: parse_scope(scope) if scope else request.who.scope, Scope()),
        taken("expires", lambda: parse_expiry(expires, request.now) if expires else None, None),
    )
    return problems, None if problems else wanted


async def _page(
    request: PageRequest, *, problems: Problems | None = None, status: int = _BAD_REQUEST
) -> Response:
    found = await request.use_cases.tokens.list_tokens(request.who)
    sealed = request.http.cookies.get(_COOKIE)
    response = request.render_page(
        "tokens.html",
        http_status=status if problems else 200,
        tokens=[
            TokenRow(
                token,
                scope_text(token.scope),
                is_over=has_expired(token, request.now),
                is_own=_is_own(request, token),
            )
            for token in found
        ],
        roles=[(role.value, role.value) for role in Role],
        values={name: [request.form.get(name)] for name in _FIELDS},
        own_scope=scope_text(request.who.scope),
        problems=problems or {},
        summary=summary_of(problems or {}),
        label_of=label_of,
        made=request.context.sessions.read_made_token(sealed, request.session, request.now),
    )
    if sealed:
        response.delete_cookie(_COOKIE, path=_PATH)
    return response
