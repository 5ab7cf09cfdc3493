"""The portal's context: the use cases and settings that pages need."""

import secrets
from collections.abc import Mapping
from hmac import compare_digest
from typing import NamedTuple

from foliot.app.use_cases import UseCases
from foliot.core.instant import Instant
from foliot.core.limits import Limits
from foliot.core.secret import Secret
from foliot.ports.clock import Clock
from foliot.web.auth.gate import Gate
from foliot.web.auth.sessions import Sessions
from foliot.web.proxies import Networks

_CODE_BYTES = 24


class OneTimeCode:
    """A code that signs in once, with the rights of a certain token."""

    def __init__(self, digest: bytes) -> None:
        self._digest = digest
        self._code: str | None = secrets.token_urlsafe(_CODE_BYTES)

    def reveal(self) -> Secret | None:
        """Return the code until it is used."""
        return None if self._code is None else Secret(self._code)

    def take(self, given: str) -> bytes | None:
        """Return the hash of the token if the code is right, and invalidate the code."""
        if self._code is None or not compare_digest(self._code.encode(), given.encode()):
            return None
        self._code = None
        return self._digest


class ServerInfo(NamedTuple):
    """What the pages Overview, About and Settings show about this server."""

    version: str
    node: str
    started_at: Instant
    runs_jobs: bool
    database: str
    time_offset: str
    settings: Mapping[str, str]


class PortalContext(NamedTuple):
    """What every page may use; without a gate all visitors are Owners."""

    use_cases: UseCases
    gate: Gate | None
    sessions: Sessions
    clock: Clock
    limits: Limits
    facts: ServerInfo
    public_url: str | None = None
    trusted_proxies: Networks = ()
    code: OneTimeCode | None = None
