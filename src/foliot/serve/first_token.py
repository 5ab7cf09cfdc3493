"""The Owner token of a new server: from the environment, or made at the first start."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from foliot.core.errors import CannotStart, Conflict
from foliot.core.instant import Instant
from foliot.core.model.token import FROM_ENVIRONMENT, Role, Token, digest, token_text
from foliot.core.secret import Secret
from foliot.ports.private_files import write_private
from foliot.ports.store import Store, Transaction

_FILE = "admin-token"
_MADE_AT_FIRST_START = "admin"


class SignIn(Struct, frozen=True):
    """What can be told about signing in.

    A token that was made just now is shown this once; a file is named if its token is good. The
    hash is that of the Owner token, if it is known which one that is. `older` are the ids of tokens
    that other values of FOLIOT_ADMIN_TOKEN have added, here or on another node.
    """

    made: Secret | None = None
    file: Path | None = None
    digest: bytes | None = None
    older: Sequence[int] = ()


async def add_admin_token(store: Store, admin_token: Secret | None, now: Instant) -> Sequence[int]:
    """Make the token of the environment an Owner token; return the ids of others from there.

    Those stay: they may be another node's, and only a command removes a token.
    """
    wanted = None if admin_token is None else digest(admin_token.reveal())

    def change(transaction: Transaction) -> Sequence[int]:
        present = None if wanted is None else transaction.token(wanted)
        if present is not None and present.name != FROM_ENVIRONMENT:
            # The same text under another name may have a lower role, or expire.
            transaction.delete_token(present.id)
            present = None
        if wanted is not None and present is None:
            transaction.add_token(_owner(FROM_ENVIRONMENT, wanted, now))
        return [
            token.id
            for token in transaction.tokens()
            if token.name == FROM_ENVIRONMENT and token.digest != wanted
        ]

    try:
        return await store.write(change)
    except Conflict:
        # Another node has just added the same one: it is there now.
        return await store.write(change)


async def make_first_token(store: Store, data_dir: Path, now: Instant, random: bytes) -> SignIn:
    """Make an Owner token where there is none at all, since nobody could call the server."""
    file = data_dir / _FILE
    digests = await store.read(lambda reading: {each.digest for each in reading.tokens()})
    if digests:
        known = _digest_in(file)
        return SignIn(file=file, digest=known) if known in digests else SignIn()
    text = token_text(random)
    try:
        # First the file: a token that is good but known to nobody would lock everyone out.
        write_private(file, f"{text}\n".encode())
    except OSError as error:
        raise CannotStart(f"cannot write {file}: {error.strerror}.") from None
    made = _owner(_MADE_AT_FIRST_START, digest(text), now)
    await store.write(lambda transaction: transaction.add_token(made))
    return SignIn(Secret(text), file, made.digest)


def _digest_in(file: Path) -> bytes | None:
    try:
        return digest(file.read_text().strip())
    except (OSError, UnicodeDecodeError):
        return None


def _owner(name: str, digest: bytes, now: Instant) -> Token:
    return Token(name=name, digest=digest, role=Role.OWNER, created_at=now)
