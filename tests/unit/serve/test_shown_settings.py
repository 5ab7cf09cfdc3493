"""The settings as the portal shows them: all of them, and no secret."""

from typing import Any

from msgspec import structs

from foliot.core.limits import Limits
from foliot.serve.portal import shown_settings
from foliot.serve.settings import Settings, read_settings

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
