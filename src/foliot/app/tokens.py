"""Tokens as a use case: an Owner manages those within its own scope."""

from collections.abc import Sequence

from msgspec import Struct

from foliot.core.access import Principal, require
from foliot.core.errors import Forbidden
from foliot.core.instant import Instant
from foliot.core.model.token import Role, Scope, Token, digest, token_text
from foliot.core.secret import Secret
from foliot.ports.clock import Clock
from foliot.ports.store import Store, Transaction


class NewToken(Struct, frozen=True):
    """What a token is to be."""

    name: str
    role: Role
    scope: Scope = Scope()
    expires_at: Instant | None = None


class Tokens:
    """What Owners can do with tokens; each call names who makes it."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def list(self, who: Principal) -> Sequence[Token]:
        """Return the tokens within the caller's scope."""
        require(who, Role.OWNER)
        found = await self._store.read(lambda reading: reading.tokens())
        return [token for token in found if _lies_within(token.scope, who.scope)]

    async def create(self, who: Principal, wanted: NewToken, random: bytes) -> tuple[Token, Secret]:
        """Make a token; its text is given this once."""
        require(who, Role.OWNER)
        if not _lies_within(wanted.scope, who.scope):
            raise Forbidden("A token can be made only within the scope of one's own.")
        text = token_text(random)
        token = Token(
            name=wanted.name,
            digest=digest(text),
            role=wanted.role,
            scope=wanted.scope,
            created_at=self._clock.now(),
            expires_at=wanted.expires_at,
        )
        kept = await self._store.write(lambda transaction: transaction.add_token(token))
        return kept, Secret(text)

    async def revoke(self, who: Principal, token_id: int) -> bool:
        """Make a token worthless; tell whether there was one."""
        require(who, Role.OWNER)

        def change(transaction: Transaction) -> bool:
            seen = [
                token.id for token in transaction.tokens() if _lies_within(token.scope, who.scope)
            ]
            return token_id in seen and transaction.delete_token(token_id)

        return await self._store.write(change)


def _lies_within(inner: Scope, outer: Scope) -> bool:
    return all(
        wide is None or wide == narrow
        for wide, narrow in (
            (outer.subscription, inner.subscription),
            (outer.group, inner.group),
            (outer.collection, inner.collection),
        )
    )
