"""Authentication by bearer token: lookup by digest, a short cache, and the login throttle."""

import asyncio
import re
from collections import OrderedDict
from contextlib import suppress
from hmac import compare_digest

from msgspec import Struct
from starlette.requests import Request

from foliot.app.tokens import save_last_use
from foliot.core.access import Principal
from foliot.core.errors import FoliotError, Unauthenticated
from foliot.core.instant import MINUTE, Instant
from foliot.core.model.token import Token, digest, has_expired
from foliot.ports.clock import Clock
from foliot.ports.logs import add_to_context, request_id
from foliot.ports.store import Store
from foliot.web.auth.throttle import Elapsed, LoginThrottle, Sleep, loop_time
from foliot.web.headers import header

# A revoked token may stay valid for this long.
_CACHE_SECONDS = 1.0
_CACHE_SIZE = 1024
_THROTTLED_LOOKUPS = 4

_BEARER = re.compile(r"Bearer +(?P<token>\S+) *", re.IGNORECASE)


class TokenAuthenticator:
    """Authenticates the bearer of a token that is known and has not expired.

    A token is looked up by its hash, so neither the database nor the response time reveals
    anything about existing tokens. A token that was found is cached for a second; one that was
    not found is cached only while the throttle is full. A valid token is never delayed or refused
    because of failures from its address: behind a proxy or NAT that address may be everybody's.
    While the throttle is full a few lookups run at a time; 256 random bits cannot be guessed.
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
        self._throttle = LoginThrottle(sleep=sleep, elapsed=elapsed)
        self._found: OrderedDict[bytes, _Found] = OrderedDict()
        self._throttled_lookups = asyncio.Semaphore(_THROTTLED_LOOKUPS)
        # When unknown tokens were last looked up, oldest first.
        self._unknown: OrderedDict[bytes, float] = OrderedDict()
        self._used_at: dict[int, Instant] = {}
        self._use_writes: set[asyncio.Task[None]] = set()

    async def authenticate(self, request: Request, client: str) -> Principal:
        """Return who makes a request, or refuse it as Unauthenticated."""
        token = await self.verify(_bearer_token(request), client)
        return principal_of(token, client)

    async def verify(self, text: str, client: str) -> Token:
        """Return the token with this text, or refuse it as Unauthenticated."""
        wanted = digest(text)
        is_throttled = self._throttle.is_full(client)
        token = await (self._find_throttled(wanted) if is_throttled else self._find(wanted))
        now = self._clock.now()
        if token is None or not compare_digest(token.digest, wanted):
            await self._throttle.note_failure(client)
            raise Unauthenticated("The token is not known here, or was revoked.")
        if has_expired(token, now):
            await self._throttle.note_failure(client)
            raise Unauthenticated("The token has expired.")
        self._note_use(token, now)
        return token

    async def find_valid(self, wanted: bytes) -> Token | None:
        """Return the token with this hash if it is valid: the token that a session began with."""
        token = await self._find(wanted)
        now = self._clock.now()
        if token is None or has_expired(token, now):
            return None
        self._note_use(token, now)
        return token

    async def close(self) -> None:
        """Wait for the writes that run beside the requests."""
        await asyncio.gather(*self._use_writes)

    async def _find(self, wanted: bytes) -> Token | None:
        # Read the time before asking the store: the answer may be as old as the question.
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

    async def _find_throttled(self, wanted: bytes) -> Token | None:
        """Look up a token while many fail: an unknown one at most once a second."""
        missed_at = self._unknown.get(wanted)
        if missed_at is not None and self._elapsed() - missed_at < _CACHE_SECONDS:
            return None
        async with self._throttled_lookups:
            token = await self._find(wanted)
        if token is None:
            self._unknown.pop(wanted, None)
            self._unknown[wanted] = self._elapsed()
            if len(self._unknown) > _CACHE_SIZE:
                self._unknown.popitem(last=False)
        return token

    def _note_use(self, token: Token, now: Instant) -> None:
        add_to_context(who=token.name)
        used_at = max(self._used_at.get(token.id, 0), token.last_used_at or 0)
        if now - used_at < MINUTE:
            return
        if len(self._used_at) >= _CACHE_SIZE:
            self._used_at.clear()
        self._used_at[token.id] = now
        write = asyncio.create_task(self._save_use(token.id, now))
        self._use_writes.add(write)
        write.add_done_callback(self._use_writes.discard)

    async def _save_use(self, token_id: int, now: Instant) -> None:
        # Requests report an unavailable store themselves; the next use is saved a minute later.
        with suppress(FoliotError):
            await save_last_use(self._store, token_id, now)


def principal_of(token: Token, client: str) -> Principal:
    """Return who the bearer of a token is, calling from an address."""
    return Principal(
        token.role, token.scope, token.name, token.id, address=client, request_id=request_id()
    )


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
