"""The portal's context: the use cases and settings that pages need."""

from collections.abc import Mapping
from typing import NamedTuple

from foliot.app.use_cases import UseCases
from foliot.core.instant import Instant
from foliot.core.limits import Limits
from foliot.dispatch.queue_endpoints import Endpoints, bus_endpoints, storage_endpoints
from foliot.ports.clock import Clock
from foliot.web.auth.bearer_tokens import TokenAuthenticator
from foliot.web.auth.one_time_code import OneTimeCode
from foliot.web.auth.sessions import Sessions
from foliot.web.proxies import Networks


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
    """What every page may use; without authenticator all visitors are Owners."""

    use_cases: UseCases
    authenticator: TokenAuthenticator | None
    sessions: Sessions
    clock: Clock
    limits: Limits
    facts: ServerInfo
    public_url: str | None = None
    trusted_proxies: Networks = ()
    code: OneTimeCode | None = None
    storage: Endpoints = storage_endpoints()
    service_bus: Endpoints = bus_endpoints()
