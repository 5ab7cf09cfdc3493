"""Tokens: list, create and revoke; the Owner tokens that a server starts with; their last use.

All tokens are created here: those of the portal, of `foliot token`, of FOLIOT_ADMIN_TOKEN and of a
first start.
"""

from collections.abc import Sequence

from msgspec import Struct, structs

from foliot.app.change_log import log_change
from foliot.core.access import Principal, check_sight, lies_within, reaches, require
from foliot.core.errors import Conflict, Forbidden
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.audit import AuditAction, Author
from foliot.core.model.change import Change
from foliot.core.model.token import (
    FROM_ENVIRONMENT,
    Role,
    Scope,
    Token,
    digest,
    token_text,
)
from foliot.core.rules.audit_entries import token_entry
from foliot.core.secret import Secret
from foliot.ports.clock import Clock
from foliot.ports.store import Store, Transaction

_MADE_AT_FIRST_START = "admin"
# Who adds the tokens that a server starts with.
_SERVER = Author(name="server start")


class NewToken(Struct, frozen=True):
    """The properties of a token to create."""

    name: str
    role: Role
    scope: Scope = Scope()
    expires_at: Instant | None = None


class Tokens:
    """What Owners can do with the tokens within their own scope."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def list_tokens(self, who: Principal) -> Sequence[Token]:
        """Return the tokens within the caller's scope."""
        require(who, Role.OWNER)
        found = await self._store.read(lambda reading: reading.tokens())
        return [token for token in found if lies_within(token.scope, who.scope)]

    async def list_tokens_of(self, who: Principal, key: CollectionKey) -> Sequence[Token]:
        """Return the tokens that reach a collection, of those within the caller's scope."""
        check_sight(who, key)
        return [token for token in await self.list_tokens(who) if reaches(token.scope, key)]

    async def create_token(
        self, who: Principal, wanted: NewToken, random: bytes
    ) -> tuple[Token, Secret]:
        """Create a token; return it with its text, which is not stored."""
        require(who, Role.OWNER)
        if not lies_within(wanted.scope, who.scope):
            raise Forbidden("A token can be made only within the scope of one's own.")
        text = token_text(random)
        token = _token(wanted, digest(text), self._clock.now())
        made = who.changing_at(token.created_at)
        kept = await self._store.write(lambda transaction: _add(transaction, token, made))
        log_change(
            "Token created",
            token=kept.id,
            token_name=kept.name,
            role=kept.role.value,
            scope=_logged_scope(kept.scope),
        )
        return kept, Secret(text)

    async def revoke_token(self, who: Principal, token_id: int) -> bool:
        """Delete a token; tell whether it existed within the caller's scope."""
        require(who, Role.OWNER)

        def change(transaction: Transaction) -> bool:
            for token in transaction.tokens():
                if token.id == token_id and lies_within(token.scope, who.scope):
                    made = who.changing_at(self._clock.now())
                    transaction.add_audit_entries(token_entry(made, AuditAction.REVOKED, token))
                    return transaction.delete_token(token_id)
            return False

        is_revoked = await self._store.write(change)
        if is_revoked:
            log_change("Token revoked", token=token_id)
        return is_revoked


async def add_admin_token(store: Store, admin_token: Secret | None, now: Instant) -> Sequence[int]:
    """Store FOLIOT_ADMIN_TOKEN as an Owner token; return the ids of its earlier values.

    Those stay: they may be another node's, and only a command removes a token.
    """
    wanted = None if admin_token is None else digest(admin_token.reveal())
    made = Change(now, _SERVER.name, _SERVER)

    def change(transaction: Transaction) -> Sequence[int]:
        present = None if wanted is None else transaction.token(wanted)
        if present is not None and present.name != FROM_ENVIRONMENT:
            # The same text under another name may have a lower role, or expire.
            transaction.delete_token(present.id)
            transaction.add_audit_entries(token_entry(made, AuditAction.REVOKED, present))
            present = None
        if wanted is not None and present is None:
            _add(transaction, _token(NewToken(FROM_ENVIRONMENT, Role.OWNER), wanted, now), made)
        return [
            token.id
            for token in transaction.tokens()
            if token.name == FROM_ENVIRONMENT and token.digest != wanted
        ]

    try:
        return await store.write(change)
    except Conflict:
        # Another node has just added the same token: the second write finds it.
        return await store.write(change)


async def add_first_token(store: Store, text: str, now: Instant) -> Token:
    """Store the Owner token of a first start."""
    token = _token(NewToken(_MADE_AT_FIRST_START, Role.OWNER), digest(text), now)
    made = Change(now, _SERVER.name, _SERVER)
    return await store.write(lambda transaction: _add(transaction, token, made))


async def save_last_use(store: Store, token_id: int, now: Instant) -> None:
    """Store when a token was last used."""
    await store.write(lambda transaction: transaction.touch_token(token_id, now))


def _add(transaction: Transaction, token: Token, change: Change) -> Token:
    added = transaction.add_token(token)
    transaction.add_audit_entries(token_entry(change, AuditAction.CREATED, added))
    return added


def _token(wanted: NewToken, digest: bytes, now: Instant) -> Token:
    return Token(
        name=wanted.name,
        digest=digest,
        role=wanted.role,
        scope=wanted.scope,
        created_at=now,
        expires_at=wanted.expires_at,
    )


def _logged_scope(scope: Scope) -> str:
    """Write a scope as the log writes collections; `/` is everything."""
    return "/".join(part for part in structs.astuple(scope) if part) or "/"
