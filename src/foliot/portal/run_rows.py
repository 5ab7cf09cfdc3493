"""Runs as pages show them: one row each, with the attempts and the error action apart."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from foliot.app.run_records import AnyRun, RunKey, key_of
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant, format_instant
from foliot.core.model.history import HistoryEntry, RunOutcome
from foliot.core.model.reason import Reason
from foliot.core.model.run import Trigger
from foliot.core.model.run_record import EndedRun, LaterRun, OpenRun, OpenState
from foliot.core.rules.retries import waits_for_retry
from foliot.portal import urls

TRIGGER_WORDS: Final = {
    Trigger.SCHEDULE: "schedule",
    Trigger.CATCH_UP: "catch-up",
    Trigger.MANUAL: "manual",
    Trigger.REDRIVE: "rerun",
    Trigger.BACKFILL: "backfill",
}
_OPEN_PREFIX: Final = "open-"
_MOST_DIGITS: Final = 18


class RunRow(Struct, frozen=True, kw_only=True):
    """A run as a page shows it; times are None where there is none.

    `reason` is why the run failed or was skipped, or why its first attempt failed. `note` tells
    about a run without attempts.
    """

    name: str
    key: CollectionKey
    job: str
    outcome: str
    trigger: str = ""
    tag: str | None = None
    planned_at: Instant
    last_planned_at: Instant | None = None
    skipped_count: int = 0
    begun_at: Instant | None = None
    ended_at: Instant | None = None
    next_at: Instant | None = None
    waits_its_turn: bool = False
    may_be_retried: bool = False
    due_at: Instant | None = None
    reason: str | None = None
    status_code: int | None = None
    host: str | None = None
    attempts: Sequence[HistoryEntry] = ()
    error_attempts: Sequence[HistoryEntry] = ()
    note: str = ""
    later: LaterRun | None = None

    @property
    def is_open(self) -> bool:
        """Whether the run has not ended."""
        return self.name.startswith(_OPEN_PREFIX)

    @property
    def may_change_by_itself(self) -> bool:
        """Whether the run is open, or made again by one that is."""
        return self.is_open or (self.later is not None and self.later.outcome is None)

    @property
    def may_be_rerun(self) -> bool:
        """Whether the run was given up, and was not made again."""
        return self.outcome == RunOutcome.FAILED and self.later is None

    @property
    def later_words(self) -> str:
        """What became of a failed run that was made again; empty if it was not."""
        if self.later is None:
            return ""
        outcome = self.later.outcome
        return "is being rerun" if outcome is None else f"rerun since: {outcome.value}"

    @property
    def later_address(self) -> str:
        """The page of the run that was made again."""
        if self.later is None:
            return ""
        key = RunKey(is_open=self.later.outcome is None, number=self.later.number)
        return urls.run(self.key, self.job, name_of(key))

    @property
    def error_action(self) -> str:
        """How the error action ended; empty if there was none."""
        if not self.error_attempts:
            return ""
        return self.error_attempts[-1].status.value

    @property
    def planned_text(self) -> str:
        """The planned time as a form sends it."""
        return format_instant(self.planned_at)

    @property
    def address(self) -> str:
        """The page of the run."""
        return urls.run(self.key, self.job, self.name)


def reason_words(reason: str | None, status_code: int | None) -> str:
    """Say why a run or an attempt failed, with the status that it got; empty if it did not."""
    if not reason:
        return ""
    if status_code is None:
        return reason
    return f"HTTP {status_code}" if reason == Reason.HTTP_STATUS else f"{reason} {status_code}"


def row_of(run: AnyRun) -> RunRow:
    """Return the row of a run."""
    return _open_row(run) if isinstance(run, OpenRun) else _ended_row(run)


def name_of(key: RunKey) -> str:
    """Return how an address names a run: an open one by its id, an ended one by its entry."""
    return f"{_OPEN_PREFIX if key.is_open else ''}{key.number}"


def parse_name(text: str) -> RunKey | None:
    """Read the name of a run in an address; None if it is not one."""
    number = text.removeprefix(_OPEN_PREFIX)
    if not (number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS):
        return None
    return RunKey(is_open=text.startswith(_OPEN_PREFIX), number=int(number))


def changing_values(row: RunRow) -> tuple[object, ...]:
    """Return what of a row changes while a page shows it, for a fingerprint."""
    attempts = len(row.attempts), len(row.error_attempts)
    return row.name, row.outcome, row.next_at, *attempts, row.later_words


def _open_row(found: OpenRun) -> RunRow:
    run, attempts = found.run, found.attempts
    is_running = run.lease is not None
    last = attempts[-1] if attempts else None
    return RunRow(
        name=name_of(key_of(found)),
        key=found.key,
        job=found.job,
        outcome=OpenState.RUNNING if is_running else OpenState.WAITING,
        trigger=TRIGGER_WORDS[run.trigger],
        tag=run.tag,
        planned_at=run.expected_at,
        begun_at=attempts[0].started_at if attempts else None,
        next_at=None if is_running else run.due_at,
        may_be_retried=waits_for_retry(run),
        due_at=run.due_at,
        waits_its_turn=not is_running and run.due_at is None,
        reason=last and last.reason,
        status_code=last and last.status_code,
        host=last and last.host,
        attempts=attempts,
    )


def _ended_row(found: EndedRun) -> RunRow:
    entry, attempts = found.entry, found.attempts
    main = [each for each in attempts if not each.is_error_action]
    # A run that recovered has no reason of its own, but its first attempt has.
    cause = entry if entry.reason else next((each for each in main if each.reason), entry)
    is_skipped = entry.outcome is RunOutcome.SKIPPED
    return RunRow(
        name=name_of(key_of(found)),
        key=found.key,
        job=found.job,
        outcome="" if entry.outcome is None else entry.outcome.value,
        trigger="" if entry.trigger is None else TRIGGER_WORDS[entry.trigger],
        tag=entry.tag,
        planned_at=entry.expected_at,
        last_planned_at=entry.last_expected_at,
        skipped_count=entry.skipped_count or 0,
        begun_at=main[0].started_at if main else None,
        ended_at=None if is_skipped else entry.ended_at,
        reason=cause.reason,
        status_code=cause.status_code,
        host=cause.host or entry.host,
        attempts=main,
        error_attempts=[each for each in attempts if each.is_error_action],
        note="" if main else entry.message,
        later=found.later,
    )
