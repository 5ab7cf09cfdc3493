"""The settings of a server, as one value."""

from pathlib import Path

from msgspec import Struct

from foliot.core.job_defaults import JobDefaults
from foliot.core.limits import Limits
from foliot.core.networks import Networks
from foliot.core.secret import Secret
from foliot.dispatch.alerts.smtp import SmtpSettings
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.queue_endpoints import Endpoints, bus_endpoints, storage_endpoints


class NoTls(Struct, frozen=True):
    """Plain HTTP."""


class AutoTls(Struct, frozen=True):
    """A certificate that the server issues itself and keeps in the data directory."""


class TlsFiles(Struct, frozen=True):
    """A certificate and its key, in files of the operator's."""

    certificate: Path
    key: Path


Tls = NoTls | AutoTls | TlsFiles


class PostgresAddress(Struct, frozen=True):
    """The address of a PostgreSQL database, with its password; `shown` has no password."""

    url: Secret
    shown: str


# A path is that of an SQLite file.
Database = Path | PostgresAddress


class Settings(Struct, frozen=True, kw_only=True):
    """All settings of `foliot serve`, with their defaults; `table` describes each of them."""

    host: str = "127.0.0.1"
    port: int = 8080
    data_dir: Path = Path("foliot-data")
    database: Database = Path("foliot-data/foliot.db")
    tls: Tls = NoTls()
    public_url: str | None = None
    trusted_proxies: Networks = ()
    max_connections_per_address: int = 256
    metrics_collections: int = 100
    tracing: bool = False
    log_level: str = "info"
    log_format: str = "console"
    grace_seconds: int = 30
    no_engine: bool = False
    no_api: bool = False
    one_process: bool = False
    no_auth: bool = False
    admin_token: Secret | None = None
    secret_keys: Secret | None = None
    slots: int = 512
    slots_per_host: int | None = None
    claim_batch: int = 500
    max_open_runs: int = 10
    ca_file: Path | None = None
    proxy: str | None = None
    login_url: str = HttpSettings().login_url
    egress: EgressRules = EgressRules()
    smtp: SmtpSettings = SmtpSettings()
    storage: Endpoints = storage_endpoints()
    service_bus: Endpoints = bus_endpoints()
    job_defaults: JobDefaults = JobDefaults()
    limits: Limits = Limits()
