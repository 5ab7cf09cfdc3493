"""The audit log: who changed what, with filters; and one entry with all its changes. For Owners."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from starlette.responses import Response

from foliot.api.wire.audit import ACTIONS, encode_snapshot, entry_changes, writable
from foliot.app.listing_page import Page
from foliot.core.access import require
from foliot.core.errors import AuditEntryNotFound, Invalid, wrong
from foliot.core.ids import CollectionKey
from foliot.core.instant import DAY, HOUR, Instant, parse_instant
from foliot.core.model.audit import AuditAction, AuditEntry, AuditFilter, AuditKind, AuditSubject
from foliot.core.model.run import Trigger
from foliot.core.model.token import Role
from foliot.core.plurals import how_many
from foliot.core.rules.job_moves import JobPlace
from foliot.portal import urls
from foliot.portal.choice_problem import problem_of_choice
from foliot.portal.collection_names import naming_of
from foliot.portal.page_request import PageRequest
from foliot.portal.pages.shown_changes import ShownChange, value_text
from foliot.portal.run_rows import TRIGGER_WORDS
from foliot.ports.store import AuditPosition

PATH: Final = "/audit"
_PER_PAGE: Final = 50
_WRONG: Final = 400
_COLLECTIONS: Final = 200
_MOST_DIGITS: Final = 18
_NAMES_SHOWN: Final = 3
SINCE: Final = {
    "24h": ("Last 24 hours", DAY),
    "7d": ("Last 7 days", 7 * DAY),
    "30d": ("Last 30 days", 30 * DAY),
    "1h": ("Last hour", HOUR),
}
_KIND_WORDS: Final = {
    each: "resource group" if each is AuditKind.GROUP else each.value for each in AuditKind
}

# What somebody did, before "the job": where the name of the action does not fit into a sentence.
_DONE_WORDS: Final = {
    AuditAction.RUN: "ran",
    AuditAction.RETRIED: "retried runs of",
    AuditAction.CANCELED: "canceled runs of",
    AuditAction.REDRIVEN: "started reruns of",
    AuditAction.BACKFILLED: "backfilled runs of",
    AuditAction.TESTED: "sent a test of",
}
# The buttons of a collection say so; those of jobs and alerts say what the API does.
_PAUSE_WORDS: Final = {
    AuditAction.ENABLED: "resumed (enabled)",
    AuditAction.DISABLED: "paused (disabled)",
}
_OTHER_NAMES: Final = {"resumed": AuditAction.ENABLED, "paused": AuditAction.DISABLED}
ACTION_WORDS: Final = {
    each: TRIGGER_WORDS[Trigger.REDRIVE] if each is AuditAction.REDRIVEN else each.value
    for each in AuditAction
}

Value = TypeVar("Value")


class EntryRow(NamedTuple):
    """An entry as a page shows it."""

    entry: AuditEntry
    kind: str
    address: str
    summary: str
    done: str

    @property
    def action(self) -> str:
        """What was done, in the words of pages."""
        action = self.entry.action
        is_of_collection = self.entry.subject.kind is AuditKind.COLLECTION
        return (is_of_collection and _PAUSE_WORDS.get(action)) or ACTION_WORDS[action]


async def show(request: PageRequest) -> Response:
    """Show the entries that pass the filters of the address, the newest first."""
    require(request.who, Role.OWNER)
    problems: list[str] = []
    wanted, after = _filter(request, problems), position_in(request.query.get("after"))
    page = Page(_PER_PAGE + 1, after=after)
    audit = request.use_cases.audit
    found: Sequence[AuditEntry] = []
    if not problems:
        found = await audit.list_entries(request.who, wanted, page)
    dashboard = request.use_cases.dashboard
    listed = await dashboard.collections(request.who, limit=_COLLECTIONS)
    keys = [each.collection.key for each in listed]
    query = {name: request.query.get(name) for name in ("since", "who", "action", "of", "job")}
    entries = found[:_PER_PAGE]
    following = ""
    if len(found) > _PER_PAGE:
        last = entries[-1]
        following = urls.with_query(PATH, **query, after=f"{last.at}:{last.id}")
    places = await audit.current_places(request.who, entries)
    return request.render_page(
        "audit.html",
        http_status=_WRONG if problems else 200,
        problems=problems,
        rows=[entry_row(writable(entry), places.get(entry.id)) for entry in entries],
        query=query,
        scope=request.chosen_scope,
        collections=keys,
        naming=naming_of(keys),
        periods={name: words for name, (words, _) in SINCE.items()},
        actions={each.value: _choice(each) for each in ACTION_WORDS},
        is_filtered=any(query.values()),
        newest=urls.with_query(PATH, **query) if after is not None else "",
        following=following,
    )


async def show_entry(request: PageRequest) -> Response:
    """Show an entry: who and when, each field that changed, and all of it before and after."""
    require(request.who, Role.OWNER)
    text = request.names["entry"]
    if not is_number(text):
        raise AuditEntryNotFound(text)
    entry = writable(await request.use_cases.audit.get_entry(request.who, int(text)))
    places = await request.use_cases.audit.current_places(request.who, [entry])
    return request.render_page(
        "audit_entry.html",
        row=entry_row(entry, places.get(entry.id)),
        entry=entry,
        subject=_subject_text(entry.subject),
        changes=[
            ShownChange(each.path, each.path, value_text(each.before), value_text(each.after))
            for each in entry_changes(entry)
        ],
        before=value_text(entry.before and encode_snapshot(entry.before)),
        after=value_text(entry.after and encode_snapshot(entry.after)),
    )


def _filter(request: PageRequest, problems: list[str]) -> AuditFilter:
    """Read the filters of the address; each that is wrong is told."""
    query, scope = request.query, request.chosen_scope
    job = query.get("job").strip() or None

    def read(name: str, parse: Callable[[str], Value]) -> Value | None:
        try:
            return parse(query.get(name)) if query.get(name) else None
        except Invalid as refusal:
            problems.append(f"{name}: {refusal.problem}")
            return None

    if wrong_choice := problem_of_choice(request):
        problems.append(wrong_choice)
    return AuditFilter(
        since=read("since", lambda text: _since(text, request.now)),
        who=query.get("who").strip() or None,
        action=read("action", _action),
        kind=AuditKind.JOB if job else None,
        subscription=scope.subscription,
        group=scope.group,
        collection=scope.collection,
        name=job,
    )


def _since(text: str, now: Instant) -> Instant:
    if text in SINCE:
        return Instant(now - SINCE[text][1])
    try:
        return parse_instant(text)
    except Invalid:
        expected = f"one of {', '.join(SINCE)}, or a date-time in ISO 8601"
        raise wrong(("since",), text, expected) from None


def _choice(action: AuditAction) -> str:
    """Return an action as the choice of actions says it: of collections and of all else."""
    other = next((name for name, each in _OTHER_NAMES.items() if each is action), "")
    return f"{ACTION_WORDS[action]}, {other}" if other else ACTION_WORDS[action]


def _action(text: str) -> AuditAction:
    """Read an action as pages call it, or as the API does."""
    names = {words: each for each, words in ACTION_WORDS.items()}
    names |= _OTHER_NAMES
    found = ACTIONS.get(text.lower()) or names.get(text.lower())
    if found is None:
        raise wrong(("action",), text, f"one of {', '.join(names)}")
    return found


def position_in(text: str) -> AuditPosition | None:
    """Return the place in the log that an address names."""
    at, _, number = text.partition(":")
    if not (is_number(at) and is_number(number)):
        return None
    return AuditPosition(Instant(int(at)), int(number))


def is_number(text: str) -> bool:
    """Tell whether a text is the number of an entry, or a part of a place in the log."""
    return text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS


def entry_row(entry: AuditEntry, job: JobPlace | None) -> EntryRow:
    """Return an entry as a page shows it; `job` is where the job that it is about is now."""
    subject, action = entry.subject, entry.action
    is_gone = action in (AuditAction.DELETED, AuditAction.REVOKED)
    address = "" if is_gone else _address(subject, job)
    done = next((name for name, each in _OTHER_NAMES.items() if each is action), "")
    is_paused = subject.kind is AuditKind.COLLECTION and bool(done)
    words = done if is_paused else _DONE_WORDS.get(action, action.value)
    return EntryRow(entry, _KIND_WORDS[subject.kind], address, _summary(entry), words)


def _address(subject: AuditSubject, job: JobPlace | None) -> str:
    """Return the page of what was changed, empty for a job that is gone.

    An alert or a collection may have been deleted since.
    """
    key = CollectionKey(subject.subscription or "", subject.group or "", subject.collection or "")
    match subject.kind:
        case AuditKind.JOB:
            return "" if job is None else urls.job(*job)
        case AuditKind.ALERT:
            return urls.alert(key, subject.name or "")
        case AuditKind.COLLECTION | AuditKind.CALENDAR:
            return urls.collection(key)
        case AuditKind.TOKEN:
            return "/tokens"
        case AuditKind.FAILURES:
            return "/failures"
        case AuditKind.GROUP | AuditKind.DEPLOYMENT:
            return ""


def _summary(entry: AuditEntry) -> str:
    """Return in a few words what an entry changed."""
    details = entry.details
    counts = [
        _count(details.runs, "run"),
        _count(details.collections, "collection"),
        _count(details.jobs, "job"),
    ]
    names = _shortened([each.path.removeprefix("properties.") for each in entry_changes(entry)])
    told = [*filter(None, counts), *filter(None, [names, details.reason])]
    return "; ".join(told)


def _count(value: int | None, noun: str) -> str:
    return how_many(value, noun) if value else ""


def _shortened(names: Sequence[str]) -> str:
    more = len(names) - _NAMES_SHOWN
    return ", ".join(names[:_NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _subject_text(subject: AuditSubject) -> str:
    parts = (subject.subscription, subject.group, subject.collection, subject.name)
    return " / ".join(part for part in parts if part)
