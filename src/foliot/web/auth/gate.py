"""Who is let in: the bearer of a token, or, on a machine of one's own, everyone there."""

import asyncio
import re
from collections import OrderedDict
from contextlib import suppress
from hmac import compare_digest

from msgspec import Struct
from starlette.requests import Request

from foliot.app.tokens import save_last_use
from foliot.core.access import Principal
from foliot.core.errors import FoliotError, Forbidden, Unauthenticated
from foliot.core.instant import MINUTE, Instant
from foliot.core.model.token import Role, Token, digest, has_expired
from foliot.ports.clock import Clock
from foliot.ports.logs import add_to_context
from foliot.ports.store import Store
from foliot.web.auth.throttle import Elapsed, Sleep, Slowdown, loop_time
from foliot.web.headers import header
from foliot.web.proxies import is_loopback

# Where a request holds who makes it, if a session has told already; no client can write there.
ADMITTED = "foliot.admitted"

# How long a revoked token may still be good.
_CACHE_SECONDS = 1.0
_CACHE_SIZE = 1024
_LOOKUPS_IN_CROWDS = 4

_BEARER = re.compile(r"Bearer +(?P<token>\S+) *", re.IGNORECASE)
_HOST = re.compile(r"(?:\[(?P<v6>[^\]]+)\]|(?P<name>[^:\[\]]+))(?::\d{1,5})?", re.ASCII)


class Gate:
    """Lets in whoever bears a token that is known and has not expired.

    A token is looked up by its hash, so neither the database nor the time it takes tells anything
    about the tokens there are. What was found is believed for a second; what was not found is not
    remembered, except where bad tokens crowd. A valid token is never delayed or refused for what
    else came from its address: behind a proxy or NAT that may be everybody. A flood of bad ones
    has a few lookups at a time, and nobody can guess 256 bits however often they try.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        sleep: Sleep = asyncio.sleep,
        elapsed: Elapsed = loop_time,
    ) -> None:
        self._store = store
        self._clock = clock
        self._elapsed = elapsed
        self._slowdown = Slowdown(sleep=sleep, elapsed=elapsed)
        self._found: OrderedDict[bytes, _Found] = OrderedDict()
        self._lookups_in_crowds = asyncio.Semaphore(_LOOKUPS_IN_CROWDS)
        # When they were looked for in vain, the first one first.
        self._bad: OrderedDict[bytes, float] = OrderedDict()
        self._used_at: dict[int, Instant] = {}
        self._touching: set[asyncio.Task[None]] = set()

    async def admit(self, request: Request, client: str) -> Principal:
        """Return who makes a request, or refuse it as Unauthenticated."""
        token = await self.recognise(_bearer_token(request), client)
        return Principal(token.role, token.scope)

    async def recognise(self, text: str, client: str) -> Token:
        """Return the token that someone has, or refuse it as Unauthenticated."""
        wanted = digest(text)
        is_crowded = self._slowdown.is_crowded(client)
        token = await (self._find_in_crowd(wanted) if is_crowded else self._find(wanted))
        now = self._clock.now()
        if token is None or not compare_digest(token.digest, wanted):
            await self._slowdown.failed(client)
            raise Unauthenticated("The token is not known here, or was revoked.")
        if has_expired(token, now):
            await self._slowdown.failed(client)
            raise Unauthenticated("The token has expired.")
        self._note_use(token, now)
        return token

    async def find(self, wanted: bytes) -> Token | None:
        """Return the token with this hash if it is good: for a session that was begun with it."""
        token = await self._find(wanted)
        now = self._clock.now()
        if token is None or has_expired(token, now):
            return None
        self._note_use(token, now)
        return token

    async def close(self) -> None:
        """Finish what goes on beside the requests."""
        await asyncio.gather(*self._touching)

    async def _find(self, wanted: bytes) -> Token | None:
        # Read before the store is asked: an answer is as old as its question.
        now = self._elapsed()
        found = self._found.get(wanted)
        if found is not None and now - found.at < _CACHE_SECONDS:
            return found.token
        self._found.pop(wanted, None)
        token = await self._store.read(lambda reading: reading.token(wanted))
        if token is not None:
            self._found[wanted] = _Found(token, now)
            if len(self._found) > _CACHE_SIZE:
                self._found.popitem(last=False)
        return token

    async def _find_in_crowd(self, wanted: bytes) -> Token | None:
        """Look a token up where most are bad: one of them is not looked for twice in a second."""
        bad_at = self._bad.get(wanted)
        if bad_at is not None and self._elapsed() - bad_at < _CACHE_SECONDS:
            return None
        async with self._lookups_in_crowds:
            token = await self._find(wanted)
        if token is None:
            self._bad.pop(wanted, None)
            self._bad[wanted] = self._elapsed()
            if len(self._bad) > _CACHE_SIZE:
                self._bad.popitem(last=False)
        return token

    def _note_use(self, token: Token, now: Instant) -> None:
        add_to_context(who=token.name)
        used_at = max(self._used_at.get(token.id, 0), token.last_used_at or 0)
        if now - used_at < MINUTE:
            return
        if len(self._used_at) >= _CACHE_SIZE:
            self._used_at.clear()
        self._used_at[token.id] = now
        touching = asyncio.create_task(self._touch(token.id, now))
        self._touching.add(touching)
        touching.add_done_callback(self._touching.discard)

    async def _touch(self, token_id: int, now: Instant) -> None:
        # A store that is away is the requests' affair; the next use is noted a minute later.
        with suppress(FoliotError):
            await save_last_use(self._store, token_id, now)


class OpenGate:
    """Lets everyone in as Owner, but no web page.

    The server listens on loopback alone, so only programs of this machine reach it, and a browser
    is one of them. A page of another site cannot forge Origin, a site that points its own name at
    this machine (DNS rebinding) shows itself by Host, and a form cannot send JSON.
    """

    async def admit(self, request: Request, client: str) -> Principal:  # noqa: ARG002  (a gate's form)
        """Return an Owner, or refuse as Forbidden what a web page of another site may have sent."""
        check_host(request)
        _check_origin(request)
        _check_content_type(request)
        add_to_context(who="--no-auth")
        return Principal(Role.OWNER)

    async def close(self) -> None:
        """Do nothing: nothing goes on beside the requests."""


class _Found(Struct, frozen=True):
    token: Token
    at: float


def _bearer_token(request: Request) -> str:
    given = header(request.scope, b"authorization")
    if not given:
        raise Unauthenticated("The 'Authorization' header is missing; send 'Bearer <token>'.")
    match = _BEARER.fullmatch(given)
    if match is None:
        raise Unauthenticated("The 'Authorization' header is not valid; send 'Bearer <token>'.")
    return match["token"]


def check_host(request: Request) -> None:
    """Refuse a request that was made by a name which is not this machine's own."""
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
