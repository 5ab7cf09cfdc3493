"""Open runs on the page of a job: one line each, the first few, and how many more there are."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from foliot.app.run_records import RunKey
from foliot.core.instant import Instant, format_instant
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.job import Job
from foliot.core.model.run import Phase, Run, Trigger
from foliot.core.rules.retries import waits_for_retry
from foliot.core.rules.turns import waits_until_enabled
from foliot.portal.run_rows import TRIGGER_WORDS, name_of

_SHOWN: Final = 3


class OpenRunLine(Struct, frozen=True, kw_only=True):
    """An open run: its state, what started it, its planned time, and what it waits for.

    `name` is how the address of its page names it. `next_at` is when its next attempt is due,
    None if it runs or waits for something else.
    """

    name: str
    tag: str
    is_running: bool
    may_be_retried: bool
    due_at: Instant | None
    state: str
    attempt: str
    origin: str
    planned_at: Instant
    next_at: Instant | None = None
    waits: str = ""

    @property
    def planned_text(self) -> str:
        """The planned time as a form sends it."""
        return format_instant(self.planned_at)


class OpenRunLines(Struct, frozen=True):
    """The lines that a page shows, and what it says of the others; empty if there are none."""

    lines: Sequence[OpenRunLine]
    rest: str


def open_run_lines(runs: Sequence[Run], job: Job, collection: Collection) -> OpenRunLines:
    """Return open runs as lines: those that run or are due before those that wait their turn."""
    ordered = sorted(runs, key=lambda run: (run.lease is None, run.due_at is None))
    left = ordered[_SHOWN:]
    verb = "waits" if len(left) == 1 else "wait"
    if any(run.lease is not None for run in left):
        verb = "is open" if len(left) == 1 else "are open"
    lines = [_line(run, _held_by(run, job, collection)) for run in ordered[:_SHOWN]]
    return OpenRunLines(lines, f"and {len(left):,} more {verb}" if left else "")


def _line(run: Run, held_by: str) -> OpenRunLine:
    is_running = run.lease is not None
    of_what = " of the error action" if run.phase is Phase.ERROR else ""
    next_at = None if is_running or held_by else run.due_at
    tells_attempt = is_running or next_at is not None or run.attempt > 1 or of_what
    return OpenRunLine(
        name=name_of(RunKey(is_open=True, number=run.id)),
        tag=run.tag,
        is_running=is_running,
        may_be_retried=waits_for_retry(run),
        due_at=run.due_at,
        state=_state(run, held_by),
        attempt=f"attempt {run.attempt}{of_what}" if tells_attempt else "",
        origin=_origin(run),
        planned_at=run.expected_at,
        next_at=next_at,
        waits="" if is_running else held_by or _turn(run),
    )


def _state(run: Run, held_by: str) -> str:
    if run.lease is not None:
        return "running"
    if held_by:
        return "waits"
    if run.attempt > 1:
        return "waiting for retry"
    return "waits its turn" if run.due_at is None else "queued"


def _origin(run: Run) -> str:
    if run.is_planned:
        return "planned for"
    if run.trigger is Trigger.MANUAL:
        return "started manually"
    return f"{TRIGGER_WORDS[run.trigger]} of"


def _held_by(run: Run, job: Job, collection: Collection) -> str:
    """Say what has to be enabled before a run begins; empty if nothing has to be."""
    if collection.state is not CollectionState.ENABLED:
        return "until the collection is enabled"
    if waits_until_enabled(job, run):
        return "until the job is enabled"
    return ""


def _turn(run: Run) -> str:
    return "until another run has ended" if run.due_at is None else ""
