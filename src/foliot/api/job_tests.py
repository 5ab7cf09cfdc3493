"""Tests of jobs: one attempt at once, and the request and the response of it."""

from foliot.api.call import ApiResponse, Call
from foliot.api.wire.exchange import encode_test
from foliot.api.wire.job import Address, decode_job, replace_job
from foliot.api.wire.pfx.certificate import open_certificates
from foliot.app.jobs import ReviseJob
from foliot.app.use_cases import UseCases


async def of_new_job(use_cases: UseCases, call: Call) -> ApiResponse:
    """Make one attempt at a job that is not stored, and tell what was sent and received."""
    return await _test(use_cases, call, None)


async def of_job(use_cases: UseCases, call: Call) -> ApiResponse:
    """Make one attempt at a job, or at the job of this body; only the audit log tells of it."""
    return await _test(use_cases, call, call.job)


async def _test(use_cases: UseCases, call: Call, name: str | None) -> ApiResponse:
    is_stored = name is not None and not call.body
    revise = None if is_stored else await _revision(call, name)
    ended = await use_cases.job_tests.test_job(call.who, call.key, name, revise, call.limits)
    return ApiResponse(content=encode_test(ended.attempt, ended.tag))


async def _revision(call: Call, name: str | None) -> ReviseJob:
    body = call.json()
    opened = await open_certificates(body)
    submission = decode_job(body, Address(call.key, name), call.limits, opened)
    return lambda old: replace_job(old, submission)
