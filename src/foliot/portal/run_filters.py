"""The filters of runs and failures: read from an address, checked, and written into one again."""

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

from msgspec import Struct

from foliot.api.wire.run import OUTCOMES, TRIGGERS
from foliot.app.run_records import RunsOf
from foliot.core.errors import Invalid, shown
from foliot.core.ids import CollectionKey
from foliot.core.instant import DAY, HOUR, MINUTE, Instant, Wall, parse_moment
from foliot.core.model.history import SkipReason
from foliot.core.model.reason import Reason
from foliot.core.model.run import Trigger
from foliot.core.model.run_record import OpenRuns, RunFilter
from foliot.core.recurrence.zone import instant_of_moment, to_instant, to_wall
from foliot.portal import urls
from foliot.portal.day_words import EXAMPLES, said_instant
from foliot.portal.forms.posted import Form
from foliot.portal.run_rows import TRIGGER_WORDS

NAMES: Final = (*("since", "until", "outcome", "reason", "trigger", "host", "collection", "job"),)
LAST_NIGHT: Final = "last-night"
PRESETS: Final = {
    "1h": "Last hour",
    "24h": "Last 24 hours",
    LAST_NIGHT: "Last night, 20:00\N{EN DASH}08:00",
    "7d": "Last 7 days",
}
# An address names groups of open runs as well, for which the API has no word.
SHOWN_OUTCOMES: Final = {**{each.value: each for each in OpenRuns}, **OUTCOMES}
# In an address, runs that have no reason or no host.
NO_VALUE: Final = "-"
REASONS: Final = (*(each.value for each in Reason), *(each.value for each in SkipReason))
_NIGHT_BEGINS, _NIGHT_ENDS = 20 * HOUR, 8 * HOUR
_PERIOD: Final = re.compile(r"([1-9]\d{0,4})([mhd])", re.ASCII)
_UNITS: Final = {"m": MINUTE, "h": HOUR, "d": DAY}
_KEY_PARTS: Final = 3
_MOST_TEXT: Final = 300

Value = TypeVar("Value")


class Viewer(Struct, frozen=True):
    """When somebody looks, and in which time zone; None is UTC."""

    now: Instant
    zone: ZoneInfo | None


class RunQuery(Struct, frozen=True):
    """The filters of an address as they were given, what they mean, and what is wrong with them."""

    given: Mapping[str, str]
    of: RunsOf = RunsOf()
    wanted: RunFilter = RunFilter()
    problems: tuple[str, ...] = ()

    @property
    def is_filtered(self) -> bool:
        """Whether any filter is given."""
        return any(self.given.values())

    def address(self, path: str, **changes: str) -> str:
        """Return an address with these filters, some of them changed."""
        return urls.with_query(path, **{**self.given, **changes})


def read_query(query: Form, viewer: Viewer, *, default_since: str = "") -> RunQuery:
    """Read the filters of an address; each that is wrong is told, and all others are kept."""
    given = {name: query.get(name).strip()[:_MOST_TEXT] for name in NAMES}
    given["since"] = given["since"] or ("" if given["until"] else default_since)
    problems: list[str] = []

    def read(name: str, parse: Callable[[str], Value]) -> Value | None:
        try:
            return parse(given[name]) if given[name] else None
        except Invalid as refusal:
            problems.append(f"{name}: {refusal.problem}")
            return None

    key = read("collection", _key)
    if given["job"] and key is None:
        problems.append("job: choose the collection of the job as well.")
    since, night_end = read("since", lambda text: _since(text, viewer)) or (None, None)
    until = read("until", lambda text: _instant(text, viewer))
    wanted = RunFilter(
        since=since,
        until=until or night_end,
        outcome=read("outcome", lambda text: _word(text, SHOWN_OUTCOMES)),
        trigger=read("trigger", _trigger),
        reason=read("reason", _reason),
        host=_text(given["host"].lower()),
    )
    # As the choices of the form write them.
    given["trigger"] = wanted.trigger.value if wanted.trigger else given["trigger"]
    given["reason"] = wanted.reason or given["reason"]
    if wanted.since is not None and wanted.until is not None and wanted.since > wanted.until:
        problems.append("until: the end of the period is before its beginning.")
    of = RunsOf(None, key, given["job"] or None) if key is not None else RunsOf()
    return RunQuery(given, of, wanted, tuple(problems))


def last_night(viewer: Viewer) -> tuple[Instant, Instant]:
    """Return the night that ended last or has not ended yet, from 20:00 to 08:00 local time."""
    here = to_wall(viewer.zone, viewer.now)
    midnight = here - here % DAY
    begin, end = Wall(midnight - DAY + _NIGHT_BEGINS), Wall(midnight + _NIGHT_ENDS)
    return to_instant(viewer.zone, begin), to_instant(viewer.zone, end)


def _since(text: str, viewer: Viewer) -> tuple[Instant, Instant | None]:
    """Read the beginning of a period, and its end if the text says that too."""
    if text == LAST_NIGHT:
        return last_night(viewer)
    return _instant(text, viewer, or_else=f"{LAST_NIGHT}, "), None


def _instant(text: str, viewer: Viewer, *, or_else: str = "") -> Instant:
    """Read a period up to now, or a date-time; one without an offset is local time.

    `or_else` names what the caller accepts as well.
    """
    period = _PERIOD.fullmatch(text)
    if period is not None:
        return Instant(max(0, viewer.now - int(period[1]) * _UNITS[period[2]]))
    said = said_instant(text, viewer.now, viewer.zone)
    if said is not None:
        return said
    try:
        return instant_of_moment(viewer.zone, parse_moment(text))
    except Invalid:
        example = (
            f"{or_else}a period such as 30m, 24h or 7d, {EXAMPLES}, "
            "or a date-time such as 2026-01-31 20:00"
        )
        raise Invalid((), f"{shown(text)} is not valid; give {example}.") from None


def _text(text: str) -> str | None:
    """Read a host: nothing allows any, and a hyphen allows only runs without one."""
    return "" if text == NO_VALUE else text or None


def _reason(text: str) -> str:
    """Read a reason; a hyphen allows only runs without one."""
    return "" if text == NO_VALUE else _word(text, {each: each for each in REASONS})


def _trigger(text: str) -> Trigger:
    """Read a trigger as pages call it, or as the API does."""
    names = {words: each for each, words in TRIGGER_WORDS.items()}
    return TRIGGERS.get(text.lower()) or _word(text, names)


def _word(text: str, words: Mapping[str, Value]) -> Value:
    found = {name.lower(): value for name, value in words.items()}.get(text.lower())
    if found is None:
        allowed = ", ".join(words)
        raise Invalid((), f"{shown(text)} is not valid; give one of {allowed}.")
    return found


def _key(text: str) -> CollectionKey:
    parts = text.split("/")
    if len(parts) != _KEY_PARTS or not all(parts):
        raise Invalid((), f"{shown(text)} is not valid; give subscription/group/collection.")
    return CollectionKey(*parts)
