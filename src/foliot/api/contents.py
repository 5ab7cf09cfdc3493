"""Whole collections: save one with its calendars, jobs and alerts in one call, or nothing."""

import asyncio

from foliot.api.call import ApiResponse, Call
from foliot.api.wire.contents import (
    decode_contents,
    encode_changes,
    open_certificates_of,
    read_contents,
)
from foliot.app.use_cases import UseCases
from foliot.app.whole_collections import WantedContents


async def apply(use_cases: UseCases, call: Call) -> ApiResponse:
    """Save a collection, calendars, jobs and alerts of it, and delete others: all, or nothing."""
    wanted = await _wanted(call)
    return ApiResponse(
        content=encode_changes(await use_cases.whole_collections.apply(call.who, wanted))
    )


async def validate(use_cases: UseCases, call: Call) -> ApiResponse:
    """Say what such a call would change, and refuse what it would; nothing is stored."""
    wanted = await _wanted(call)
    return ApiResponse(
        content=encode_changes(await use_cases.whole_collections.try_out(call.who, wanted))
    )


async def _wanted(call: Call) -> WantedContents:
    """Decode a body away from the event loop: it may have a thousand jobs."""
    given = await asyncio.to_thread(lambda: read_contents(call.json()))
    opened = await open_certificates_of(given)
    return await asyncio.to_thread(decode_contents, given, call.key, call.limits, opened)
