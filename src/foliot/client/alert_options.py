"""What the options of `foliot alert create` and `update` say, as the API's JSON."""

import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from foliot.client.durations import iso_duration, parse_duration
from foliot.client.job_files import JsonObject
from foliot.core.errors import Invalid, within, wrong
from foliot.core.instant import DAY
from foliot.core.json_text import Json
from foliot.core.secret import Secret

NONE = "none"
_QUIET = re.compile(r"(\d{1,2}:\d\d)\s*-\s*(\d{1,2}:\d\d)", re.ASCII)


class AlertOptions(Struct, frozen=True, kw_only=True):
    """The options as they were typed; None is not given, `none` takes something away."""

    failed: str | None = None
    late: str | None = None
    no_success: str | None = None
    paused: bool | None = None
    expiring: str | None = None
    webhook: Sequence[str] = ()
    slack: Sequence[Secret] = ()
    email: Sequence[str] = ()
    tag: Sequence[str] = ()
    quiet: str | None = None
    zone: str | None = None
    description: str | None = None
    disabled: bool = False
    secret: Secret | None = None


def alert_changes(options: AlertOptions) -> JsonObject:
    """Return what the options say: a body, or a patch, in which null takes something away."""
    found: JsonObject = {
        **({"state": "disabled"} if options.disabled else {}),
        **_given("description", options.description),
        **_given("tags", _tags(options.tag) or None),
        **_given("when", _conditions(options) or None),
        **_given("sendTo", _destinations(options) or None),
        **_quiet_hours(options),
    }
    return {"properties": found} if found else {}


def _given(name: str, value: Json) -> JsonObject:
    return {} if value is None else {name: value}


def _conditions(options: AlertOptions) -> JsonObject:
    return {
        **_condition("--failed", options.failed, "failed", "inARow", _number),
        **_condition("--late", options.late, "late", "by", _period),
        **_condition("--no-success", options.no_success, "noSuccess", "intervals", _number),
        **_given("paused", options.paused),
        **_condition("--expiring", options.expiring, "expiring", "within", _period),
    }


def _condition(
    option: str, text: str | None, name: str, inner: str, read: Callable[[str], Json]
) -> JsonObject:
    if text is None:
        return {}
    if text.lower() == NONE:
        return {name: None}
    with within(option):
        return {name: {inner: read(text)}}


def _period(text: str) -> str:
    days, rest = divmod(parse_duration(text), DAY)
    return iso_duration(text) if rest or not days else f"P{days}D"


def _number(text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise wrong((), text, "a whole number, or none")
    return int(text)


def _destinations(options: AlertOptions) -> list[Json]:
    if options.secret is not None and not options.webhook:
        raise Invalid(("--secret-file",), "has no use without --webhook.")
    secret = {} if options.secret is None else {"secret": options.secret.reveal()}
    webhooks: list[Json] = [{"type": "webhook", "uri": each, **secret} for each in options.webhook]
    slack: list[Json] = [{"type": "slack", "uri": each.reveal()} for each in options.slack]
    email: list[Json] = [{"type": "email", "to": [*options.email]}] if options.email else []
    return [*webhooks, *slack, *email]


def _tags(texts: Sequence[str]) -> JsonObject:
    """Read NAME=VALUE; a name alone takes the tag away."""
    found: JsonObject = {}
    for each in texts:
        name, mark, value = each.partition("=")
        if not name.strip():
            raise wrong(("--tag",), each, "NAME=VALUE, or NAME to remove the tag")
        found[name.strip()] = value if mark else None
    return found


def _quiet_hours(options: AlertOptions) -> JsonObject:
    text, zone = options.quiet, options.zone
    if text is None:
        return {} if zone is None else {"quietHours": {"timeZone": zone}}
    if text.lower() == NONE:
        return {"quietHours": None}
    match = _QUIET.fullmatch(text.strip())
    if match is None:
        raise wrong(("--quiet",), text, "hours such as 22:00-07:00, or none")
    begin, end = (each.rjust(5, "0") for each in match.groups())
    return {"quietHours": {"from": begin, "to": end, **_given("timeZone", zone)}}
