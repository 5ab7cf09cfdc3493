"""The settings as the portal shows them: all of them, and no secret."""

from typing import Any

import pytest
from msgspec import structs

from foliot.core.limits import Limits
from foliot.serve.settings import Settings, read_settings, shown_settings
from foliot.serve.settings.setting import Setting
from foliot.serve.settings.table import TABLE

SECRET = "s3cr3t-and-not-shown"  # noqa: S105  (of a test)
GIVEN = {
    "FOLIOT_ADMIN_TOKEN": SECRET,
    "FOLIOT_SECRET_KEYS": SECRET,
    "FOLIOT_DATABASE": f"postgresql://me:{SECRET}@db/foliot",
    "FOLIOT_EGRESS": "listed-only",
    "FOLIOT_EGRESS_ALLOW": "10.0.0.0/8 :443",
    "FOLIOT_EGRESS_DENY": "evil.example",
    "FOLIOT_SLOTS": "4000",
    "FOLIOT_MAX_OPEN_RUNS": "7",
    "FOLIOT_GRACE": "90",
    "FOLIOT_STORAGE_SUFFIX": "core.chinacloudapi.cn",
    "FOLIOT_SERVICEBUS_ENDPOINTS": '{"bus": "amqp://127.0.0.1:5672"}',
}


class Asked(dict[str, str]):
    """An environment that knows what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.names.add(key)
        return super().get(key, default)


def test_every_setting_is_shown() -> None:
    environ = Asked()
    settings = read_settings({}, environ)
    limits = {f"FOLIOT_{field.name.upper()}" for field in structs.fields(Limits)}

    assert shown_settings(settings).keys() == environ.names - limits


def test_settings_are_shown_as_they_are_given_but_for_secrets() -> None:
    shown = shown_settings(read_settings({}, GIVEN))

    assert SECRET not in str(shown)
    assert {shown[name] for name in ("FOLIOT_ADMIN_TOKEN", "FOLIOT_SECRET_KEYS")} == {"set"}
    assert shown["FOLIOT_DATABASE"] == "PostgreSQL, postgresql://db/foliot"
    assert shown["FOLIOT_EGRESS"] == "listed-only"
    assert shown["FOLIOT_EGRESS_ALLOW"] == "10.0.0.0/8, :443"
    assert shown["FOLIOT_EGRESS_DENY"] == "evil.example"
    assert shown["FOLIOT_SLOTS"] == "4,000"
    assert shown["FOLIOT_MAX_OPEN_RUNS"] == "7"
    assert shown["FOLIOT_GRACE"] == "1 minute 30 seconds"
    assert shown["FOLIOT_STORAGE_SUFFIX"] == "core.chinacloudapi.cn"
    assert shown["FOLIOT_SERVICEBUS_SUFFIX"] == "servicebus.windows.net"
    assert shown["FOLIOT_SERVICEBUS_ENDPOINTS"] == "bus"


def test_what_is_not_set_is_said_so() -> None:
    shown = shown_settings(Settings())

    assert shown["FOLIOT_EGRESS"] == "open"
    assert shown["FOLIOT_EGRESS_ALLOW"] == "none"
    assert shown["FOLIOT_STORAGE_ENDPOINTS"] == "none"


SECRETS = [each for each in TABLE if each.is_secret]


@pytest.mark.parametrize("row", SECRETS, ids=lambda row: row.name)
def test_a_secret_has_no_option_and_is_not_shown(row: Setting) -> None:
    chosen = read_settings({}, {row.variable: SECRET})

    assert row.option is None
    assert shown_settings(chosen)[row.variable] == "set"
    assert shown_settings(Settings())[row.variable] == row.default


SHOWN = {
    "PORT": ("1234", "1234"),
    "DATABASE": ("postgresql://me:hunter2@h/jobs", "PostgreSQL, postgresql://h/jobs"),
    "DATA_DIR": ("/srv/foliot", "/srv/foliot"),
    "TLS": ("c.pem,k.pem", "c.pem, k.pem"),
    "PUBLIC_URL": ("https://jobs.example.com/", "https://jobs.example.com"),
    "TRUSTED_PROXIES": ("127.0.0.1,10.0.0.0/8", "127.0.0.1/32, 10.0.0.0/8"),
    "GRACE": ("90", "1 minute 30 seconds"),
    "NO_ENGINE": ("1", "1: Store jobs, but run none on this node."),
    "SLOTS": ("4000", "4,000"),
    "PROXY": ("http://proxy.example.com:3128", "set"),
    "EGRESS": ("PUBLIC-ONLY", "public-only"),
    "EGRESS_DENY": (":25 10.0.0.0/8", ":25, 10.0.0.0/8"),
    "STORAGE_SUFFIX": ("core.chinacloudapi.cn", "core.chinacloudapi.cn"),
    "SERVICEBUS_SUFFIX": ("servicebus.chinacloudapi.cn", "servicebus.chinacloudapi.cn"),
    "STORAGE_ENDPOINTS": (
        '{"dev": "http://127.0.0.1:10001/dev"}',
        "dev",
    ),
}


@pytest.mark.parametrize(("name", "given", "shown"), [(k, *v) for k, v in SHOWN.items()], ids=SHOWN)
def test_a_setting_is_shown_under_its_variable(name: str, given: str, shown: str) -> None:
    assert shown_settings(read_settings({}, {f"FOLIOT_{name}": given}))[f"FOLIOT_{name}"] == shown


def test_settings_that_are_not_given_are_shown_by_their_defaults() -> None:
    shown = shown_settings(Settings())

    assert shown["FOLIOT_PUBLIC_URL"] == "as the request came in"
    assert shown["FOLIOT_TRUSTED_PROXIES"] == "none"
    assert shown["FOLIOT_TLS"] == "none"
    assert shown["FOLIOT_NO_AUTH"] == "0"
    assert shown["FOLIOT_STORAGE_SUFFIX"] == "core.windows.net"
    assert shown["FOLIOT_SLOTS_PER_HOST"] == "a quarter of FOLIOT_SLOTS"


def test_limits_are_not_among_the_settings_since_a_page_shows_them_to_everyone() -> None:
    assert "FOLIOT_MAX_JOB_BYTES" not in shown_settings(Settings())
