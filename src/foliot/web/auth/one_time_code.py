"""A sign-in code that works once, for a link that a server on this machine prints."""

import secrets
from hmac import compare_digest

from foliot.core.secret import Secret

_CODE_BYTES = 24


class OneTimeCode:
    """A code that signs in once, as the holder of the token with this digest."""

    def __init__(self, digest: bytes) -> None:
        self._digest = digest
        self._code: str | None = secrets.token_urlsafe(_CODE_BYTES)

    def reveal(self) -> Secret | None:
        """Return the code, or None once it has been used."""
        return None if self._code is None else Secret(self._code)

    def take(self, given: str) -> bytes | None:
        """Return the token's digest if the code is right, and invalidate the code."""
        if self._code is None or not compare_digest(self._code.encode(), given.encode()):
            return None
        self._code = None
        return self._digest
