"""What the pages work with."""

from collections.abc import Mapping
from typing import NamedTuple

from foliot.app.use_cases import UseCases
from foliot.core.instant import Instant
from foliot.core.limits import Limits
from foliot.ports.clock import Clock
from foliot.web.auth.bearer_tokens import TokenAuthenticator
from foliot.web.auth.one_time_code import OneTimeCode
from foliot.web.auth.sessions import Sessions
from foliot.web.proxies import Networks


class Facts(NamedTuple):
    """What the portal tells about its server."""

    version: str
    node: str
    started_at: Instant
    runs_jobs: bool
    database: str
    time_offset: str
    settings: Mapping[str, str]


class Desk(NamedTuple):
    """The use cases and what belongs to them; without authenticator all are Owners."""

    use_cases: UseCases
    authenticator: TokenAuthenticator | None
    sessions: Sessions
    clock: Clock
    limits: Limits
    facts: Facts
    public_url: str | None = None
    trusted_proxies: Networks = ()
    code: OneTimeCode | None = None
