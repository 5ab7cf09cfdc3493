"""The judge: compares what should have happened, what arrived, and what the server tells.

Lost      due, and neither sent nor recorded as skipped
early     sent before its time
repeated  sent again; that is right after an attempt that failed, or that was under way when the
          server broke down, and only under the same tag
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from chaos.facts import SECOND, Break, Calendar, Delivery, Recorded, Told, parse, written

# An answer that was sent before a kill may not be on disk yet, while that is busy: until it is, the
# attempt is under way. One that is on disk and was repeated is told as completed twice.
SETTLING = 5 * SECOND

_SKIPPED = re.compile(
    r"\w+ Action - Skipped: (\d+) occurrences? for .*, from (\S+) to (\S+): ", re.DOTALL
)


class Evidence(Struct, frozen=True, kw_only=True):
    """What a scenario leaves behind; `must_succeed` if the target is always well."""

    calendar: Calendar
    deliveries: Sequence[Delivery]
    told: Mapping[str, Told]
    breaks: Sequence[Break] = ()
    must_succeed: bool = True


class Judgement(Struct, frozen=True, kw_only=True):
    """What came out; `problems` is empty if all is well."""

    occurrences: int
    sent: int
    skipped: int
    lost: int
    early: int
    duplicated: int
    planned_twice: int
    lateness: Sequence[int]
    problems: Sequence[str]


NOTHING = Judgement(
    occurrences=0,
    sent=0,
    skipped=0,
    lost=0,
    early=0,
    duplicated=0,
    planned_twice=0,
    lateness=(),
    problems=(),
)


class _Case(Struct, frozen=True):
    """All that is known of one occurrence."""

    job: str
    expected: int
    attempts: Sequence[Delivery]
    recorded: Sequence[Recorded]
    is_skipped: bool

    @property
    def is_lost(self) -> bool:
        """Whether nothing at all became of it."""
        return not (self.attempts or self.is_skipped or self.recorded)

    @property
    def is_planned_twice(self) -> bool:
        """Whether it has two tags, or was completed twice."""
        tags = {attempt.tag for attempt in self.attempts}
        return len(tags) > 1 or self.completed > 1

    @property
    def completed(self) -> int:
        """How often it is in history as completed."""
        return sum(entry.status == "completed" for entry in self.recorded)

    @property
    def is_early(self) -> bool:
        """Whether it was sent before its time."""
        return any(attempt.arrived < self.expected for attempt in self.attempts)

    def says(self, problem: str) -> str:
        """Name a problem of it."""
        return f"{self.job} at {written(self.expected)} {problem}"


def judge(evidence: Evidence) -> Judgement:
    """Judge a scenario."""
    cases = list(_cases(evidence))
    problems = [
        *(problem for case in cases for problem in _problems(case, evidence)),
        *_strangers(evidence),
        *_wrong_ends(evidence, cases),
    ]
    sent = [case for case in cases if case.attempts]
    return Judgement(
        occurrences=len(cases),
        sent=len(sent),
        skipped=sum(case.is_skipped for case in cases),
        lost=sum(case.is_lost for case in cases),
        early=sum(case.is_early for case in cases),
        duplicated=sum(len(case.attempts) - 1 for case in sent),
        planned_twice=sum(case.is_planned_twice for case in cases),
        lateness=sorted(case.attempts[0].arrived - case.expected for case in sent),
        problems=problems,
    )


def joined(main: Judgement, other: Judgement) -> Judgement:
    """Return both as one, with the lateness of the first alone."""
    return Judgement(
        occurrences=main.occurrences + other.occurrences,
        sent=main.sent + other.sent,
        skipped=main.skipped + other.skipped,
        lost=main.lost + other.lost,
        early=main.early + other.early,
        duplicated=main.duplicated + other.duplicated,
        planned_twice=main.planned_twice + other.planned_twice,
        lateness=main.lateness,
        problems=[*main.problems, *other.problems],
    )


def percentile(values: Sequence[int], share: float) -> int:
    """Return the value that so large a share of sorted values does not exceed."""
    return values[min(len(values) - 1, int(len(values) * share))] if values else 0


def _cases(evidence: Evidence) -> Iterator[_Case]:
    attempts = attempts_of(evidence.deliveries)
    for job, times in evidence.calendar.items():
        history = evidence.told[job].history if job in evidence.told else ()
        stretches = [(parse(found[2]), parse(found[3])) for found in _skips(history)]
        recorded: defaultdict[int, list[Recorded]] = defaultdict(list)
        for entry in history:
            if entry.status != "postponed":
                recorded[entry.expected].append(entry)
        for expected in times:
            is_skipped = any(first <= expected <= last for first, last in stretches)
            made = attempts.get((job, expected), [])
            yield _Case(job, expected, made, recorded[expected], is_skipped)


def attempts_of(deliveries: Sequence[Delivery]) -> dict[tuple[str, int], list[Delivery]]:
    """Return attempts by occurrence, in order; the hops of a redirect are one attempt."""
    first: dict[str, Delivery] = {}
    for delivery in sorted(deliveries, key=lambda each: each.arrived):
        first.setdefault(delivery.request_id, delivery)
    found: defaultdict[tuple[str, int], list[Delivery]] = defaultdict(list)
    for delivery in first.values():
        found[delivery.job, delivery.expected].append(delivery)
    return found


def _skips(history: Sequence[Recorded]) -> Iterator[re.Match[str]]:
    for entry in history:
        if entry.status == "postponed" and (found := _SKIPPED.match(entry.message)):
            yield found


def _problems(case: _Case, evidence: Evidence) -> Iterator[str]:
    if case.is_lost:
        yield case.says("was lost")
    if case.is_early:
        yield case.says("was sent before its time")
    if case.attempts and case.is_skipped:
        yield case.says("was sent, and recorded as skipped")
    if case.attempts and not case.recorded:
        yield case.says("was sent, and is not in history")
    completed = case.completed
    if completed and not case.attempts:
        yield case.says("is in history as completed, and was never sent")
    if completed > 1:
        yield case.says(f"was completed {completed} times")
    if evidence.must_succeed and completed < len(case.recorded):
        failed = next(entry for entry in case.recorded if entry.status != "completed")
        yield case.says(f"failed at a target that is well: {failed.message[:200]}")
    yield from _bad_repeats(case, evidence.breaks)


def _bad_repeats(case: _Case, breaks: Sequence[Break]) -> Iterator[str]:
    if len({attempt.tag for attempt in case.attempts}) > 1:
        yield case.says("was repeated under another tag")
    for earlier in case.attempts[:-1]:
        if not (_has_failed(earlier, case.recorded) or was_broken_off(earlier, breaks)):
            yield case.says("was repeated for no reason")


def _has_failed(attempt: Delivery, recorded: Sequence[Recorded]) -> bool:
    return any(
        entry.status == "failed" and entry.started <= attempt.arrived <= entry.ended
        for entry in recorded
    )


def was_broken_off(attempt: Delivery, breaks: Sequence[Break]) -> bool:
    """Tell whether it was under way when the server broke down, or on its way to the sink."""
    return any(
        attempt.arrived <= broken.until
        and (broken.clients is None or attempt.client in broken.clients)
        and (attempt.answered is None or broken.at <= attempt.answered + SETTLING)
        for broken in breaks
    )


def _strangers(evidence: Evidence) -> Iterator[str]:
    """Name what arrived, or is recorded, and is in no calendar."""
    planned = {job: set(times) for job, times in evidence.calendar.items()}
    for each in evidence.deliveries:
        if each.expected not in planned.get(each.job, ()):
            yield f"{each.job} at {written(each.expected)} was sent, and is in no calendar"
    for job in evidence.calendar:
        if job not in evidence.told:
            continue
        told = evidence.told[job]
        for entry in told.history:
            if entry.expected not in planned.get(job, ()):
                yield f"{job} at {written(entry.expected)} is recorded, and is in no calendar"
        for found in _skips(told.history):
            first, last = parse(found[2]), parse(found[3])
            count = sum(first <= time <= last for time in planned.get(job, ()))
            if count != int(found[1]):
                yield f"{job}: {found[1]} are said to be skipped, {count} lie in that stretch"


def _wrong_ends(evidence: Evidence, cases: Sequence[_Case]) -> Iterator[str]:
    """Name jobs that are gone, have a wrong executionCount, or are not in their final state."""
    started: defaultdict[str, int] = defaultdict(int)
    for case in cases:
        started[case.job] += bool(case.attempts or case.recorded)
    for job in evidence.calendar:
        told = evidence.told.get(job)
        if told is None:
            yield f"{job} is gone"
            continue
        if told.executions != started[job]:
            yield f"{job}: executionCount is {told.executions}, {started[job]} were started"
        if evidence.must_succeed and told.state != "completed":
            yield f"{job} is {told.state} in the end, not completed"
