"""The options of a job as the JSON that the API takes: a merge patch, null removes."""

from collections.abc import Sequence
from datetime import tzinfo

from msgspec import Struct

from foliot.client.durations import iso_duration
from foliot.client.every import parse_every
from foliot.client.job_files import JsonObject
from foliot.client.retries import retry_policy
from foliot.client.typed_times import find_zone, parse_time
from foliot.core.errors import Invalid, within, wrong
from foliot.core.instant import Instant, format_instant
from foliot.core.json_text import Json
from foliot.core.secret import Secret


class JobOptions(Struct, frozen=True, kw_only=True):
    """The options of a job as they were typed; what was not given is None or empty."""

    every: str | None = None
    cron: str | None = None
    zone: str | None = None
    at: str | None = None
    until: str | None = None
    count: int | None = None
    exclude: Sequence[str] = ()
    exclude_calendar: Sequence[str] = ()
    exclude_then: str | None = None
    url: str | None = None
    http: tuple[str, str] | None = None
    method: str | None = None
    header: Sequence[str] = ()
    body: str | None = None
    basic: str | None = None
    retry: str | None = None
    retry_on: str | None = None
    template: bool = False
    overlap: str | None = None
    catch_up: str | None = None
    catch_up_window: str | None = None
    start_within: str | None = None
    jitter: str | None = None
    timeout: str | None = None
    pause_after: int | None = None
    disabled: bool = False


class JobSecrets(Struct, frozen=True):
    """What is never typed into a command: a password, and the content of a certificate file."""

    password: Secret | None = None
    pfx: Secret | None = None


def job_changes(options: JobOptions, secrets: JobSecrets, now: Instant) -> JsonObject:
    """Return what the options say about a job."""
    properties: JsonObject = {
        **_start(options, now),
        **_if_any("recurrence", _recurrence(options, now)),
        **_if_any("action", _action(options, secrets)),
        **_if_any("policy", _policy(options)),
        **({"state": "disabled"} if options.disabled else {}),
    }
    return {"properties": properties} if properties else {}


def fill_in(job: JsonObject, now: Instant) -> None:
    """Give a new job what people expect who do not say it.

    A request has a method. A job with a cron expression has a start: without one it would also run
    at once.
    """
    properties = job.get("properties")
    if not isinstance(properties, dict):
        return
    action, recurrence = properties.get("action"), properties.get("recurrence")
    request = action.get("request") if isinstance(action, dict) else None
    if isinstance(request, dict):
        request.setdefault("method", "GET" if request.get("body") is None else "POST")
    if isinstance(recurrence, dict) and recurrence.get("cron") is not None:
        properties.setdefault("startTime", format_instant(now))


def _start(options: JobOptions, now: Instant) -> JsonObject:
    if options.at is None:
        return {}
    return {"startTime": _time("--at", options.at, now, _zone(options))}


def _recurrence(options: JobOptions, now: Instant) -> JsonObject:
    if options.every is not None and options.cron is not None:
        raise Invalid(("--cron",), "cannot stand beside --every; give one of them.")
    return {
        **_rule(options),
        **({} if options.zone is None else {"timeZone": _zone_name(options.zone)}),
        **({} if options.count is None else {"count": options.count}),
        **_if_any("exclude", _exclude(options)),
        **(
            {}
            if options.until is None
            else {"endTime": _time("--until", options.until, now, _zone(options))}
        ),
    }


def _exclude(options: JobOptions) -> JsonObject:
    return {
        **({"dates": [*options.exclude]} if options.exclude else {}),
        **({"calendars": [*options.exclude_calendar]} if options.exclude_calendar else {}),
        **({} if options.exclude_then is None else {"then": options.exclude_then}),
    }


def _rule(options: JobOptions) -> JsonObject:
    # The parts of another rule are removed: nothing of it can stay beside the new one.
    if options.every is not None:
        with within("--every"):
            every = parse_every(options.every)
        rule: JsonObject = {"frequency": every.frequency, "interval": every.interval}
        return {**rule, "cron": None, "schedule": None}
    if options.cron is not None:
        return {"cron": options.cron, "frequency": None, "interval": None, "schedule": None}
    return {}


def _zone(options: JobOptions) -> tzinfo | None:
    if options.zone is None:
        return None
    with within("--zone"):
        return find_zone(options.zone)


def _zone_name(name: str) -> str:
    with within("--zone"):
        return find_zone(name).key


def _time(option: str, text: str, now: Instant, zone: tzinfo | None) -> str:
    with within(option):
        return format_instant(parse_time(text, now, zone))


def _action(options: JobOptions, secrets: JobSecrets) -> JsonObject:
    return {
        **_request_action(options, secrets),
        **_if_any("retryPolicy", _retry_policy(options)),
        **({"template": True} if options.template else {}),
    }


def _request_action(options: JobOptions, secrets: JobSecrets) -> JsonObject:
    method, uri = _method_and_address(options)
    request: JsonObject = {
        **({} if uri is None else {"uri": uri}),
        **({} if method is None else {"method": method.upper()}),
        **_if_any("headers", dict(_header(each) for each in options.header)),
        **({} if options.body is None else {"body": options.body}),
        **_if_any("authentication", _authentication(options, secrets)),
    }
    if uri is None:
        return _if_any("request", request)
    scheme = uri.partition("://")[0].lower()
    kind = scheme if scheme in {"http", "https"} else "https"
    return {"type": kind, "request": request}


def _method_and_address(options: JobOptions) -> tuple[str | None, str | None]:
    if options.http is None:
        return options.method, options.url
    if options.url is not None or options.method is not None:
        raise Invalid(("--http",), "cannot stand beside --url and --method; give --http alone.")
    return options.http


def _header(text: str) -> tuple[str, Json]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise wrong(("--header",), text, "a header such as 'Content-Type: application/json'")
    return name.strip(), value.strip()


def _authentication(options: JobOptions, secrets: JobSecrets) -> JsonObject:
    password: JsonObject = (
        {} if secrets.password is None else {"password": secrets.password.reveal()}
    )
    if options.basic is not None and secrets.pfx is not None:
        raise Invalid(("--cert",), "cannot stand beside --basic; give one of them.")
    if options.basic is not None:
        return {"type": "Basic", "username": options.basic, **password}
    if secrets.pfx is not None:
        return {"type": "ClientCertificate", "pfx": secrets.pfx.reveal(), **password}
    return {}


def _retry_policy(options: JobOptions) -> JsonObject:
    with within("--retry"):
        policy = {} if options.retry is None else retry_policy(options.retry)
    return policy | ({} if options.retry_on is None else {"retryOn": options.retry_on})


def _policy(options: JobOptions) -> JsonObject:
    periods = {
        "catchUpWindow": ("--catch-up-window", options.catch_up_window),
        "startWithin": ("--start-within", options.start_within),
        "jitter": ("--jitter", options.jitter),
        "timeout": ("--timeout", options.timeout),
    }
    return {
        **({} if options.overlap is None else {"overlap": options.overlap}),
        **({} if options.catch_up is None else {"catchUp": options.catch_up}),
        **{
            name: _period(option, text)
            for name, (option, text) in periods.items()
            if text is not None
        },
        **({} if options.pause_after is None else {"pauseAfter": options.pause_after}),
    }


def _period(option: str, text: str) -> str:
    with within(option):
        return iso_duration(text)


def _if_any(name: str, value: JsonObject) -> JsonObject:
    return {name: value} if value else {}
