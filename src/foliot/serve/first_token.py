"""The Owner token that a server creates on its first start, and the file that holds it."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, structs

from foliot.app.tokens import add_first_token
from foliot.core.errors import CannotStart
from foliot.core.instant import Instant
from foliot.core.model.token import digest, token_text
from foliot.core.secret import Secret
from foliot.ports.private_files import write_private
from foliot.ports.store import Store

_FILE = "admin-token"


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

    def without_secret(self) -> "SignIn":
        """Return the same without the text of a token: the file has it."""
        return structs.replace(self, made=None)


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
    made = await add_first_token(store, text, now)
    return SignIn(Secret(text), file, made.digest)


def _digest_in(file: Path) -> bytes | None:
    try:
        return digest(file.read_text().strip())
    except (OSError, UnicodeDecodeError):
        return None
