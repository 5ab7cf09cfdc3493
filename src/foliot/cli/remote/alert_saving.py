"""`foliot alert create` and `update`."""

import os
from inspect import Parameter
from typing import Annotated, Any

import typer

from foliot.cli.input_files import read_input
from foliot.cli.remote.alerts import AlertName, alert_lines
from foliot.cli.remote.command import ServerSession, server_command
from foliot.cli.remote.fields import job_name, value_at
from foliot.cli.remote.job_inputs import read_job_file
from foliot.cli.remote.job_table import JobOption
from foliot.client.alert_options import AlertOptions, alert_changes
from foliot.client.errors import Refused
from foliot.client.job_files import JsonObject, merged, name_of, one_patch, without_answered
from foliot.core.errors import Invalid
from foliot.core.secret import Secret

SECRET = "FOLIOT_WEBHOOK_SECRET"  # noqa: S105  (a name)
_WHEN, _WHOM, _HOW = "What it tells", "Whom it tells", "Which jobs, and when"

_TABLE = (
    JobOption("failed", "So many runs in a row were given up; or none.", _WHEN, "NUMBER"),
    JobOption("late", "A run begins this much after its time, or not at all.", _WHEN, "PERIOD"),
    JobOption(
        "no_success",
        "No success for so many intervals of the job; or none.",
        _WHEN,
        "NUMBER",
    ),
    JobOption(
        "paused",
        "The policy of a job has paused it.",
        _WHEN,
        kind=bool | None,
        flags=("--paused/--no-paused",),
    ),
    JobOption(
        "expiring",
        "A client certificate or SAS token expires within this time; or none.",
        _WHEN,
        "PERIOD",
    ),
    JobOption("webhook", "An address that gets JSON; may be repeated.", _WHOM, "URL", list[str]),
    JobOption(
        "secret_file",
        f"What signs messages to webhooks: whsec_ and base64. {SECRET}.",
        _WHOM,
        "FILE",
    ),
    JobOption(
        "slack",
        "An incoming webhook of Slack, or @FILE that holds it; may be repeated.",
        _WHOM,
        "URL",
        list[str],
    ),
    JobOption("email", "A recipient of e-mail; may be repeated.", _WHOM, "ADDRESS", list[str]),
    JobOption(
        "tag",
        "Only jobs with this tag; may be repeated. NAME alone removes it.",
        _HOW,
        "NAME=VALUE",
        list[str],
    ),
    JobOption(
        "quiet", "Nothing is sent in these hours, such as 22:00-07:00; or none.", _HOW, "HOURS"
    ),
    JobOption(
        "zone", "The time zone of --quiet, such as Europe/Prague; UTC if not given.", _HOW, "ZONE"
    ),
    JobOption("description", "A text for people.", _HOW, "TEXT"),
    JobOption("disabled", "Save the alert without sending.", _HOW, kind=bool),
    JobOption(
        "file",
        "The alert as JSON or YAML, or - for standard input; options win.",
        _HOW,
        "FILE",
        flags=("--file", "-f"),
    ),
)


def alert_parameters() -> tuple[Parameter, ...]:
    """Return the options as parameters of a command."""
    return tuple(each.parameter for each in _TABLE)


@server_command(
    "alert create",
    options=alert_parameters(),
    examples="""
foliot alert create oncall --failed 1 --webhook https://example.com/alerts
foliot alert create nightly --failed 2 --late 5m --slack @slack-address.txt --tag team=billing
foliot alert create backups --no-success 3 --email oncall@example.com
foliot alert create calm --failed 1 --webhook https://example.com/ --quiet 22:00-07:00 --zone CET
foliot alert create -f alert.yaml
""",
)
def create_alert(
    session: ServerSession,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The name, if the file does not have it."),
    ] = None,
    **options: Any,
) -> None:
    """Create an alert: say what is told about jobs, and to whom."""
    document, changes = _read(options)
    wanted = name or name_of(document)
    if wanted is None:
        raise Invalid(("NAME",), "is missing; give the name of the alert.")
    body = merged(without_answered(document), changes)
    if not isinstance(body, dict) or not value_at(body, "properties", "when"):
        raise Invalid(
            ("--failed",),
            "is missing; give it, --late, --no-success, --paused or --expiring, or a file.",
        )
    if not value_at(body, "properties", "sendTo"):
        raise Invalid(("--webhook",), "is missing; give it, --slack or --email, or a file.")
    if session.client.has_alert(session.key, wanted):
        raise Refused(f"the alert {wanted} exists; `foliot alert update` changes it.")
    _show(session, session.client.put_alert(session.key, wanted, body), "created")


@server_command(
    "alert update",
    options=alert_parameters(),
    examples="""
foliot alert update nightly --late 10m
foliot alert update nightly --failed none --quiet none
""",
)
def update_alert(session: ServerSession, alert: AlertName, **options: Any) -> None:
    """Change an alert: what is not given stays; destinations replace all that there were."""
    document, changes = _read(options)
    body = one_patch(without_answered(document), changes)
    if not body:
        raise Invalid((), "nothing to change; give an option or a file.")
    _show(session, session.client.patch_alert(session.key, alert, body), "changed")


def _read(options: dict[str, Any]) -> tuple[JsonObject, JsonObject]:
    """Return the alert of the file, and what the options change."""
    document = read_job_file(options.pop("file"))
    secret = _secret(options.pop("secret_file"), has_webhook=bool(options["webhook"]))
    for name in ("webhook", "email", "tag"):
        options[name] = options[name] or ()
    options["slack"] = [_address(each) for each in options["slack"] or ()]
    return document, alert_changes(AlertOptions(**options, secret=secret))


def _secret(file: str | None, *, has_webhook: bool) -> Secret | None:
    if file is not None:
        return _content(file)
    given = os.environ.get(SECRET)
    return Secret(given) if given and has_webhook else None


def _address(text: str) -> Secret:
    return _content(text[1:]) if text.startswith("@") else Secret(text)


def _content(file: str) -> Secret:
    return Secret(read_input(file).decode(errors="replace").strip())


def _show(session: ServerSession, alert: JsonObject, done: str) -> None:
    session.out.value(alert, [f"Alert {job_name(alert)} is {done}.", *alert_lines(alert)[1:]])
