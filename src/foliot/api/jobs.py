"""Jobs and their history."""

from collections.abc import Sequence

from msgspec import Raw

from foliot.api.call import ApiResponse, Call
from foliot.api.paging import filter_of, listing, window_of
from foliot.api.wire.job import (
    Address,
    decode_job,
    encode_history,
    encode_job,
    history_name,
    parse_history_name,
    patch_job,
    replace_job,
    write_jobs,
)
from foliot.api.wire.pfx.certificate import open_certificates
from foliot.app.jobs import SavedJob
from foliot.app.use_cases import UseCases
from foliot.core.credentials import masked_job
from foliot.core.json_text import Json
from foliot.core.model.collection import Collection
from foliot.core.model.history import AttemptStatus
from foliot.core.model.job import Job, JobState
from foliot.core.model.token import Role
from foliot.core.rules.lifecycle import Revision
from foliot.ports.random_ids import new_id

_STATES = {state.value: state for state in JobState}
_STATUSES = {status.value: status for status in AttemptStatus}


async def list_jobs(use_cases: UseCases, call: Call) -> ApiResponse:
    """List the jobs of a collection."""
    window, state = window_of(call, str.lower), filter_of(call, "state", _STATES)
    collection, found = await use_cases.jobs.list_jobs(call.who, call.key, window.page, state)
    jobs, last = window.split(found)
    values = _written(call, collection, jobs)
    return listing(call, values, None if last is None else last.name.lower())


async def create(use_cases: UseCases, call: Call) -> ApiResponse:
    """Create a job under a name of our making."""
    body = call.json()
    opened = await open_certificates(body)
    revision = decode_job(body, Address(call.key), call.limits, opened)
    saved = await use_cases.jobs.save_job(
        call.who, call.key, f"j{new_id()}", lambda _: replace_job(None, revision)
    )
    return _answer(call, saved)


async def get(use_cases: UseCases, call: Call) -> ApiResponse:
    """Show a job."""
    found = await use_cases.jobs.get_job(call.who, call.key, call.job)
    (content,) = _written(call, found.collection, (found.job,))
    return ApiResponse(content=content)


async def put(use_cases: UseCases, call: Call) -> ApiResponse:
    """Create or replace a job."""
    body = call.json()
    opened = await open_certificates(body)
    revision = decode_job(body, Address(call.key, call.job), call.limits, opened)
    saved = await use_cases.jobs.save_job(
        call.who, call.key, call.job, lambda old: replace_job(old, revision)
    )
    return _answer(call, saved)


async def patch(use_cases: UseCases, call: Call) -> ApiResponse:
    """Change parts of a job."""
    body = call.json()
    opened = await open_certificates(body)

    def revise(old: Job | None) -> Revision:
        assert old is not None  # noqa: S101  (it must exist)
        return patch_job(old, body, Address(call.key, call.job), call.limits, opened)

    saved = await use_cases.jobs.save_job(call.who, call.key, call.job, revise, must_exist=True)
    return _answer(call, saved)


async def delete(use_cases: UseCases, call: Call) -> ApiResponse:
    """Remove a job with its history."""
    await use_cases.jobs.delete_job(call.who, call.key, call.job)
    return ApiResponse()


async def run(use_cases: UseCases, call: Call) -> ApiResponse:
    """Have a job run at once."""
    await use_cases.runs.run_job(call.who, call.key, call.job, new_id())
    return ApiResponse()


async def list_history(use_cases: UseCases, call: Call) -> ApiResponse:
    """List the attempts of a job, the newest first."""
    window = window_of(call, parse_history_name)
    # The old reference called the status a state.
    status = filter_of(call, "status", _STATUSES, old_name="state")
    saved, found = await use_cases.history.list_history(
        call.who, call.key, call.job, window.page, status
    )
    entries, last = window.split(found)
    values: list[Json] = [encode_history(saved.collection, saved.job, each) for each in entries]
    after = None if last is None else history_name(last.started_at, last.number)
    return listing(call, values, after)


def _answer(call: Call, saved: SavedJob) -> ApiResponse:
    """Answer a caller who may change the job, and so sees credentials that stand in the open."""
    content = encode_job(saved.collection, saved.job, call.client)
    return ApiResponse(201 if saved.is_new else 200, content)


def _written(call: Call, collection: Collection, jobs: Sequence[Job]) -> Sequence[Json | Raw]:
    """Write jobs for somebody who reads them; a Reader sees no credentials."""
    if call.who.role is Role.READER:
        return [encode_job(collection, masked_job(job), call.client) for job in jobs]
    return write_jobs(collection, jobs, call.client)
