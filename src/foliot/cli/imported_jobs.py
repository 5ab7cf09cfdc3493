"""Checks imported jobs as the API would, and says when they run."""

import re
from itertools import islice

from msgspec import Struct, structs

from foliot.api.wire.collection import decode_collection
from foliot.api.wire.job import Address, decode_job, replace_job
from foliot.api.wire.pfx.certificate import Certificates
from foliot.core.errors import Invalid, within
from foliot.core.ids import CollectionKey, check_key
from foliot.core.instant import Instant, format_instant
from foliot.core.json_text import Json
from foliot.core.limits import Limits
from foliot.core.model.action import ClientCertificate
from foliot.core.model.collection import Collection
from foliot.core.plurals import noun_after
from foliot.core.recurrence import accept, occurrences, sentence
from foliot.core.rules.quota import job_limit, max_jobs
from foliot.core.secret import Secret
from foliot.importers import ImportedCollection, ImportedJob, ImportResult, LeftOut
from foliot.serve.progress import ProgressLine

_TIMES = 3
_PLACEHOLDER = re.compile(r"\$\{(?:env|file):[^${}]{1,1024}\}")
# What stands for the value of a placeholder: valid wherever a secret may be, also as a signing key.
_SAMPLE = f"whsec_{'A' * 32}"
_SAMPLE_ADDRESS = "https://placeholder.example"
_OPENED: Certificates = {
    (Secret(_SAMPLE), password): ClientCertificate(pfx=Secret(_SAMPLE), password=password)
    for password in (Secret(_SAMPLE), None)
}


class CheckedJob(Struct, frozen=True, kw_only=True):
    """A job that the API accepts: when it runs in words, and its next times."""

    job: ImportedJob
    sentence: str
    times: tuple[str, ...]


class CheckedImport(Struct, frozen=True, kw_only=True):
    """An import without the jobs that the API refuses; these are among what is left out."""

    result: ImportResult
    jobs: tuple[CheckedJob, ...]


def check_import(
    result: ImportResult, now: Instant, line: ProgressLine | None = None
) -> CheckedImport:
    """Check every collection and every job of an import."""
    line = line or ProgressLine("")
    collections: list[ImportedCollection] = []
    jobs: list[CheckedJob] = []
    refused: list[LeftOut] = []
    notes = [*result.notes]
    for each in result.collections:
        collection = _checked_collection(each)
        accepted: list[ImportedJob] = []
        for job in line.each(f"Jobs of {each.key.name} are checked", each.jobs):
            try:
                checked = check_job(each.key, job, now)
            except Invalid as refusal:
                refused.append(LeftOut(job.origin, f"Foliot refuses it: {refusal}"))
                continue
            jobs.append(checked)
            accepted.append(checked.job)
        # A collection of the source is kept without jobs too, one that only jobs needed is not.
        notes += _notes_on_count(collection, len(accepted))
        if accepted or each.attributes:
            collections.append(structs.replace(each, jobs=tuple(accepted)))
    kept = structs.replace(
        result,
        collections=tuple(collections),
        left_out=(*result.left_out, *refused),
        notes=tuple(notes),
    )
    return CheckedImport(result=kept, jobs=tuple(jobs))


def check_job(key: CollectionKey, job: ImportedJob, now: Instant) -> CheckedJob:
    """Decode a job as the API does, and compute its next times; a wrong one is refused."""
    body: Json = {"properties": _filled(job.properties)}
    submission = decode_job(body, Address(key, job.name), Limits(), _OPENED)
    definition = replace_job(None, submission).definition
    with within("properties"):
        timetable = accept(definition.recurrence, definition.start, now)
    times = tuple(map(format_instant, islice(occurrences(timetable), _TIMES)))
    if definition.recurrence is None and definition.start is not None and timetable.begin <= now:
        notes = (*job.notes, "its time has passed: it runs at once when it is applied")
        job = structs.replace(job, notes=notes)
    return CheckedJob(job=job, sentence=sentence(timetable), times=times)


def _notes_on_count(collection: Collection, jobs: int) -> list[str]:
    if jobs <= max_jobs(collection):
        return []
    has = f"the collection {collection.key.name} has {jobs} {noun_after(jobs, 'job')}"
    return [
        f"{has}, but {job_limit(collection)}: move some into another before the file is applied"
    ]


def _checked_collection(collection: ImportedCollection) -> Collection:
    check_key(collection.key)
    given = collection.attributes
    inner: Json = {name: given[name] for name in ("sku", "quota") if name in given}
    body: Json = {"properties": inner}
    body |= {name: given[name] for name in ("location", "tags") if name in given}
    with within("collection"):
        return decode_collection(body, collection.key, knows_premium_tiers=True)


def _filled(value: Json, name: str = "") -> Json:
    """Fill in a sample for each placeholder."""
    match value:
        case str():
            if name == "uri" and value.startswith("${"):
                value = _PLACEHOLDER.sub(_SAMPLE_ADDRESS, value, count=1)
            return _PLACEHOLDER.sub(_SAMPLE, value)
        case dict():
            return {each: _filled(inner, each) for each, inner in value.items()}
        case list():
            return [_filled(inner) for inner in value]
        case _:
            return value
