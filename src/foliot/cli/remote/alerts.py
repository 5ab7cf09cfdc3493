"""`foliot alert list`, `show`, `delete`, `enable`, `disable` and `test`."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Annotated
from urllib.parse import urlsplit

import typer

from foliot.cli.remote.command import ServerSession, server_command
from foliot.cli.remote.fields import field, job_name, second, text_at, time, value_at
from foliot.cli.remote.job_inputs import confirm
from foliot.cli.remote.output import Column, details
from foliot.client.errors import RunFailed
from foliot.client.job_files import JsonObject
from foliot.core.json_text import Json
from foliot.core.plurals import how_many

AlertName = Annotated[str, typer.Argument(metavar="ALERT", help="The alert.")]
# The names of the conditions, and of the one value that each has; the last is said of the value 1.
_CONDITIONS = {
    "failed": ("inARow", "failed {} in a row", "failed"),
    "late": ("by", "late by {}", ""),
    "noSuccess": ("intervals", "no success for {} intervals", "no success for 1 interval"),
    "expiring": ("within", "expiring within {}", ""),
}


@server_command("alert list", examples="foliot alert list --collection work")
def list_alerts(session: ServerSession) -> None:
    """List the alerts of a collection, with their open incidents."""
    columns = (
        Column("NAME", job_name),
        Column("STATE", field("properties", "state")),
        Column("WHEN", _when),
        Column("SENDS TO", _send_to),
        Column("INCIDENTS", field("properties", "status", "openIncidents")),
        Column("LAST SENT", time("properties", "status", "lastSentTime")),
        Column("WAITING", field("properties", "status", "waitingMessages")),
        Column("LAST ERROR", field("properties", "status", "lastError")),
    )
    session.out.rows(session.client.alerts(session.key), columns)


@server_command("alert show", examples="foliot alert show nightly --output yaml")
def show_alert(session: ServerSession, alert: AlertName) -> None:
    """Show an alert: what it tells, to whom, and what was sent last."""
    found = session.client.alert(session.key, alert)
    session.out.value(found, alert_lines(found))


def alert_lines(alert: JsonObject) -> list[str]:
    """Return what is told of an alert."""
    return details(_told(alert))


def _told(alert: JsonObject) -> Iterator[tuple[str, str]]:
    properties = alert.get("properties")
    yield "alert", job_name(alert)
    yield "state", text_at(properties, "state")
    yield "description", text_at(properties, "description")
    tags = value_at(properties, "tags")
    yield "jobs", _tags(tags) if isinstance(tags, dict) and tags else "all of the collection"
    yield "when", _when(alert)
    for each, error in zip_longest(_destinations(alert), _errors(alert), fillvalue=""):
        signed = " (signed)" if value_at(each, "signed") else ""
        yield "sends to", f"{told_destination(each)}{signed}"
        yield "last error", error
    quiet = [text_at(properties, "quietHours", name) for name in ("from", "to", "timeZone")]
    yield "quiet", "{}-{} {}".format(*quiet) if quiet[0] else ""
    yield "open incidents", text_at(properties, "status", "openIncidents")
    waiting = value_at(properties, "status", "waitingMessages")
    yield "waiting", how_many(waiting, "message") if isinstance(waiting, int) and waiting else ""
    yield "last sent", second(text_at(properties, "status", "lastSentTime"))


def _errors(alert: JsonObject) -> list[str]:
    """Return the last error of each destination, empty if it took the last message."""
    found = value_at(alert, "properties", "status", "destinations")
    return [text_at(each, "lastError") for each in found] if isinstance(found, list) else []


def _tags(tags: dict[str, Json]) -> str:
    return "with " + ", ".join(f"{name}={value}" for name, value in tags.items())


def _when(alert: JsonObject) -> str:
    given = value_at(alert, "properties", "when")
    values = {name: text_at(given, name, inner) for name, (inner, *_) in _CONDITIONS.items()}
    told = [
        one if values[name] == "1" else text.format(values[name])
        for name, (_, text, one) in _CONDITIONS.items()
        if values[name]
    ]
    return ", ".join([*told, *(["paused"] if value_at(given, "paused") else [])])


def _destinations(alert: JsonObject) -> list[Json]:
    found = value_at(alert, "properties", "sendTo")
    return found if isinstance(found, list) else []


def _send_to(alert: JsonObject) -> str:
    return ", ".join(
        f"{text_at(each, 'type')} {_host(each)}".strip() for each in _destinations(alert)
    )


def _host(destination: Json) -> str:
    uri = text_at(destination, "uri")
    return urlsplit(uri).hostname or "" if uri else _place(destination)


def told_destination(destination: Json) -> str:
    """Say where messages go: type, and address without its query, host or recipients."""
    uri = text_at(destination, "uri")
    if uri:
        parts = urlsplit(uri)
        host = parts.netloc.rpartition("@")[2]
        return f"{text_at(destination, 'type')} {parts.scheme}://{host}{parts.path}"
    return f"{text_at(destination, 'type')} {_place(destination)}".strip()


def _tested(outcome: JsonObject) -> str:
    return told_destination(outcome.get("sendTo"))


def _place(destination: Json) -> str:
    recipients = value_at(destination, "to")
    return (
        " ".join(map(str, recipients))
        if isinstance(recipients, list)
        else text_at(destination, "host")
    )


@server_command("alert enable", examples="foliot alert enable nightly")
def enable_alert(session: ServerSession, alert: AlertName) -> None:
    """Enable an alert: it sends again."""
    _set_state(session, alert, "enabled")


@server_command("alert disable", examples="foliot alert disable nightly")
def disable_alert(session: ServerSession, alert: AlertName) -> None:
    """Disable an alert: it sends nothing until it is enabled."""
    _set_state(session, alert, "disabled")


def _set_state(session: ServerSession, alert: str, state: str) -> None:
    found = session.client.patch_alert(session.key, alert, {"properties": {"state": state}})
    session.out.value(found, [f"Alert {job_name(found)} is {state}."])


@server_command("alert delete", examples="foliot alert delete nightly --yes")
def delete_alert(
    session: ServerSession,
    alert: AlertName,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete an alert with its incidents."""
    found = session.client.alert(session.key, alert)
    confirm(f"Delete the alert {job_name(found)}?", is_sure=yes)
    session.client.delete_alert(session.key, alert)
    session.out.tell(f"Alert {job_name(found)} is deleted.")


@server_command(
    "alert test",
    examples="""
foliot alert test nightly
foliot alert test nightly --destination 0
""",
)
def try_alert(
    session: ServerSession,
    alert: AlertName,
    *,
    destination: Annotated[
        int | None,
        typer.Option(min=0, metavar="NUMBER", help="Only this destination; 0 is the first."),
    ] = None,
) -> None:
    """Send a test message to each destination; exit with 6 if one did not arrive."""
    outcomes = session.client.test_alert(session.key, alert, destination)
    columns = (
        Column("DESTINATION", _tested),
        Column("OUTCOME", field("outcome")),
        Column("MESSAGE", field("message")),
    )
    session.out.rows(outcomes, columns)
    failed = sum(text_at(each, "outcome") != "succeeded" for each in outcomes)
    if failed:
        sent = how_many(len(outcomes), "test message")
        raise RunFailed(f"{failed} of {sent} did not arrive.")
