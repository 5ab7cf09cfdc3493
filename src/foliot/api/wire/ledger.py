"""The lines of the ledger, and ranges of planned times. Foliot's own."""

from foliot.api.wire.clients import ANY_CLIENT
from foliot.api.wire.field_types import ANSWERED_INTEGER, INSTANT, TEXT, word
from foliot.api.wire.fields import WireField, WireObject, read_field
from foliot.api.wire.json_reader import Properties
from foliot.api.wire.run import TRIGGERS
from foliot.core.errors import Invalid
from foliot.core.instant import Instant
from foliot.core.json_text import Json
from foliot.core.model.ledger import LedgerLine, LineOutcome
from foliot.core.rules.repeated_runs import TimeRange

_OUTCOMES = {each.value: each for each in LineOutcome}
LEDGER_LINE = WireObject(
    LedgerLine,
    WireField("plannedAt", "planned_at", INSTANT, required=True),
    WireField("outcome", "outcome", word(_OUTCOMES), required=True),
    WireField("reason", "reason", TEXT),
    WireField("explanation", "explanation", TEXT, required=True),
    WireField("trigger", "trigger", word(TRIGGERS)),
    WireField("tag", "tag", TEXT),
    WireField("attempts", "attempts", ANSWERED_INTEGER),
    WireField("endTime", "ended_at", INSTANT),
    WireField("movedTo", "moved_to", INSTANT),
    component="Occurrence",
)


def _range(*, since: Instant, before: Instant) -> TimeRange:
    return TimeRange(since, before)


TIME_RANGE = WireObject(
    _range,
    WireField("from", "since", INSTANT, required=True),
    WireField("to", "before", INSTANT, required=True),
    component="TimeRange",
)
_TAG = WireField("tag", "tag", TEXT, required=True)


def encode_line(line: LedgerLine) -> Json:
    """Write a line of the ledger."""
    return LEDGER_LINE.encode(line, ANY_CLIENT)


def decode_range(body: Json) -> TimeRange:
    """Read a range of planned times."""
    given = Properties(body)
    found = TIME_RANGE.decode(given)
    given.refuse_unknown()
    return found


def decode_range_or_tag(body: Json) -> TimeRange | str:
    """Read a range of planned times, or the tag of one run."""
    given = Properties(body)
    if all(given.get(name) is None for name in ("tag", "from", "to")):
        given.refuse_unknown()
        raise Invalid(("from",), "is missing; give from and to, or the tag of a run.")
    if given.get("tag") is None:
        return decode_range(body)
    if given.get("from") is not None or given.get("to") is not None:
        raise Invalid(("tag",), "stands alone; give either tag, or from and to.")
    tag: str = read_field(given, _TAG)
    given.refuse_unknown()
    return tag
