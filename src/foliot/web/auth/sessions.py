"""Sessions: sealed cookies that name the token they began with, so that any node knows them.

A session holds no right of its own. Each request looks its token up again: revoked there, it ends
everywhere. It also ends eight hours after its last use and a day after it began. Whoever signs out
ends it everywhere too: the store knows it until then, by a hash.
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
# A cookie is written anew no more often than this.
_RENEWED_AFTER = 5 * MINUTE
_SESSION_PLACE = b"portal session"
_NOTICE_PLACE = b"portal notice"
_TOKEN_PLACE = b"portal made token"
_CSRF_BYTES = 24
_LONGEST_NOTICE = 2000
# For so long a new token waits in its cookie for the page that shows it.
MADE_TOKEN_SECONDS = 60

_NOTICES = msgspec.msgpack.Decoder(list[tuple[str, str]])


class Session(Struct, frozen=True):
    """Who signed in, by the hash of a token, and when; without a hash no token was needed."""

    digest: bytes
    csrf: str
    began_at: Instant
    seen_at: Instant


class MadeToken(Struct, frozen=True):
    """A new token on its way to the page that shows it once, in the session that made it."""

    csrf: str
    name: str
    text: str
    made_at: Instant


_SESSIONS = msgspec.msgpack.Decoder(Session)
_MADE_TOKENS = msgspec.msgpack.Decoder(MadeToken)
_encode = msgspec.msgpack.Encoder().encode


class Sessions:
    """Opens and seals what browsers keep for us."""

    def __init__(self, keyring: Keyring, store: Store) -> None:
        self._keyring = keyring
        self._store = store

    def begin(self, digest: bytes, now: Instant) -> Session:
        """Return a new session."""
        return Session(digest, secrets.token_urlsafe(_CSRF_BYTES), now, now)

    async def read(self, cookies: Cookies, now: Instant) -> Session | None:
        """Return the session of a request, if it has one that has not ended."""
        session = self._read(cookies, now)
        if session is None:
            return None
        known_by = _digest(session)
        was_left = await self._store.read(lambda reading: reading.has_session_ended(known_by))
        return None if was_left else session

    async def end(self, session: Session, now: Instant) -> None:
        """End a session, on all nodes and for whoever has a copy of its cookie."""
        known_by, until = _digest(session), Instant(session.began_at + _LONGEST)
        await end_session(self._store, known_by, until, now)

    def _read(self, cookies: Cookies, now: Instant) -> Session | None:
        content = self._opened(cookies.session, _SESSION_PLACE)
        if content is None:
            return None
        try:
            session = _SESSIONS.decode(content)
        except msgspec.MsgspecError:
            return None
        has_ended = now - session.seen_at > _IDLE or now - session.began_at > _LONGEST
        return None if has_ended else session

    def renewed(self, session: Session, now: Instant) -> Session | None:
        """Return a session as it is to be kept from now on, if that is worth a new cookie."""
        is_old = now - session.seen_at > _RENEWED_AFTER
        return structs.replace(session, seen_at=now) if is_old else None

    def seal(self, session: Session) -> str:
        """Return what a cookie holds."""
        return self._sealed(_encode(session), _SESSION_PLACE)

    def seal_notices(self, notices: list[tuple[str, str]]) -> str:
        """Return a cookie for what the next page is to say: kinds and words."""
        short = [(kind, words[:_LONGEST_NOTICE]) for kind, words in notices]
        return self._sealed(_encode(short), _NOTICE_PLACE)

    def read_notices(self, cookies: Cookies) -> list[tuple[str, str]]:
        """Return what the last page left for this one to say."""
        content = self._opened(cookies.notices, _NOTICE_PLACE)
        try:
            return [] if content is None else _NOTICES.decode(content)
        except msgspec.MsgspecError:
            return []

    def seal_made_token(self, made: MadeToken) -> str:
        """Return a cookie for a token that the next page is to show."""
        return self._sealed(_encode(made), _TOKEN_PLACE)

    def read_made_token(
        self, sealed: str | None, session: Session, now: Instant
    ) -> MadeToken | None:
        """Return the token that this session made a moment ago."""
        content = self._opened(sealed, _TOKEN_PLACE)
        if content is None:
            return None
        made = _MADE_TOKENS.decode(content)
        is_fresh = now - made.made_at <= MADE_TOKEN_SECONDS * SECOND
        return made if is_fresh and compare_digest(session.csrf, made.csrf) else None

    def _sealed(self, content: bytes, place: bytes) -> str:
        return urlsafe_b64encode(self._keyring.seal(content, place)).decode()

    def _opened(self, text: str | None, place: bytes) -> bytes | None:
        if not text:
            return None
        try:
            return self._keyring.open(urlsafe_b64decode(text.encode()), place)
        except (CannotOpen, NotBase64, ValueError):
            return None


def _digest(session: Session) -> bytes:
    """Return what a session is known by; its cookie is another one whenever it is renewed."""
    return hashlib.sha256(session.csrf.encode()).digest()


def form_token(session: Session) -> str:
    """Return the session's token against forgery, as a page shows it: another text in each page.

    Whoever sees how long compressed pages are, and can have words of theirs in them, could find a
    text that all have in common letter by letter (BREACH).
    """
    kept = session.csrf.encode()
    mask = secrets.token_bytes(len(kept))
    return urlsafe_b64encode(mask + _mixed(kept, mask)).decode()


def is_of(session: Session, given: str) -> bool:
    """Tell whether a form was made for this session, by its token against forgery."""
    try:
        content = urlsafe_b64decode(given.encode())
    except (NotBase64, ValueError):
        return False
    mask, shown = content[: len(content) // 2], content[len(content) // 2 :]
    return compare_digest(session.csrf.encode(), _mixed(shown, mask))


def _mixed(text: bytes, mask: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(text, mask, strict=False))
