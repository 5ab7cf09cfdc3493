"""Fetches tokens of Azure Active Directory: jobs share them until shortly before they expire."""

import asyncio
import re
from collections.abc import Callable
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from foliot.core.errors import Invalid, shown
from foliot.core.instant import MINUTE, SECOND, Instant
from foliot.core.model.action import OAuth
from foliot.core.model.reason import Reason
from foliot.core.secret import Secret
from foliot.dispatch.http.client import Send
from foliot.dispatch.http.history_messages import (
    TIMEOUT,
    Failure,
    secret_missing,
    status_name,
)
from foliot.dispatch.http.outgoing_request import OutgoingRequest, user_agent
from foliot.dispatch.http.response import HttpResponse
from foliot.dispatch.http.target_uri import read_target
from foliot.dispatch.redaction import without

_REASON = Reason.AUTHENTICATION_FAILURE
_SUCCESS = 200
_MAX_BYTES = 64 * 1024
_MAX_SHOWN = 300
# A token is renewed early: it must still be valid when the target checks it.
_MARGIN = 5 * MINUTE
_DEFAULT_SECONDS = 3600
# A request for a token is shared: it goes on at least this long, though one caller gives up.
_SHARED_SECONDS = 30
# An id or a domain: the tenant must not lead to another path of the login URL.
_TENANT = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*", re.ASCII)


class _Grant(Struct, frozen=True):
    access_token: str = ""
    expires_in: int | str = _DEFAULT_SECONDS


class _Problem(Struct, frozen=True):
    error: str = ""
    error_description: str = ""


class _CachedToken(Struct, frozen=True):
    token: Secret
    until: Instant


class OAuthTokens:
    """A cache of tokens by their credentials. Failures are not cached."""

    def __init__(self, send: Send, login_url: str, now: Callable[[], Instant]) -> None:
        self._send = send
        self._login_url = login_url.rstrip("/")
        self._now = now
        self._cached: dict[OAuth, _CachedToken] = {}
        self._fetching: dict[OAuth, asyncio.Task[Secret | Failure]] = {}

    async def token(self, given: OAuth, deadline: float) -> Secret | Failure:
        """Return a token that is valid for some minutes."""
        cached = self._cached.get(given)
        if cached is not None and cached.until > self._now():
            return cached.token
        task = self._fetching.get(given)
        if task is None:
            # Others may wait longer than the one whose request begins it.
            latest = max(deadline, asyncio.get_running_loop().time() + _SHARED_SECONDS)
            task = self._fetching[given] = asyncio.create_task(self._fetch(given, latest))
            task.add_done_callback(lambda _: self._fetching.pop(given, None))
        return await _by(deadline, task)

    def forget(self, given: OAuth) -> None:
        """Drop a token that a target does not accept."""
        self._cached.pop(given, None)

    async def close(self) -> None:
        """Wait for open requests, which end when the connections are closed."""
        await asyncio.gather(*self._fetching.values(), return_exceptions=True)

    async def _fetch(self, given: OAuth, deadline: float) -> Secret | Failure:
        outgoing = _request(given, self._login_url)
        if isinstance(outgoing, Failure):
            return outgoing
        response = await self._send(outgoing, deadline=deadline, max_bytes=_MAX_BYTES)
        if isinstance(response, Failure):
            text = f"No token from '{outgoing.target.host}': {response.told}"
            return Failure(response.reason, text, _REASON)
        if response.status != _SUCCESS:
            return _refused(response, outgoing.target.host, given)
        return self._keep(given, response, outgoing.target.host)

    def _keep(self, given: OAuth, response: HttpResponse, host: str) -> Secret | Failure:
        try:
            grant = msgspec.json.decode(response.body, type=_Grant)
            seconds = int(grant.expires_in)
        except (msgspec.DecodeError, ValueError):
            grant, seconds = _Grant(), 0
        if not grant.access_token or not grant.access_token.isascii():
            return Failure(_REASON, f"No token from '{host}': the answer holds none.")
        token, now = Secret(grant.access_token), self._now()
        self._cached = {key: cached for key, cached in self._cached.items() if cached.until > now}
        self._cached[given] = _CachedToken(token, Instant(now + max(0, seconds * SECOND - _MARGIN)))
        return token


def _request(given: OAuth, login_url: str) -> OutgoingRequest | Failure:
    parts = {"tenant": given.tenant, "audience": given.audience, "clientId": given.client_id}
    missing = [name for name, value in (*parts.items(), ("secret", given.secret)) if not value]
    if missing or given.secret is None:
        return secret_missing(f"authentication.{missing[0]}")
    tenant = given.tenant or ""
    if not _TENANT.fullmatch(tenant):
        text = f"authentication.tenant {shown(tenant)} is not a tenant; give its id or domain."
        return Failure(_REASON, text)
    form = {
        "grant_type": "client_credentials",
        "client_id": given.client_id or "",
        "client_secret": given.secret.reveal(),
        "resource": given.audience or "",
    }
    try:
        target = read_target(f"{login_url}/{tenant}/oauth2/token")
    except Invalid as invalid:
        return Failure(_REASON, f"No token can be fetched: {invalid.problem}.")
    return OutgoingRequest(
        method="POST",
        target=target,
        headers=(
            "Content-Type: application/x-www-form-urlencoded",
            "Accept: application/json",
            f"User-Agent: {user_agent()}",
        ),
        body=urlencode(form, errors="replace").encode(),
    )


def _refused(response: HttpResponse, host: str, given: OAuth) -> Failure:
    try:
        problem = msgspec.json.decode(response.body, type=_Problem)
    except msgspec.DecodeError:
        problem = _Problem()
    said = f"{problem.error} {problem.error_description.partition(chr(10))[0].rstrip()}".strip()
    said = without([given.secret.reveal()] if given.secret else [], said)
    status = status_name(response.status)
    text = f"No token from '{host}': '{status}' {said[:_MAX_SHOWN]}".rstrip()
    return Failure(_REASON, text, status_code=response.status)


async def _by(deadline: float, task: asyncio.Task[Secret | Failure]) -> Secret | Failure:
    """Wait for a shared task; a caller that gives up does not cancel it for the others."""
    try:
        async with asyncio.timeout_at(deadline):
            return await asyncio.shield(task)
    except TimeoutError:
        return TIMEOUT
