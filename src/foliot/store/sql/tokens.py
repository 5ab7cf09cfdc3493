"""Tokens and ended sessions: the port's readings and changes, as named statements."""

from collections.abc import Sequence

from msgspec.structs import replace

from foliot.core.instant import Instant
from foliot.core.model.token import Token
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.rows import row_of_token, token_of


class SqlTokenReading(SqlAccess):
    """Satisfies `TokenReading` and `SessionReading` of `ports.store`."""

    def tokens(self) -> Sequence[Token]:
        """Return all tokens."""
        self._dialect.lock("tokens")
        return [token_of(row) for row in self._run("tokens")]

    def token(self, digest: bytes) -> Token | None:
        """Return the token whose secret has this hash."""
        row = self._row("token", {"digest": digest})
        return None if row is None else token_of(row)

    def has_session_ended(self, digest: bytes) -> bool:
        """Tell whether somebody signed out of the session that has this hash."""
        return self._row("ended_session", {"digest": digest}) is not None


class SqlTokenChanges(SqlAccess):
    """Satisfies `TokenChanges` and `SessionChanges` of `ports.store`."""

    def add_token(self, token: Token) -> Token:
        """Store a new token and return it with its id."""
        taken = "A token with this secret exists already."
        number = self._dialect.insert("add_token", row_of_token(token), taken=taken)
        return replace(token, id=number)

    def delete_token(self, token_id: int) -> bool:
        """Remove a token; tell whether it existed."""
        return self._change("delete_token", {"id": token_id}) > 0

    def touch_token(self, token_id: int, at: Instant) -> None:
        """Store when a token was last used."""
        self._change("touch_token", {"id": token_id, "at": at})

    def end_session(self, digest: bytes, until: Instant, now: Instant) -> None:
        """Store that somebody signed out, until the session would have expired by itself."""
        self._change("delete_ended_sessions", {"now": now})
        self._change("add_ended_session", {"digest": digest, "until_at": until})
