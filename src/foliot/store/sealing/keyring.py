"""Seals and opens values: AES-256-GCM under the newest of several keys.

A sealed value is one byte of format, eight that name its key, a nonce of twelve, the ciphertext
and its tag. Its context, the row it belongs to, is authenticated with it, so that it does not open
in another row.
"""

import base64
import binascii
import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from foliot.ports.private_files import private_draft, publish
from foliot.store.errors import InvalidKeys, StoreError, WrongKey

KEY_FILE = "secret-key"
HEADER_SIZE = 9

_KEY_SIZE = 32
_NONCE_SIZE = 12
_BODY = HEADER_SIZE + _NONCE_SIZE
_FORMAT = b"\x01"
_VARIABLE = "FOLIOT_SECRET_KEYS"
_RIGHT = "give 32 random bytes in base64, such as `openssl rand -base64 32` prints"


class CannotOpen(Exception):
    """A sealed value that does not open, with the reason in words."""


class KeyNotGiven(CannotOpen):
    """A sealed value whose key is not given; a node that has the key can open it."""


class Keyring:
    """Seals with the first of its keys and opens with whichever a value was sealed with."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._ciphers = {_header(key): AESGCM(key) for key in keys}
        self.header = _header(keys[0])
        self.has_older_keys = len(self._ciphers) > 1
        self._newest = self._ciphers[self.header]
        # Hashes, for people to tell keys apart; the one that seals is the first.
        self.names = ",".join(map(key_name, self._ciphers))

    def seal(self, value: bytes, context: bytes) -> bytes:
        """Encrypt a value and bind it to its context."""
        nonce = os.urandom(_NONCE_SIZE)
        return self.header + nonce + self._newest.encrypt(nonce, value, context)

    def open(self, sealed: bytes, context: bytes) -> bytes:
        """Return the value that was sealed for this context."""
        cipher = self._ciphers.get(sealed[:HEADER_SIZE])
        if cipher is None:
            raise _unknown(sealed)
        try:
            return cipher.decrypt(sealed[HEADER_SIZE:_BODY], sealed[_BODY:], context)
        except (InvalidTag, ValueError):
            raise CannotOpen("what is stored is damaged") from None

    def knows(self, header: bytes) -> bool:
        """Tell whether the key with this name is among these."""
        return header in self._ciphers


def key_name(header: bytes) -> str:
    """Return the name of a key, from the beginning of what it has sealed."""
    return header[1:HEADER_SIZE].hex()


def load_keyring(data_dir: Path, *, from_environment: str | None, database_exists: bool) -> Keyring:
    """Return the keys given in the environment, or else those in the data directory.

    A key is made for a new database only: one made for an existing database would open nothing.
    """
    if from_environment and from_environment.strip():
        return Keyring(_parse_keys(from_environment, _VARIABLE))
    path = data_dir / KEY_FILE
    try:
        if not path.exists():
            _refuse_without_key(path, database_exists=database_exists)
            _create_key_file(path)
        return read_keyring(path)
    except OSError as failure:
        raise StoreError(f"{path} cannot be used: {failure.strerror}.") from None


def parse_keyring(text: str, source: str) -> Keyring:
    """Return the keys in a text; `source` names it in refusals."""
    return Keyring(_parse_keys(text, source))


def read_keyring(path: Path) -> Keyring:
    """Return the keys in a file."""
    return Keyring(_parse_keys(path.read_text("ascii", errors="replace"), str(path)))


def _unknown(sealed: bytes) -> CannotOpen:
    if len(sealed) > _BODY and sealed.startswith(_FORMAT):
        return KeyNotGiven("it was sealed with a key that is not among those given")
    return CannotOpen("what is stored is damaged")


def _header(key: bytes) -> bytes:
    return _FORMAT + hashlib.sha256(b"foliot key id" + key).digest()[: HEADER_SIZE - 1]


def _parse_keys(text: str, source: str) -> list[bytes]:
    entries = text.split(",")
    return [
        _parse_key(entry.strip(), f"{source}: entry {number} of {len(entries)}")
        for number, entry in enumerate(entries, start=1)
    ]


def _parse_key(entry: str, where: str) -> bytes:
    try:
        key = base64.b64decode(entry, validate=True)
    except (binascii.Error, ValueError):
        raise InvalidKeys(f"{where} is not base64; {_RIGHT}.") from None
    if len(key) != _KEY_SIZE:
        raise InvalidKeys(f"{where} has {len(key)} bytes; {_RIGHT}.")
    return key


def _refuse_without_key(path: Path, *, database_exists: bool) -> None:
    if database_exists:
        raise WrongKey(
            f"The key of the database is missing: {path} does not exist and {_VARIABLE} is not set."
            " Restore the file from a backup, or set the variable to the key."
        )


def _create_key_file(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with private_draft(path) as draft:
        draft.write_bytes(base64.b64encode(os.urandom(_KEY_SIZE)) + b"\n")
        # The key that another process has just made counts.
        with suppress(FileExistsError):
            publish(draft, path)
