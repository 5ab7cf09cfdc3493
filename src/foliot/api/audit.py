"""The audit log: its entries by filters, and one of them whole."""

from collections.abc import Mapping

from foliot.api.call import ApiResponse, Call
from foliot.api.paging import listing, window_of
from foliot.api.query_values import known_only, read_instant, read_word
from foliot.api.wire.audit import ACTIONS, KINDS, encode_entry
from foliot.app.use_cases import UseCases
from foliot.core.errors import InvalidQuery, shown
from foliot.core.instant import Instant
from foliot.core.json_text import Json
from foliot.core.model.audit import AuditFilter, AuditKind
from foliot.ports.store import AuditPosition

FILTERS = (
    *("since", "until", "who", "action", "kind"),
    *("subscription", "resourcegroup", "collection", "job"),
)
_KNOWN = (*FILTERS, "$top", "$skiptoken", "api-version")
_MOST_DIGITS = 18


async def list_entries(use_cases: UseCases, call: Call) -> ApiResponse:
    """List the changes that were made within the caller's scope, the newest first."""
    window = window_of(call, _parse_position)
    wanted = read_filter(call.query)
    found = await use_cases.audit.list_entries(call.who, wanted, window.page)
    entries, last = window.split(found)
    values: list[Json] = [encode_entry(entry) for entry in entries]
    after = None if last is None else f"{last.at}:{last.id}"
    return listing(call, values, after, filters=FILTERS)


async def get(use_cases: UseCases, call: Call) -> ApiResponse:
    """Return an entry with all of the resource before and after the change."""
    known_only(call.query, ("api-version",))
    text = call.names["entry"]
    entry = await use_cases.audit.get_entry(call.who, _number(text))
    return ApiResponse(content=encode_entry(entry, is_whole=True))


def read_filter(query: Mapping[str, str]) -> AuditFilter:
    """Read which entries are wanted; a misspelt name or a bad value is refused."""
    known_only(query, _KNOWN)
    job, kind = query.get("job") or None, read_word(query, "kind", KINDS)
    if job is not None and kind not in (None, AuditKind.JOB):
        raise InvalidQuery(
            f"job: {shown(job)} cannot be given with the kind {kind}; give one of them."
        )
    return AuditFilter(
        since=read_instant(query, "since"),
        until=read_instant(query, "until"),
        who=query.get("who") or None,
        action=read_word(query, "action", ACTIONS),
        kind=kind if job is None else AuditKind.JOB,
        subscription=query.get("subscription") or None,
        group=query.get("resourcegroup") or None,
        collection=query.get("collection") or None,
        name=job,
    )


def _parse_position(text: str) -> AuditPosition:
    at, _, number = text.partition(":")
    if not (_is_number(at) and _is_number(number)):
        raise ValueError(text)
    return AuditPosition(Instant(int(at)), int(number))


def _number(text: str) -> int:
    if not _is_number(text):
        problem = "is not valid; give the name of an entry, a whole number"
        raise InvalidQuery(f"The entry {shown(text)} {problem}.")
    return int(text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
