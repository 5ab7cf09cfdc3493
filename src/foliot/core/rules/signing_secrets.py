"""Reads the secrets that sign webhooks, by the rules of https://www.standardwebhooks.com."""

from base64 import b64decode

from foliot.core.errors import Invalid
from foliot.core.secret import Secret

# What a receiver verifies: an id, a time, and the signature of both with the body.
SIGNATURE_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")

_PREFIX = "whsec_"
_BYTES = range(24, 65)
_MAX_SECRETS = 5


def signing_keys(secret: Secret) -> list[bytes]:
    """Return the keys of one or more secrets, separated by spaces while one replaces another."""
    written = secret.reveal().split()
    keys = [_key(each) for each in written]
    if not keys or len(keys) > _MAX_SECRETS:
        expected = f"give 1 to {_MAX_SECRETS}, separated by spaces"
        raise Invalid((), f"has {len(keys)} secrets; {expected}.")
    return keys


def _key(text: str) -> bytes:
    try:
        key = b64decode(text.removeprefix(_PREFIX), validate=True)
    except ValueError:
        key = b""
    if not text.startswith(_PREFIX) or len(key) not in _BYTES:
        raise Invalid(
            (),
            f"is not a signing secret; give {_PREFIX} and, in base64, "
            f"{_BYTES[0]} to {_BYTES[-1]} bytes.",
        )
    return key
