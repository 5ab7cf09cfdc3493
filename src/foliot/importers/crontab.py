"""Reads crontabs: of a user, or of the system with a column of users."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from foliot.core.errors import Invalid
from foliot.core.recurrence.zone import find_zone
from foliot.importers.command_job import http_call_of, notes_on_timeouts, policy_of
from foliot.importers.cron_text import (
    ALTERNATIVES,
    accepted_cron,
    check_five_fields,
    follows_elapsed_time,
    has_alternatives,
    missing_field,
)
from foliot.importers.finish import convert_each, finish
from foliot.importers.http_call import name_from_uri, write_action
from foliot.importers.job_parts import cron_calendar, is_utc, lacks_zone
from foliot.importers.model import DraftJob, ImportOptions, ImportResult, SourceText
from foliot.importers.shell_command import read_command

_ASSIGNMENT = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z_]\w*))\s*=(.*)""")
_ENTRY = re.compile(r"\s*(@\S+|(?:\S+\s+){4}\S+)\s+(.+)", re.DOTALL)
_USER = re.compile(r"([a-z_][a-z0-9_-]{0,31}\$?)\s+(.+)", re.DOTALL)
_COMMANDS = frozenset(
    {"curl", "wget", "sh", "bash", "env", "timeout", "flock", "nice", "cd", "test", "sleep"}
)
# An unescaped % ends the command; the text after it is its standard input, each further % a line.
_PERCENT = re.compile(r"\\(%)|%")
_NO_ZONE = (
    "cron uses the zone of its machine, which the crontab does not name: times are written as UTC; "
    "give --zone if that machine has another zone"
)
_ELAPSED = {"skipped": "skip", "repeated": "both"}


class CrontabLine(Struct, frozen=True, kw_only=True):
    """An entry of a crontab, with the environment that the lines before it have set."""

    cron: str
    command: str
    variables: Mapping[str, str]
    zone: str | None
    notes: tuple[str, ...] = ()


def read_crontabs(
    sources: Sequence[SourceText], options: ImportOptions, *, has_users: bool | None = None
) -> ImportResult:
    """Read crontabs; without `has_users` their lines decide whether they have a column of users."""
    entries = [entry for each in sources for entry in _entries(each, options, has_users=has_users)]
    drafts, left_out = convert_each(entries, _draft)
    notes = notes_on_timeouts(drafts)
    if any(lacks_zone(each) for each in drafts):
        notes.append(_NO_ZONE)
    if any(entry.variables.get("MAILTO") for _, entry in entries):
        notes.append("cron mailed the output of its jobs (MAILTO); history keeps the responses")
    return finish(drafts, left_out, options, collection="crontab", notes=tuple(notes))


def _entries(
    source: SourceText, options: ImportOptions, *, has_users: bool | None
) -> Iterator[tuple[str, CrontabLine]]:
    lines = _text(source).splitlines()
    if has_users is None:
        has_users = _seems_to_have_users(lines)
    variables: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        assignment = _ASSIGNMENT.fullmatch(line)
        if assignment is not None:
            name = assignment[1] or assignment[2] or assignment[3]
            variables[name] = _unquoted(assignment[4].strip())
            continue
        origin = f"{source.name}, line {number}"
        match = _ENTRY.fullmatch(line)
        if match is None:
            problem = "is not a line of a crontab: five fields and a command, or NAME=value"
            raise Invalid((), f"{origin} {problem}.")
        zone, notes = _zone(variables, options)
        command = _without_user(match[2], notes) if has_users else match[2]
        yield (
            origin,
            CrontabLine(
                cron=match[1],
                command=command.strip(),
                variables=dict(variables),
                zone=zone,
                notes=tuple(notes),
            ),
        )


def _text(source: SourceText) -> str:
    try:
        text = source.content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"{source.name} is not UTF-8: byte {error.start + 1} is invalid."
        raise Invalid((), problem) from None
    if "\0" in text:
        raise Invalid((), f"{source.name} holds a NUL character; it is no crontab.")
    return text


def _seems_to_have_users(lines: Sequence[str]) -> bool:
    """Tell whether each entry has a user before its command."""
    found = False
    for line in lines:
        match = _ENTRY.fullmatch(line)
        if line.lstrip().startswith("#") or match is None or _ASSIGNMENT.fullmatch(line):
            continue
        if missing_field(match[1]) is not None:
            continue
        user = _USER.fullmatch(match[2])
        if user is None or user[1] in _COMMANDS:
            return False
        following = user[2].split()[0].rpartition("/")[2]
        found = found or user[1] == "root" or following in _COMMANDS
    return found


def _without_user(command: str, notes: list[str]) -> str:
    match = _USER.fullmatch(command)
    if match is None:
        return command
    if match[1] != "root":
        notes.append(f"the command ran as the user {match[1]}; a request has no such user")
    return match[2]


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value


def _zone(variables: Mapping[str, str], options: ImportOptions) -> tuple[str | None, list[str]]:
    """Return the zone of the entries after these assignments, and notes on it."""
    if "CRON_TZ" in variables:
        return variables["CRON_TZ"].lstrip(":"), []
    if options.zone is not None or "TZ" not in variables:
        return options.zone, []
    zone = variables["TZ"].lstrip(":")
    note = (
        f"TZ={zone} is taken as the zone of the schedule; Vixie cron and cronie set only the zone "
        "of the command by it: give --zone if the schedule had another"
    )
    return zone, [note]


def _draft(origin: str, entry: CrontabLine) -> DraftJob:
    check_five_fields(entry.cron)
    command_text, stdin = _standard_input(entry.command)
    command = read_command(command_text, entry.variables, stdin=stdin)
    call = http_call_of(command)
    cron = accepted_cron(entry.cron)
    notes = [*entry.notes, *call.notes]
    if has_alternatives(cron):
        notes.append(f"both day fields are given: {ALTERNATIVES}, as in cron")
    properties: dict[str, Any] = {**_calendar(cron, entry.zone), "action": write_action(call)}
    policy = policy_of(command, call, notes)
    if policy:
        properties["policy"] = policy
    return DraftJob(
        origin=origin,
        wished_name=name_from_uri(call.uri),
        is_named=False,
        properties=properties,
        notes=tuple(notes),
    )


def _calendar(cron: str, zone: str | None) -> dict[str, Any]:
    if zone is not None:
        find_zone(zone)
    # As Vixie cron has it: what runs at every hour or minute goes on through a clock change.
    is_elapsed = not is_utc(zone) and follows_elapsed_time(cron)
    return cron_calendar(cron, zone, dst=dict(_ELAPSED) if is_elapsed else None)


def _standard_input(command: str) -> tuple[str, str | None]:
    parts = [""]
    done = 0
    for match in _PERCENT.finditer(command):
        parts[-1] += command[done : match.start()]
        done = match.end()
        if match[1]:
            parts[-1] += "%"
        else:
            parts.append("")
    parts[-1] += command[done:]
    first, *lines = parts
    return first, "".join(f"{each}\n" for each in lines) if lines else None
