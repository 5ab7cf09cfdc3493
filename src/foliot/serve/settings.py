"""What an operator can set: read once, from options and the environment, into one value.

Each option is also a variable (`--data-dir`, `FOLIOT_DATA_DIR`); the option wins. Secrets and
limits are variables alone: a command line is seen by everyone on the machine. An empty variable is
not set; one that nobody knows is refused, since a misspelt setting would go unnoticed.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from ipaddress import ip_network
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from foliot.core.errors import Invalid, wrong
from foliot.core.limits import Limits
from foliot.core.model.token import is_sendable
from foliot.core.secret import Secret
from foliot.dispatch.egress.parse_rules import parse_egress
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.client import HttpSettings
from foliot.dispatch.queue_endpoints import Endpoints, bus_endpoints, storage_endpoints
from foliot.web.proxies import Networks, is_loopback

Value = TypeVar("Value")

_MAX_PORT = 65_535
# Far above any sensible limit, and still exact wherever it is stored or counted in milliseconds.
_MAX_LIMIT = 2**31 - 1
_LOG_LEVELS = ("debug", "info", "warning", "error")
_LOG_FORMATS = ("console", "json")
_LONGEST_GRACE = 3600
# Four destinations must be able to have one each, and some are always kept.
_FEWEST_SLOTS, _MOST_SLOTS = 8, 10_000
_MOST_OPEN_RUNS = 1000
_MOST_CONNECTIONS = 100_000
_TRUTHS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
# Shorter ones could be guessed by trying.
_SHORTEST_TOKEN = 16
_PREFIX = "FOLIOT_"
_OF_THE_TESTS = "FOLIOT_TEST_"
_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://")


class NoTls(Struct, frozen=True):
    """Plain HTTP."""


class AutoTls(Struct, frozen=True):
    """A certificate of a local authority's own, made in the data directory."""


class TlsFiles(Struct, frozen=True):
    """A certificate and its key, in files of the operator's."""

    certificate: Path
    key: Path


Tls = NoTls | AutoTls | TlsFiles


class PostgresAddress(Struct, frozen=True):
    """Where a PostgreSQL database is, with the password; `shown` has none."""

    url: Secret
    shown: str


Database = Path | PostgresAddress


class Settings(Struct, frozen=True, kw_only=True):
    """Everything `foliot serve` is told; a path is that of an SQLite file."""

    host: str = "127.0.0.1"
    port: int = 8080
    data_dir: Path = Path("foliot-data")
    database: Database = Path("foliot-data/foliot.db")
    tls: Tls = NoTls()
    no_auth: bool = False
    no_engine: bool = False
    no_api: bool = False
    one_process: bool = False
    public_url: str | None = None
    trusted_proxies: Networks = ()
    admin_token: Secret | None = None
    secret_keys: Secret | None = None
    log_level: str = "info"
    log_format: str = "console"
    limits: Limits = Limits()
    egress: EgressRules = EgressRules()
    ca_file: Path | None = None
    proxy: str | None = None
    login_url: str = HttpSettings().login_url
    grace_seconds: int = 30
    slots: int = 512
    max_open_runs: int = 10
    max_connections_per_address: int = 256
    storage: Endpoints = storage_endpoints()
    service_bus: Endpoints = bus_endpoints()


Options = Mapping[str, str | bool | None]


def read_settings(options: Options, environ: Mapping[str, str]) -> Settings:
    """Read all settings; what cannot be accepted is Invalid, named as the operator wrote it."""
    given = _Given(options, environ)
    defaults = Settings()
    data_dir = given.read("data_dir", Path, defaults.data_dir)
    settings = Settings(
        host=given.read("host", _host, defaults.host),
        port=given.read("port", _port, defaults.port),
        data_dir=data_dir,
        database=given.read("database", _database, data_dir / "foliot.db"),
        tls=given.read("tls", _tls, defaults.tls),
        no_auth=given.read("no_auth", _truth, default=False),
        no_engine=given.read("no_engine", _truth, default=False),
        no_api=given.read("no_api", _truth, default=False),
        one_process=given.read("one_process", _truth, default=False),
        public_url=given.read("public_url", _public_url, None),
        trusted_proxies=given.read("trusted_proxies", _networks, ()),
        admin_token=given.read("admin_token", _token, None),
        secret_keys=given.read("secret_keys", Secret, None),
        log_level=given.read("log_level", _log_level, defaults.log_level),
        log_format=given.read("log_format", _log_format, defaults.log_format),
        limits=_limits(given),
        egress=_egress(given),
        ca_file=given.read("ca_file", Path, None),
        proxy=given.read("proxy", _public_url, None),
        login_url=given.read("login_url", _public_url, defaults.login_url),
        grace_seconds=given.read("grace", _seconds, defaults.grace_seconds),
        slots=given.read("slots", _slots, defaults.slots),
        max_open_runs=given.read("max_open_runs", _open_runs, defaults.max_open_runs),
        max_connections_per_address=given.read(
            "max_connections_per_address", _connections, defaults.max_connections_per_address
        ),
        storage=storage_endpoints(given.text("storage_suffix"), given.text("storage_endpoints")),
        service_bus=bus_endpoints(
            given.text("servicebus_suffix"), given.text("servicebus_endpoints")
        ),
    )
    given.refuse_unknown()
    if settings.no_auth and not is_loopback(settings.host):
        raise Invalid(
            (given.source("no_auth"),),
            f"is refused with the host {settings.host}: anyone could call. "
            "Listen on 127.0.0.1, or leave it out and use tokens.",
        )
    if settings.no_api and settings.no_engine:
        raise Invalid(
            (given.source("no_api"),),
            "is refused together with --no-engine: nothing would be left to do.",
        )
    return settings


class _Refused(Exception):
    """What would be right instead of a value that cannot be accepted; `shown` is safe to print."""

    def __init__(self, expected: str, shown: str | None = None) -> None:
        super().__init__(expected)
        self.expected = expected
        self.shown = shown


class _Given:
    """Options and environment, with the name under which each value was found."""

    def __init__(self, options: Options, environ: Mapping[str, str]) -> None:
        self._options = options
        self._environ = environ
        self._known: set[str] = set()

    def read(self, name: str, parse: Callable[[str], Value], default: Value) -> Value:
        self._known.add(_variable(name))
        value = self._options.get(name) or self._environ.get(_variable(name)) or None
        if value is None:
            return default
        text = "true" if value is True else str(value)
        try:
            return parse(text)
        except _Refused as refused:
            shown = text if refused.shown is None else refused.shown
            raise wrong((self.source(name),), shown, refused.expected) from None

    def text(self, name: str) -> str | None:
        return self.read(name, str, "") or None

    def refuse_unknown(self) -> None:
        """Refuse a variable that nothing has asked for."""
        ours = (name for name in self._environ if name.startswith(_PREFIX))
        for name in sorted(ours):
            if name not in self._known and not name.startswith(_OF_THE_TESTS):
                known = sorted(each.removeprefix(_PREFIX) for each in self._known)
                near = get_close_matches(name.removeprefix(_PREFIX), known, 1)
                hint = f"did you mean {_PREFIX}{near[0]}?" if near else "remove it."
                raise Invalid((name,), f"is not a setting of Foliot; {hint}")

    def source(self, name: str) -> str:
        return _option(name) if self._options.get(name) else _variable(name)


def _variable(name: str) -> str:
    return f"{_PREFIX}{name.upper()}"


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _host(text: str) -> str:
    host = text.removeprefix("[").removesuffix("]")
    if not host or any(character in host for character in "/ @") or not host.isascii():
        raise _Refused("an address or a name to listen on, such as 127.0.0.1, :: or localhost")
    return host


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= _MAX_PORT):
        raise _Refused(f"a port from 1 to {_MAX_PORT}, or 0 for any free one")
    return int(text)


def _truth(text: str) -> bool:
    if text.lower() not in _TRUTHS:
        raise _Refused("1 or 0")
    return _TRUTHS[text.lower()]


def _database(url: str) -> Database:
    if url.startswith(_POSTGRES):
        return _postgres(url)
    path = url.removeprefix(_SQLITE)
    if not url.startswith(_SQLITE) or path in {"", ":memory:"} or "?" in path:
        # The address of another kind of database may hold a password.
        shown = url if url.startswith("sqlite:") else f"{url.partition(':')[0][:20]}:..."
        raise _Refused(
            "sqlite:///relative/path.db, sqlite:////absolute/path.db"
            " or postgresql://user@host/database",
            shown,
        )
    return Path(path)


def _postgres(url: str) -> PostgresAddress:
    try:
        parts = urlsplit(url)
        # Several hosts, or a socket, are libpq's to read; here the password must be found.
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        raise _Refused("postgresql://user@host/database", "postgresql:...") from None
    return PostgresAddress(Secret(url), f"postgresql://{host}{parts.path}")


def _tls(text: str) -> Tls:
    certificate, comma, key = text.partition(",")
    match text.lower():
        case "none":
            return NoTls()
        case "auto":
            return AutoTls()
        case _ if certificate and comma and key:
            return TlsFiles(Path(certificate), Path(key))
        case _:
            raise _Refused("auto, none, or the files CERT,KEY with a comma between them")


def _public_url(text: str) -> str:
    try:
        url = urlsplit(text)
        whole = url.scheme in {"http", "https"} and url.hostname and url.port != 0
    except ValueError:
        whole, url = False, urlsplit("")
    if not whole or url.query or url.fragment or "@" in url.netloc or not text.isprintable():
        shown = "an address with a password" if "@" in text else text
        raise _Refused("the address clients use, such as https://jobs.example.com", shown)
    return text.rstrip("/")


def _networks(text: str) -> Networks:
    try:
        return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())
    except ValueError:
        raise _Refused("addresses or networks, such as 127.0.0.1,10.0.0.0/8") from None


def _token(text: str) -> Secret:
    if len(text) < _SHORTEST_TOKEN:
        raise _Refused(
            f"{_SHORTEST_TOKEN} characters or more, best as `openssl rand -hex 32` prints them",
            "(not shown)",
        )
    if not is_sendable(text):
        raise _Refused(
            "letters, digits and -._~+/= alone, best as `openssl rand -hex 32` prints them",
            "(not shown)",
        )
    return Secret(text)


def _log_level(text: str) -> str:
    if text.lower() not in _LOG_LEVELS:
        raise _Refused(f"one of {', '.join(_LOG_LEVELS)}")
    return text.lower()


def _log_format(text: str) -> str:
    if text.lower() not in _LOG_FORMATS:
        raise _Refused(f"one of {', '.join(_LOG_FORMATS)}")
    return text.lower()


def _egress(given: _Given) -> EgressRules:
    return parse_egress(given.text("egress_allow"), given.text("egress_deny"), given.text("egress"))


def _seconds(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= _LONGEST_GRACE):
        raise _Refused(f"a whole number of seconds from 0 to {_LONGEST_GRACE}")
    return int(text)


def _slots(text: str) -> int:
    return _whole(text, _FEWEST_SLOTS, _MOST_SLOTS)


def _open_runs(text: str) -> int:
    return _whole(text, 1, _MOST_OPEN_RUNS)


def _connections(text: str) -> int:
    return _whole(text, 1, _MOST_CONNECTIONS)


def _whole(text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and least <= int(text[:10]) <= most):
        raise _Refused(f"a whole number from {least} to {most}")
    return int(text)


def _limits(given: _Given) -> Limits:
    defaults = Limits()
    return Limits(
        **{
            field.name: given.read(field.name, _limit, getattr(defaults, field.name))
            for field in msgspec.structs.fields(Limits)
        }
    )


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(_MAX_LIMIT))):
        raise _Refused(f"a whole number from 1 to {_MAX_LIMIT}")
    if not 1 <= int(text) <= _MAX_LIMIT:
        raise _Refused(f"a whole number from 1 to {_MAX_LIMIT}")
    return int(text)
