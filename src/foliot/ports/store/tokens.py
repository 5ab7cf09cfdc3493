"""API tokens by hash."""

from collections.abc import Sequence
from typing import Protocol

from foliot.core.instant import Instant
from foliot.core.model.token import Token


class TokenReading(Protocol):
    """Finds tokens."""

    def tokens(self) -> Sequence[Token]:
        """Return all tokens; in a transaction nobody else changes them until it ends."""
        ...

    def token(self, digest: bytes) -> Token | None:
        """Return the token whose secret has this hash."""
        ...


class TokenChanges(Protocol):
    """Changes tokens."""

    def add_token(self, token: Token) -> Token:
        """Store a new token and return it with its id."""
        ...

    def delete_token(self, token_id: int) -> bool:
        """Remove a token; tell whether it existed."""
        ...

    def touch_token(self, token_id: int, at: Instant) -> None:
        """Store when a token was last used."""
        ...
