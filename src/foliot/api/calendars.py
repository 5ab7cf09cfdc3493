"""Calendars of a collection."""

from foliot.api.call import ApiResponse, Call
from foliot.api.paging import listing, window_of
from foliot.api.wire.calendar import decode_calendar, encode_calendar
from foliot.app.use_cases import UseCases
from foliot.core.json_text import Json


async def list_calendars(use_cases: UseCases, call: Call) -> ApiResponse:
    """List the calendars of a collection."""
    window = window_of(call, str.lower)
    collection, found = await use_cases.calendars.list_calendars(call.who, call.key, window.page)
    calendars, last = window.split(found)
    values: list[Json] = [encode_calendar(collection.key, each) for each in calendars]
    return listing(call, values, None if last is None else last.name.lower())


async def get(use_cases: UseCases, call: Call) -> ApiResponse:
    """Show a calendar."""
    collection, found = await use_cases.calendars.get_calendar(call.who, call.key, _name(call))
    return ApiResponse(content=encode_calendar(collection.key, found))


async def put(use_cases: UseCases, call: Call) -> ApiResponse:
    """Create or replace a calendar; the next runs of the jobs that use it move."""
    dates = decode_calendar(call.json(), call.key, _name(call))
    collection, saved, is_new = await use_cases.calendars.save_calendar(
        call.who, call.key, _name(call), dates
    )
    return ApiResponse(201 if is_new else 200, encode_calendar(collection.key, saved))


async def delete(use_cases: UseCases, call: Call) -> ApiResponse:
    """Remove a calendar that no job uses."""
    await use_cases.calendars.delete_calendar(call.who, call.key, _name(call))
    return ApiResponse()


def _name(call: Call) -> str:
    return call.names["calendar"]
