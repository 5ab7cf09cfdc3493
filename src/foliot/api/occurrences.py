"""The planned times of a job: its ledger, runs made again, retried or canceled."""

from foliot.api.call import ApiResponse, Call
from foliot.api.paging import listing, window_of
from foliot.api.query_values import known_only, read_instant, read_word, refuse_empty
from foliot.api.wire.ledger import decode_range, decode_range_or_tag, encode_line
from foliot.api.wire.run import TRIGGERS
from foliot.app.repeated_runs import Repeated
from foliot.app.runs import Cancellation
from foliot.app.use_cases import UseCases
from foliot.core.errors import Invalid, InvalidQuery
from foliot.core.instant import DAY, LAST_TICK, Instant, tell_instant
from foliot.core.json_text import Json
from foliot.core.model.run_record import OpenState
from foliot.core.rules.repeated_runs import TimeRange
from foliot.ports.random_ids import new_id

_RANGE = ("from", "to")
_KNOWN = (*_RANGE, "$top", "$skiptoken", "api-version")
_CANCEL_FILTERS = ("trigger", "outcome")
_NOTHING = (b"", b"{}", b"null")
_WAITING = {OpenState.WAITING.value: OpenState.WAITING}


async def list_occurrences(use_cases: UseCases, call: Call) -> ApiResponse:
    """List what became of each planned time of a job, in order of time."""
    known_only(call.query, _KNOWN)
    window = window_of(call, _after)
    range_ = _range_of(call, use_cases.ledger.clock.now(), window.page.after)
    found = await use_cases.ledger.lines(
        call.who, call.key, call.names["job"], range_, window.page.limit
    )
    lines, last = window.split(found)
    values: list[Json] = [encode_line(line) for line in lines]
    after = None if last is None else str(last.planned_at)
    return listing(call, values, after, filters=_RANGE)


async def redrive(use_cases: UseCases, call: Call) -> ApiResponse:
    """Repeat runs that failed: those of a range of planned times, or the one of a tag."""
    which = decode_range_or_tag(call.json())
    repeated = await use_cases.repeated_runs.redrive(
        call.who, call.key, call.names["job"], which, new_id
    )
    return _answer(repeated)


async def backfill(use_cases: UseCases, call: Call) -> ApiResponse:
    """Run the occurrences of the calendar in a range of the past."""
    range_ = decode_range(call.json())
    repeated = await use_cases.repeated_runs.backfill(
        call.who, call.key, call.names["job"], range_, new_id
    )
    return _answer(repeated)


async def retry_run(use_cases: UseCases, call: Call) -> ApiResponse:
    """Retry a run at once that has failed and waits for its retry."""
    known_only(call.query, ("due", "api-version"))
    refuse_empty(call.query, ("due",))
    due_at = read_instant(call.query, "due")
    start = await use_cases.run_retries.retry_run(
        call.who, call.key, call.names["job"], call.names["run"], due_at
    )
    return ApiResponse(content={"begins": start.value})


async def cancel_run(use_cases: UseCases, call: Call) -> ApiResponse:
    """Cancel an open run: its attempt is aborted, and nothing of it is retried."""
    wanted = Cancellation(tag=call.names["run"])
    await use_cases.runs.cancel_runs(call.who, call.key, call.names["job"], wanted)
    return ApiResponse()


async def cancel_runs(use_cases: UseCases, call: Call) -> ApiResponse:
    """Cancel open runs of a job: all, those of a trigger, or only those that wait."""
    known_only(call.query, (*_CANCEL_FILTERS, "api-version"))
    # What would otherwise cancel all open runs was meant to cancel fewer.
    refuse_empty(call.query, _CANCEL_FILTERS)
    if call.body.strip() not in _NOTHING:
        raise Invalid((), "a body chooses no runs; give the filters in the address: ?trigger=….")
    wanted = Cancellation(
        trigger=read_word(call.query, "trigger", TRIGGERS),
        is_waiting=read_word(call.query, "outcome", _WAITING) is not None,
    )
    canceled = await use_cases.runs.cancel_runs(call.who, call.key, call.names["job"], wanted)
    return ApiResponse(content={"canceled": canceled})


def _answer(repeated: Repeated) -> ApiResponse:
    return ApiResponse(
        content={
            "planned": repeated.planned,
            "leftOut": repeated.left_out,
            "left": repeated.left,
        }
    )


def _range_of(call: Call, now: Instant, after: Instant | None) -> TimeRange:
    since, before = (read_instant(call.query, name) for name in _RANGE)
    since = Instant(now - DAY) if since is None else since
    before = Instant(since + DAY) if before is None else before
    if since >= before:
        given, first = tell_instant(before), tell_instant(since)
        raise InvalidQuery(f"to: {given} is not valid; give a time later than from ({first}).")
    begin = since if after is None else Instant(after + 1)
    return TimeRange(begin, max(before, Instant(begin + 1)))


def _after(text: str) -> Instant:
    # Longer numbers take long to read.
    if not text.isdecimal() or len(text) > len(str(LAST_TICK)) or int(text) > LAST_TICK:
        raise ValueError(text)
    return Instant(int(text))
