"""Sessions: encrypted cookies that name the token they began with, so that any node reads them.

A session grants nothing of its own: each request looks its token up again, so revoking the token
ends the session everywhere. It also ends eight hours after its last use and a day after it began.
Signing out ends it on all nodes: the store keeps a hash of it until it would have expired.
"""

import hashlib
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from hmac import compare_digest

import msgspec
from msgspec import Struct, structs

from foliot.app.sessions import end_session
from foliot.core.instant import HOUR, MINUTE, SECOND, Instant
from foliot.ports.store import Store
from foliot.store.sealing.keyring import CannotOpen, Keyring
from foliot.web.auth.cookies import Cookies

_IDLE = 8 * HOUR
_LONGEST = 24 * HOUR
# A cookie is renewed no more often than this.
_RENEWED_AFTER = 5 * MINUTE
_SESSION_PURPOSE = b"portal session"
_NOTICE_PURPOSE = b"portal notice"
_TOKEN_PURPOSE = b"portal made token"
_CSRF_BYTES = 24
_LONGEST_NOTICE = 2000
# A new token stays this long in its cookie, for the page that shows it.
MADE_TOKEN_SECONDS = 60

_NOTICES = msgspec.msgpack.Decoder(list[tuple[str, ...]])


class Session(Struct, frozen=True):
    """When someone signed in, and with which token, by its digest; empty if none was needed."""

    digest: bytes
    csrf: str
    began_at: Instant
    seen_at: Instant


class MadeToken(Struct, frozen=True):
    """A new token for the page that shows it once, in the session that created it."""

    csrf: str
    name: str
    text: str
    made_at: Instant


_SESSIONS = msgspec.msgpack.Decoder(Session)
_MADE_TOKENS = msgspec.msgpack.Decoder(MadeToken)
_encode = msgspec.msgpack.Encoder().encode


class Sessions:
    """Encrypts and decrypts the cookies that browsers keep."""

    def __init__(self, keyring: Keyring, store: Store) -> None:
        self._keyring = keyring
        self._store = store

    def begin(self, digest: bytes, now: Instant) -> Session:
        """Return a new session."""
        return Session(digest, secrets.token_urlsafe(_CSRF_BYTES), now, now)

    async def read(self, cookies: Cookies, now: Instant) -> Session | None:
        """Return the session of a request, or None if it has none or it has ended."""
        session = self._read(cookies, now)
        if session is None:
            return None
        digest = _digest(session)
        has_ended = await self._store.read(lambda reading: reading.has_session_ended(digest))
        return None if has_ended else session

    async def end(self, session: Session, now: Instant) -> None:
        """End a session on all nodes, and for every copy of its cookie."""
        digest, until = _digest(session), Instant(session.began_at + _LONGEST)
        await end_session(self._store, digest, until, now)

    def _read(self, cookies: Cookies, now: Instant) -> Session | None:
        content = self._opened(cookies.session, _SESSION_PURPOSE)
        if content is None:
            return None
        try:
            session = _SESSIONS.decode(content)
        except msgspec.MsgspecError:
            return None
        has_ended = now - session.seen_at > _IDLE or now - session.began_at > _LONGEST
        return None if has_ended else session

    def renewed(self, session: Session, now: Instant) -> Session | None:
        """Return the session with a new time of last use, or None if its cookie is recent."""
        is_old = now - session.seen_at > _RENEWED_AFTER
        return structs.replace(session, seen_at=now) if is_old else None

    def seal(self, session: Session) -> str:
        """Return the text of a session's cookie."""
        return self._sealed(_encode(session), _SESSION_PURPOSE)

    def seal_notices(self, notices: list[tuple[str, ...]]) -> str:
        """Return the text of a cookie with notices for the next page: kinds, words, links."""
        short = [
            (kind, words[:_LONGEST_NOTICE], *(each[:_LONGEST_NOTICE] for each in link))
            for kind, words, *link in notices
        ]
        return self._sealed(_encode(short), _NOTICE_PURPOSE)

    def read_notices(self, cookies: Cookies) -> list[tuple[str, ...]]:
        """Return the notices that the last page left for this one."""
        content = self._opened(cookies.notices, _NOTICE_PURPOSE)
        try:
            return [] if content is None else _NOTICES.decode(content)
        except msgspec.MsgspecError:
            return []

    def seal_made_token(self, made: MadeToken) -> str:
        """Return the text of a cookie with a token that the next page shows."""
        return self._sealed(_encode(made), _TOKEN_PURPOSE)

    def read_made_token(
        self, sealed: str | None, session: Session, now: Instant
    ) -> MadeToken | None:
        """Return the token that this session created a moment ago, or None."""
        content = self._opened(sealed, _TOKEN_PURPOSE)
        if content is None:
            return None
        made = _MADE_TOKENS.decode(content)
        is_fresh = now - made.made_at <= MADE_TOKEN_SECONDS * SECOND
        return made if is_fresh and compare_digest(session.csrf, made.csrf) else None

    def _sealed(self, content: bytes, purpose: bytes) -> str:
        return urlsafe_b64encode(self._keyring.seal(content, purpose)).decode()

    def _opened(self, text: str | None, purpose: bytes) -> bytes | None:
        if not text:
            return None
        try:
            return self._keyring.open(urlsafe_b64decode(text.encode()), purpose)
        except (CannotOpen, NotBase64, ValueError):
            return None


def _digest(session: Session) -> bytes:
    """Return the hash of a session: its CSRF token stays the same when its cookie is renewed."""
    return hashlib.sha256(session.csrf.encode()).digest()
