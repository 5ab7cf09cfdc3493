"""Reads Kubernetes CronJobs whose container runs `curl` or `wget`."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from foliot.core.errors import Invalid, shown
from foliot.core.json_text import Json
from foliot.core.recurrence.zone import find_zone
from foliot.importers.bounded_text import substitute
from foliot.importers.command_job import http_call_of, notes_on_timeouts, policy_of
from foliot.importers.cron_text import ALTERNATIVES, accepted_cron, has_alternatives
from foliot.importers.documents import Fields, read_documents, strings
from foliot.importers.finish import convert_each, finish
from foliot.importers.hidden_text import environment
from foliot.importers.http_call import HttpCall, write_action
from foliot.importers.job_parts import (
    bounded_timeout,
    cron_calendar,
    exponential_retries,
    is_utc,
    lacks_zone,
    seconds,
)
from foliot.importers.model import DraftJob, ImportOptions, ImportResult, SourceText
from foliot.importers.shell_command import ShellCommand, read_words

_OVERLAPS = {"Allow": "allow", "Forbid": "skip", "Replace": "queue"}
_ZONE_IN_SCHEDULE = re.compile(r"(?:CRON_)?TZ=(\S+)\s+(.*)", re.DOTALL)
_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)")
_PROGRAM_IMAGES = {"curl": "curl", "wget": "wget", "alpine-curl": "curl"}
# The controller's own: pauses of 10 seconds that double, up to 6 minutes, 6 times.
_FIRST_PAUSE, _LONGEST_PAUSE, _RETRIES = 10, 360, 6
_DAY = 86_400
_LONGEST_START = 366 * _DAY
# The controller neither runs a time that the clock skips, nor leaves out one that it shows twice.
_CLOCK_CHANGES = {"skipped": "skip", "repeated": "both"}


def read_cron_jobs(sources: Sequence[SourceText], options: ImportOptions) -> ImportResult:
    """Read the CronJobs of manifests; objects of other kinds are counted."""
    objects = [each for source in sources for each in _objects(source)]
    cron_jobs = [(origin, each) for origin, each in objects if each.text("kind") == "CronJob"]
    others = len(objects) - len(cron_jobs)
    drafts, left_out = convert_each(
        cron_jobs, lambda origin, each: _draft(origin, each, options.zone)
    )
    notes = notes_on_timeouts(drafts)
    if others:
        notes.append(f"objects that are no CronJobs are left out: {others}")
    if any(lacks_zone(each) for each in drafts):
        notes.append(
            "a CronJob without timeZone runs in the zone of the controller: times are written as "
            "UTC, which most clusters use; give --zone for another"
        )
    return finish(drafts, left_out, options, collection="default", notes=tuple(notes))


def _objects(source: SourceText) -> Iterator[tuple[str, Fields]]:
    for document in read_documents(source):
        yield from _listed(source, document)


def _listed(source: SourceText, document: Json) -> Iterator[tuple[str, Fields]]:
    try:
        found = Fields(document)
        if "items" in found:
            for each in found.objects("items"):
                yield _origin(source, each), each
        else:
            yield _origin(source, found), found
    except Invalid as refusal:
        raise Invalid((), f"{source.name}: {refusal}") from None


def _origin(source: SourceText, found: Fields) -> str:
    metadata = found.object("metadata")
    name = metadata.text("name", "(without a name)")
    space = metadata.text("namespace")
    return f"{source.name}, {found.text('kind')} {space + '/' if space else ''}{name}"


def _draft(origin: str, cron_job: Fields, zone: str | None) -> DraftJob:
    metadata, spec = cron_job.object("metadata"), cron_job.object("spec")
    job = spec.object("jobTemplate").object("spec")
    command = _command(job.object("template").object("spec"))
    call = http_call_of(command)
    notes = list(call.notes)
    action = {**write_action(call), "retryPolicy": _retry_policy(job, call, notes)}
    properties: dict[str, Any] = {**_calendar(spec, zone, notes), "action": action}
    policy = {**_policy(spec, job, notes), **policy_of(command, call, notes)}
    if policy:
        properties["policy"] = policy
    if spec.flag("suspend"):
        properties["state"] = "disabled"
    return DraftJob(
        origin=origin,
        wished_name=metadata.required_text("name"),
        properties=properties,
        notes=tuple(notes),
        collection=metadata.text("namespace") or None,
    )


def _calendar(spec: Fields, default: str | None, notes: list[str]) -> dict[str, Any]:
    schedule, zone = spec.required_text("schedule"), spec.text("timeZone") or default
    match = _ZONE_IN_SCHEDULE.fullmatch(schedule.strip())
    if match is not None:
        zone, schedule = match[1], match[2]
    if zone is not None:
        find_zone(zone)
    cron = accepted_cron(schedule)
    if has_alternatives(cron):
        notes.append(f"both day fields are given: {ALTERNATIVES}, as in Kubernetes")
    return cron_calendar(cron, zone, dst=None if is_utc(zone) else dict(_CLOCK_CHANGES))


def _policy(spec: Fields, job: Fields, notes: list[str]) -> dict[str, Any]:
    policy: dict[str, Any] = {}
    concurrency = spec.text("concurrencyPolicy", "Allow")
    if concurrency not in _OVERLAPS:
        raise Invalid((), f"concurrencyPolicy {shown(concurrency)} is not known.")
    if concurrency != "Allow":
        policy["overlap"] = _OVERLAPS[concurrency]
    if concurrency == "Replace":
        notes.append(
            "Replace ended the run before; Foliot lets the new run wait until that one has ended"
        )
    if "startingDeadlineSeconds" in spec:
        deadline = spec.number("startingDeadlineSeconds", 0)
        policy["startWithin"] = seconds(min(max(deadline, 1), _LONGEST_START))
    if "activeDeadlineSeconds" in job:
        notes.append(
            "activeDeadlineSeconds limited all attempts together; policy.timeout limits each one"
        )
        policy["timeout"] = bounded_timeout(job.number("activeDeadlineSeconds", 1), notes)
    copies = max(job.number("completions", 1), job.number("parallelism", 1))
    if copies > 1:
        notes.append(f"it ran {copies} times for each planned time; a job sends one request")
    return policy


def _retry_policy(job: Fields, call: HttpCall, notes: list[str]) -> dict[str, Any]:
    """Return the retries of the command itself, or else those of the controller."""
    own = call.retry_policy or {}
    if own.get("retryType") != "none" and own:
        return own
    count = job.number("backoffLimit", _RETRIES)
    return exponential_retries(count, _FIRST_PAUSE, _LONGEST_PAUSE, notes=notes)


def _command(pod: Fields) -> ShellCommand:
    containers = list(pod.objects("containers"))
    if len(containers) != 1 or pod.items("initContainers"):
        count = len(containers) + len(pod.items("initContainers"))
        raise Invalid((), f"the pod has {count} containers; a job stands for exactly one request.")
    (container,) = containers
    variables = dict(_variables(container))
    program = [
        _expanded(each, variables)
        for name in ("command", "args")
        for each in strings(container.items(name), (*container.path, name))
    ]
    if "command" not in container:
        program = [*_entry_point(container), *program]
    return read_words(program, variables)


def _entry_point(container: Fields) -> list[str]:
    """Return the program that an image runs by itself."""
    image = container.text("image")
    name = image.rpartition("/")[2].partition("@")[0].partition(":")[0]
    if name not in _PROGRAM_IMAGES:
        raise Invalid(
            (),
            f"the image {shown(image)} decides itself what it runs; Foliot sends requests: let a "
            "service do the work, and call that.",
        )
    return [_PROGRAM_IMAGES[name]]


def _variables(container: Fields) -> Iterator[tuple[str, str]]:
    for each in container.objects("env"):
        name = each.required_text("name")
        # A value from a secret or a config map has to be given again.
        yield name, environment(name) if "valueFrom" in each else each.text("value")


def _expanded(text: str, variables: dict[str, str]) -> str:
    """Fill in `$(NAME)`, as Kubernetes does; an unknown name stays."""

    def written(match: re.Match[str]) -> str:
        return "$" if match[1] is None else variables.get(match[1], match[0])

    return substitute(_REFERENCE, text, written)
