"""The table of options that describe a job: `foliot job create` and `update` take them."""

from collections.abc import Iterator
from inspect import Parameter
from typing import Annotated, Any

import typer
from msgspec import Struct

_WHEN, _WHAT, _HOW = "When it runs", "What it calls", "How it runs"


class JobOption(Struct, frozen=True):
    """An option: its name, what it takes, what it is for."""

    name: str
    help: str
    panel: str
    metavar: str | None = None
    kind: Any = str
    flags: tuple[str, ...] = ()
    least: int | None = None

    @property
    def parameter(self) -> Parameter:
        """The option as Typer reads it."""
        flags = self.flags or (f"--{self.name.replace('_', '-')}",)
        is_flag = self.kind is bool
        option = typer.Option(
            *flags,
            metavar=self.metavar,
            help=self.help,
            rich_help_panel=self.panel,
            min=self.least,
        )
        annotation = Annotated[bool if is_flag else self.kind | None, option]
        return Parameter(
            self.name,
            Parameter.KEYWORD_ONLY,
            default=False if is_flag else None,
            annotation=annotation,
        )


_TABLE = (
    JobOption("every", "How often: 5m, 12h, 1d, 2 weeks, month.", _WHEN, "PERIOD"),
    JobOption("cron", "A cron expression.", _WHEN, "EXPRESSION"),
    JobOption("zone", "The time zone of the schedule, such as Europe/Prague.", _WHEN, "ZONE"),
    JobOption(
        "at",
        "The first run, or the only one: 'tomorrow 9:00', 'in 10m', 2026-03-01T09:00Z. Without an "
        "offset, in --zone or by the clock of this machine.",
        _WHEN,
        "TIME",
    ),
    JobOption("until", "No run after this time.", _WHEN, "TIME"),
    JobOption("count", "At most so many runs.", _WHEN, "NUMBER", int, least=1),
    JobOption(
        "exclude",
        "A day off or a range, such as 2026-12-24/2026-12-26; may be repeated.",
        _WHEN,
        "DATES",
        list[str],
    ),
    JobOption(
        "exclude_calendar",
        "A calendar of days off; may be repeated.",
        _WHEN,
        "CALENDAR",
        list[str],
    ),
    JobOption(
        "exclude_then",
        "On days off: skip, or run on the next or the previous day.",
        _WHEN,
        "POLICY",
    ),
    JobOption("url", "The address to call.", _WHAT, "URL"),
    JobOption("http", "Method and address at once.", _WHAT, "METHOD URL", tuple[str, str]),
    JobOption("method", "GET, or POST if there is a body.", _WHAT, "METHOD"),
    JobOption(
        "header",
        "A header; may be repeated.",
        _WHAT,
        "'NAME: VALUE'",
        list[str],
        ("--header", "-H"),
    ),
    JobOption("body", "The body, or @FILE, or @- for standard input.", _WHAT, "TEXT"),
    JobOption("basic", "Sign in as this user; the password is asked for.", _WHAT, "USER"),
    JobOption("cert", "Sign in with this client certificate (PFX).", _WHAT, "FILE"),
    JobOption(
        "password_file",
        "The password of --basic or --cert, if it is not to be asked for. FOLIOT_JOB_PASSWORD.",
        _WHAT,
        "FILE",
    ),
    JobOption("template", "Fill in placeholders such as {{planned}}.", _WHAT, kind=bool),
    JobOption("retry", "5x30s, 10x5s-10m (doubled each time) or none.", _HOW, "RETRIES"),
    JobOption("retry_on", "any failure, or transient ones only.", _HOW, "FAILURES"),
    JobOption("timeout", "The most time of one attempt.", _HOW, "PERIOD"),
    JobOption("overlap", "allow, skip or queue, while a run is open.", _HOW, "POLICY"),
    JobOption("catch_up", "latest, all or none of missed times.", _HOW, "POLICY"),
    JobOption("catch_up_window", "Skip what was missed longer ago.", _HOW, "PERIOD"),
    JobOption("start_within", "Skip what cannot begin this soon.", _HOW, "PERIOD"),
    JobOption("jitter", "Begin up to this much later.", _HOW, "PERIOD"),
    JobOption(
        "pause_after", "Disable the job after so many failures.", _HOW, "NUMBER", int, least=1
    ),
    JobOption("disabled", "Save the job without running it.", _HOW, kind=bool),
    JobOption(
        "file",
        "The job as JSON or YAML, or - for standard input; options win.",
        "What it calls",
        "FILE",
        flags=("--file", "-f"),
    ),
)


def job_parameters() -> Iterator[Parameter]:
    """Go through the options as parameters of a command."""
    return (each.parameter for each in _TABLE)
