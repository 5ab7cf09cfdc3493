"""Reads jobs of Google Cloud Scheduler, as `gcloud scheduler jobs list` prints them."""

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator, Sequence
from typing import Any

from foliot.core.errors import Invalid, wrong
from foliot.core.json_text import Json
from foliot.core.recurrence.zone import find_zone
from foliot.importers.documents import Fields, read_documents
from foliot.importers.finish import convert_each, finish
from foliot.importers.gcloud_schedule import read_schedule
from foliot.importers.http_call import HttpCall, write_action
from foliot.importers.job_parts import (
    NO_RETRIES,
    bounded_timeout,
    exponential_retries,
    is_utc,
)
from foliot.importers.model import DraftJob, ImportOptions, ImportResult, SourceText

_NAME = re.compile(r"projects/([^/]+)/locations/([^/]+)/jobs/([^/]+)")
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)s")
_OTHER_TARGETS = {
    "pubsubTarget": "a Pub/Sub topic; call an HTTP endpoint that publishes the message instead",
    "appEngineHttpTarget": "an App Engine service by its name; call its public address instead",
}
_DEADLINE = 180.0
_LONGEST_PAUSE, _FIRST_PAUSE, _DOUBLINGS = 3600.0, 5.0, 5


def read_cloud_jobs(sources: Sequence[SourceText], options: ImportOptions) -> ImportResult:
    """Read lists of jobs, or single ones."""
    entries = [entry for source in sources for entry in _entries(source)]
    drafts, left_out = convert_each(entries, _draft)
    return finish(drafts, left_out, options, collection="cloud-scheduler")


def _entries(source: SourceText) -> Iterator[tuple[str, Fields]]:
    found: list[Json] = []
    for document in read_documents(source):
        found += document if isinstance(document, list) else [document]
    try:
        for index, each in enumerate(found):
            job = Fields(each, (index,))
            name = job.text("name").rpartition("/")[2]
            yield f"{source.name}, job {name or index + 1}", job
    except Invalid as refusal:
        raise Invalid((), f"{source.name}: {refusal}") from None


def _draft(origin: str, job: Fields) -> DraftJob:
    for target, what in _OTHER_TARGETS.items():
        if target in job:
            raise Invalid((), f"the target is {what}.")
    if "httpTarget" not in job:
        raise Invalid((), "the job has no httpTarget.")
    notes: list[str] = []
    match = _NAME.fullmatch(job.required_text("name"))
    call = _call(job.object("httpTarget"), _retry_policy(job.object("retryConfig"), notes))
    deadline = _seconds(job, "attemptDeadline", _DEADLINE)
    properties: dict[str, Any] = {
        **_calendar(job, notes),
        "action": write_action(call),
        # Cloud Scheduler never runs a job beside itself.
        "policy": {"overlap": "skip", "timeout": bounded_timeout(deadline, notes)},
    }
    if job.text("state", "ENABLED") != "ENABLED":
        properties["state"] = "disabled"
    for kind in ("oidcToken", "oauthToken"):
        if kind in job.object("httpTarget"):
            account = job.object("httpTarget").object(kind).text("serviceAccountEmail", "Google")
            properties["state"] = "disabled"
            notes.append(
                f"requests carried a token of {account} ({kind}), which Foliot cannot get: the job "
                "is disabled until it has another authentication"
            )
    return DraftJob(
        origin=origin,
        wished_name=match[3] if match else job.required_text("name"),
        properties=properties,
        notes=tuple(notes),
        collection=match[1] if match else None,
    )


def _calendar(job: Fields, notes: list[str]) -> dict[str, Any]:
    schedule, zone = job.required_text("schedule"), job.text("timeZone") or None
    if zone is not None:
        find_zone(zone)
    return read_schedule(schedule, None if is_utc(zone) else zone, notes)


def _call(target: Fields, retry_policy: dict[str, Any]) -> HttpCall:
    headers = {
        name: value
        for name, value in target.texts("headers").items()
        if not (name.lower() == "user-agent" and value.startswith("Google-Cloud-Scheduler"))
    }
    return HttpCall(
        uri=target.required_text("uri"),
        method=target.text("httpMethod", "POST"),
        headers=headers,
        body=_body(target),
        retry_policy=retry_policy,
    )


def _body(target: Fields) -> str | None:
    if "body" not in target:
        return None
    try:
        return b64decode(target.text("body"), validate=True).decode()
    except (Error, ValueError):
        problem = "is not a text in base64, which a job could send."
        raise Invalid((*target.path, "body"), problem) from None


def _retry_policy(config: Fields, notes: list[str]) -> dict[str, Any]:
    count = config.number("retryCount", 0)
    if count < 1:
        if _seconds(config, "maxRetryDuration", 0):
            notes.append("maxRetryDuration without retryCount has no counterpart: no retries")
        return dict(NO_RETRIES)
    if count > config.number("maxDoublings", _DOUBLINGS):
        notes.append("pauses double up to maxBackoffDuration; maxDoublings has no counterpart")
    if _seconds(config, "maxRetryDuration", 0):
        notes.append("maxRetryDuration has no counterpart; retryCount alone ends the retries")
    first = _seconds(config, "minBackoffDuration", _FIRST_PAUSE)
    longest = _seconds(config, "maxBackoffDuration", _LONGEST_PAUSE)
    return exponential_retries(count, first, longest, notes=notes)


def _seconds(fields: Fields, name: str, default: float) -> float:
    if name not in fields:
        return default
    match = _DURATION.fullmatch(fields.text(name))
    if match is None:
        raise wrong((*fields.path, name), fields.get(name), 'a duration such as "180s"')
    return float(match[1])
