"""Runs: of a job, of a collection, of a subscription."""

from collections.abc import Mapping

from foliot.api.call import ApiResponse, Call
from foliot.api.paging import listing, window_of
from foliot.api.query_values import known_only, read_instant, read_word
from foliot.api.wire.run import OUTCOMES, REASONS, TRIGGERS, encode_run
from foliot.app.run_records import RunKey, RunsOf, key_of
from foliot.app.use_cases import UseCases
from foliot.core.errors import InvalidQuery
from foliot.core.instant import tell_instant
from foliot.core.json_text import Json
from foliot.core.model.run_record import RunFilter

FILTERS = ("since", "until", "outcome", "trigger", "reason", "host")
_KNOWN = (*FILTERS, "$top", "$skiptoken", "api-version")
_OPEN, _ENDED = "open", "ended"


async def list_runs(use_cases: UseCases, call: Call) -> ApiResponse:
    """List runs with their attempts: open ones first, each the newest first."""
    window, names = window_of(call, _parse_key), call.names
    of = RunsOf(
        names["subscription"], call.key if "collection" in names else None, names.get("job")
    )
    found = await use_cases.run_records.list_runs(call.who, of, _filter(call.query), window.page)
    runs, last = window.split(found)
    values: list[Json] = [encode_run(run) for run in runs]
    after = None if last is None else _key_text(key_of(last))
    return listing(call, values, after, filters=FILTERS)


def _filter(query: Mapping[str, str]) -> RunFilter:
    known_only(query, _KNOWN)
    since, until = read_instant(query, "since"), read_instant(query, "until")
    if since is not None and until is not None and until < since:
        given, first = tell_instant(until), tell_instant(since)
        raise InvalidQuery(f"until: {given} is not valid; give a time from since ({first}) on.")
    return RunFilter(
        since=since,
        until=until,
        outcome=read_word(query, "outcome", OUTCOMES),
        trigger=read_word(query, "trigger", TRIGGERS),
        reason=read_word(query, "reason", REASONS),
        host=(query.get("host") or "").lower() or None,
    )


def _key_text(key: RunKey) -> str:
    return f"{_OPEN if key.is_open else _ENDED}:{key.number}"


def _parse_key(text: str) -> RunKey:
    kind, _, number = text.partition(":")
    if kind not in (_OPEN, _ENDED) or not number.isdecimal() or len(number) > 18:  # noqa: PLR2004
        raise ValueError(text)
    return RunKey(is_open=kind == _OPEN, number=int(number))
