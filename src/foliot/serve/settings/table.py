"""The table of settings: one row for each.

`read_settings` parses options and variables by it. `foliot serve --help`, the Settings page of the
portal and docs/reference/settings.md are written from it. A secret has no option: a command line is
visible to everyone on the machine.
"""

from collections.abc import Mapping, Sequence

from foliot.core.job_defaults import ENVELOPE, PLAIN_TEXT
from foliot.dispatch.egress.parse_rules import parse_egress
from foliot.dispatch.egress.rules import EgressMode
from foliot.dispatch.queue_endpoints import bus_endpoints, storage_endpoints
from foliot.serve.settings import parsers
from foliot.serve.settings.limits_table import LIMITS
from foliot.serve.settings.mail_table import MAIL
from foliot.serve.settings.monitoring_table import MONITORING
from foliot.serve.settings.parsers import ValueParser, one_of, web_address, whole_number
from foliot.serve.settings.setting import Setting
from foliot.serve.settings.value_text import (
    count_text,
    database_text,
    egress_text,
    endpoints_text,
    hidden_text,
    networks_text,
    path_text,
    seconds_text,
    tls_text,
)

_MAX_GRACE_SECONDS = 3600
_MAX_DELAY_SECONDS = 3600
# Four hosts must be able to hold one slot each while some slots stay reserved.
_MIN_SLOTS, _MAX_SLOTS = 8, 10_000
# A collection dominates a claim if it has more than a twentieth of it.
_MIN_CLAIM, _MAX_CLAIM = 20, 1000

_SERVER = (
    Setting(
        "host",
        parsers.HOST,
        "Listen on this address.",
        metavar="ADDRESS",
        details="`0.0.0.0` or `::` for all addresses of the machine.",
    ),
    Setting(
        "port",
        parsers.PORT,
        "Listen on this port.",
        metavar="PORT",
        details="With `0` the server prints which port it listens on.",
    ),
    Setting(
        "data_dir",
        parsers.DIRECTORY,
        "Keep keys, certificates and the database here.",
        metavar="DIR",
        default="./foliot-data",
        details="One process at a time uses the directory.",
        show=path_text,
    ),
    Setting(
        "database",
        parsers.DATABASE,
        "Keep jobs here: sqlite:///PATH or postgresql://...",
        metavar="URL",
        default="foliot.db in the data directory",
        details="PostgreSQL is for [several nodes](../how-to/several-nodes.md).",
        show=database_text,
    ),
    Setting(
        "tls",
        parsers.TLS,
        "Speak HTTPS: make a certificate, or use these files.",
        metavar="auto|CERT,KEY|none",
        default="none",
        details="See [TLS](../how-to/start-a-server.md#tls).",
        show=tls_text,
    ),
    Setting(
        "public_url",
        web_address("the address clients use, such as https://jobs.example.com"),
        "The address clients use, for links.",
        metavar="URL",
        default="as the request came in",
    ),
    Setting(
        "trusted_proxies",
        parsers.NETWORKS,
        "Trust X-Forwarded-* headers from these networks.",
        metavar="NETS",
        default="none",
        show=networks_text,
    ),
    Setting(
        "log_level",
        one_of(("debug", "info", "warning", "error")),
        "Log from this level on: debug, info, warning or error.",
        metavar="LEVEL",
    ),
    Setting(
        "log_format",
        one_of(("console", "json")),
        "Log for people (console) or for programs (json).",
        metavar="FORMAT",
        details="See [logs](../how-to/logs.md).",
    ),
    Setting(
        "grace",
        whole_number(0, _MAX_GRACE_SECONDS, "a whole number of seconds"),
        "Seconds that attempts may take to finish when stopping.",
        metavar="SECONDS",
        details="Unfinished attempts are re-queued with the same execution tag.",
        field="grace_seconds",
        show=seconds_text,
    ),
    Setting("no_engine", parsers.FLAG, "Store jobs, but run none on this node."),
    Setting(
        "no_api",
        parsers.FLAG,
        "Run jobs, but answer no API on this node.",
        details="`/healthz`, `/readyz`, `/metrics` and `/nodes` still answer.",
    ),
    Setting(
        "one_process",
        parsers.FLAG,
        "Send requests from the server process, not from a worker process.",
        default="off; on with one processor",
        details="Saves 45 MB.",
    ),
    Setting(
        "max_connections_per_address",
        whole_number(1, 100_000),
        "Connections of one client address.",
        details="With IPv6, of one /64 network. Never more than half of all connections; trusted"
        " proxies have no limit.",
        show=count_text,
    ),
)

_ACCESS = (
    Setting("no_auth", parsers.FLAG, "Require no token; on loopback only."),
    Setting(
        "admin_token",
        parsers.TOKEN,
        "The Owner token.",
        default="not set; the first start makes one",
        details="See [tokens](../how-to/tokens.md).",
        is_secret=True,
    ),
    Setting(
        "secret_keys",
        parsers.KEYS,
        "The keys that encrypt jobs at rest.",
        default="in the data directory",
        details="See [key rotation](../how-to/rotate-the-secret-key.md).",
        is_secret=True,
    ),
)

_ENGINE = (
    Setting(
        "slots",
        whole_number(_MIN_SLOTS, _MAX_SLOTS),
        "Attempts in flight at a time on this node.",
        details="Fewer if there are [too few descriptors](../how-to/start-a-server.md#settings).",
        show=count_text,
    ),
    Setting(
        "slots_per_host",
        whole_number(1, _MAX_SLOTS // 2),
        "Slots that one host, storage account or namespace may always use.",
        default="a quarter of FOLIOT_SLOTS",
        details="It uses more only while over a quarter of all slots are free. At most half of"
        " `FOLIOT_SLOTS`.",
        show=count_text,
    ),
    Setting(
        "claim_batch",
        whole_number(_MIN_CLAIM, _MAX_CLAIM),
        "Runs that one transaction claims at most.",
        show=count_text,
    ),
    Setting(
        "max_open_runs",
        whole_number(1, 1000),
        "Open runs of one job.",
        details="Further occurrences are skipped.",
        show=count_text,
    ),
    Setting(
        "immediate_delay_seconds",
        whole_number(0, _MAX_DELAY_SECONDS, "a whole number of seconds"),
        "Seconds from the creation of a job without a start time to its first run.",
        details="See [the first occurrence](schedule.md#the-first-occurrence).",
        field="job_defaults.immediate_delay_seconds",
        show=seconds_text,
    ),
)

_EGRESS = "addresses, networks, hosts or ports, with commas or spaces between them"
_DOMAIN = "a domain such as core.windows.net"
_ENDPOINTS = 'a JSON object of names and addresses: {"name": "http://host"}'
_ACTIONS = (
    Setting("ca_file", parsers.FILE, "Certificates to trust, in PEM.", default="the system's"),
    Setting(
        "proxy",
        web_address("the address of a proxy, such as http://proxy.example.com:3128"),
        "Send the requests of actions through this proxy.",
        default="none",
        show=hidden_text,
    ),
    Setting(
        "login_url",
        web_address("the address of a token service, such as https://login.example.com"),
        "The token service of `ActiveDirectoryOAuth`.",
    ),
    Setting(
        "egress",
        ValueParser(
            f"one of {', '.join(EgressMode)}", lambda text: parse_egress(None, None, text).mode
        ),
        "Which addresses actions may call.",
        details="See [egress rules](../how-to/egress.md).",
        field="egress.mode",
    ),
    Setting(
        "egress_allow",
        ValueParser(_EGRESS, lambda text: parse_egress(text, None, None).allow),
        "What actions may call.",
        default="none",
        field="egress.allow",
        show=egress_text,
    ),
    Setting(
        "egress_deny",
        ValueParser(_EGRESS, lambda text: parse_egress(None, text, None).deny),
        "What actions may not call.",
        default="none",
        field="egress.deny",
        show=egress_text,
    ),
    Setting(
        "queue_format",
        one_of((PLAIN_TEXT, ENVELOPE)),
        "Format of storage queue messages without one: text or envelope.",
        metavar="FORMAT",
        details="See [the envelope](../how-to/storage-queues.md#the-envelope).",
        field="job_defaults.queue_format",
    ),
    Setting(
        "storage_suffix",
        ValueParser(_DOMAIN, lambda text: storage_endpoints(text).pattern),
        "The domain of storage accounts.",
        default="core.windows.net",
        details="See [other clouds](../how-to/storage-queues.md#other-clouds).",
        field="storage.pattern",
        show=lambda pattern: pattern.removeprefix("{}.queue."),
    ),
    Setting(
        "storage_endpoints",
        ValueParser(_ENDPOINTS, lambda text: storage_endpoints(None, text).placed),
        "Storage accounts at addresses of their own.",
        default="none",
        field="storage.placed",
        show=endpoints_text,
    ),
    Setting(
        "servicebus_suffix",
        ValueParser(_DOMAIN, lambda text: bus_endpoints(text).pattern),
        "The domain of service bus namespaces.",
        default="servicebus.windows.net",
        details="See [other clouds](../how-to/service-bus.md#emulators-and-other-clouds).",
        field="service_bus.pattern",
        show=lambda pattern: pattern.removeprefix("{}."),
    ),
    Setting(
        "servicebus_endpoints",
        ValueParser(_ENDPOINTS, lambda text: bus_endpoints(None, text).placed),
        "Service bus namespaces at addresses of their own.",
        default="none",
        field="service_bus.placed",
        show=endpoints_text,
    ),
)


SECTIONS: Mapping[str, Sequence[Setting]] = {
    "Server": _SERVER,
    "Access and secrets": _ACCESS,
    "Monitoring": MONITORING,
    "Engine": _ENGINE,
    "Actions": _ACTIONS,
    "E-mail": MAIL,
    "Limits": LIMITS,
}
TABLE = tuple(setting for section in SECTIONS.values() for setting in section)
