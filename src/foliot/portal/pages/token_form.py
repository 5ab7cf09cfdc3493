"""Lists of tokens and the form of a new one, as the Tokens page and Access tabs show them."""

import os
from collections.abc import Callable, Iterable, Sequence
from hmac import compare_digest
from typing import Any, NamedTuple, TypeVar

from starlette.responses import Response

from foliot.api.wire.scope import scope_text
from foliot.app.tokens import NewToken
from foliot.core.errors import Invalid
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

# Holds the new token, encrypted, until the page has shown it; sent to that page only.
_COOKIE = "foliot-made-token"
_FIELDS = ("name", "role", "scope", "expires")


class TokenRow(NamedTuple):
    """A token in the list; the visitor's own is the one they signed in with."""

    token: Token
    scope: str
    is_over: bool
    is_own: bool


def token_rows(request: PageRequest, tokens: Iterable[Token]) -> list[TokenRow]:
    """Return the rows of a list of tokens."""
    return [
        TokenRow(
            token,
            scope_text(token.scope),
            is_over=has_expired(token, request.now),
            is_own=_is_own(request, token),
        )
        for token in tokens
    ]


def read_token(
    request: PageRequest, read_scope: Callable[[str], Scope]
) -> tuple[Problems, NewToken | None]:
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
        taken("scope", lambda: read_scope(scope), Scope()),
        taken("expires", lambda: parse_expiry(expires, request.now) if expires else None, None),
    )
    return problems, None if problems else wanted


async def create_token(request: PageRequest, wanted: NewToken, page: str) -> Response:
    """Create a token, then redirect to the page, so that a reload does not create another."""
    _, text = await request.use_cases.tokens.create_token(
        request.who, wanted, os.urandom(RANDOM_BYTES)
    )
    response = request.redirect(page)
    made = MadeToken(request.session.csrf, wanted.name, text.reveal(), request.now)
    response.set_cookie(
        _COOKIE,
        request.context.sessions.seal_made_token(made),
        max_age=MADE_TOKEN_SECONDS,
        path=page,
        secure=request.cookies.is_secure,
        httponly=True,
        samesite="strict",
    )
    return response


async def revoke_token(request: PageRequest, tokens: Sequence[Token], page: str) -> Response:
    """Revoke one of these tokens, named by the address; this ends the sessions that use it."""
    number = request.names["token"]
    token = next((each for each in tokens if str(each.id) == number), None)
    if token is None or not await request.use_cases.tokens.revoke_token(request.who, token.id):
        return request.redirect(page, (BAD, f"Token {number} does not exist."))
    words = f"Token {token.name} revoked."
    if not _is_own(request, token):
        return request.redirect(page, (GOOD, words))
    return await sign_in.sign_out(
        request, (GOOD, f"{words} You were signed in with it: sign in with another token.")
    )


def render_token_page(
    request: PageRequest, template: str, page: str, *, problems: Problems, **values: Any
) -> Response:
    """Render a page with the form of a new token, and the token that was created a moment ago."""
    sealed = request.http.cookies.get(_COOKIE)
    response = request.render_page(
        template,
        roles=[(role.value, role.value) for role in Role],
        values={name: [request.form.get(name)] for name in _FIELDS},
        problems=problems,
        summary=summary_of(problems),
        label_of=label_of,
        made=request.context.sessions.read_made_token(sealed, request.session, request.now),
        **values,
    )
    if sealed:
        response.delete_cookie(_COOKIE, path=page)
    return response


def _is_own(request: PageRequest, token: Token) -> bool:
    return compare_digest(request.session.digest, token.digest)
