"""Reads rules and schedules of Amazon EventBridge, as the AWS command line prints them.

A rule has its targets in `Targets`, or a document `{"Rule": name, "Targets": [...]}` has them. API
destinations and connections come from documents of their own.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from foliot.core.errors import Invalid, shown, within
from foliot.core.instant import Instant, parse_instant
from foliot.importers.aws_expressions import read_expression
from foliot.importers.aws_targets import Destinations, read_target
from foliot.importers.documents import Fields, read_json
from foliot.importers.finish import convert_each, finish
from foliot.importers.http_call import write_action
from foliot.importers.job_parts import seconds
from foliot.importers.model import (
    DraftJob,
    ImportOptions,
    ImportResult,
    LeftOut,
    SourceText,
)

_MAX_JITTER_MINUTES = 60
# What an API destination has to answer within.
_TIMEOUT = 5


class ScheduledTarget(Struct, frozen=True, kw_only=True):
    """A target of a rule or of a schedule."""

    name: str
    group: str | None
    entry: Fields
    target: Fields


def read_event_rules(sources: Sequence[SourceText], options: ImportOptions) -> ImportResult:
    """Read rules, schedules, targets, API destinations and connections from all files together."""
    found = _SortedDocuments()
    for source in sources:
        try:
            found.add(source.name, Fields(read_json(source)))
        except Invalid as refusal:
            raise Invalid((), _with_name(source.name, str(refusal))) from None
    destinations = Destinations(found.destinations, found.connections)
    entries = list(found.targets())
    drafts, left_out = convert_each(
        entries, lambda origin, each: _draft(origin, each, destinations, options.now)
    )
    return finish(drafts, [*found.left_out, *left_out], options, collection="eventbridge")


def _with_name(name: str, problem: str) -> str:
    return problem if problem.startswith(f"{name}: ") else f"{name}: {problem}"


class _SortedDocuments:
    """What the documents hold, sorted."""

    def __init__(self) -> None:
        self.rules: list[tuple[str, Fields]] = []
        self.schedules: list[tuple[str, Fields]] = []
        self.target_lists: list[Fields] = []
        self.destinations: list[Fields] = []
        self.connections: list[Fields] = []
        self.left_out: list[LeftOut] = []

    def add(self, source: str, document: Fields) -> None:
        """Sort a document by the fields that it has."""
        if "Rules" in document:
            self.rules += [(source, each) for each in document.objects("Rules")]
        elif "Schedules" in document:
            self.schedules += [(source, each) for each in document.objects("Schedules")]
        elif "ApiDestinations" in document:
            self.destinations += document.objects("ApiDestinations")
        elif "Connections" in document:
            self.connections += document.objects("Connections")
        elif "InvocationEndpoint" in document:
            self.destinations.append(document)
        elif "AuthorizationType" in document:
            self.connections.append(document)
        elif "ScheduleExpression" in document and "Target" in document:
            self.schedules.append((source, document))
        elif "ScheduleExpression" in document:
            self.rules.append((source, document))
        elif "Targets" in document:
            self.target_lists.append(document)
        else:
            raise Invalid(
                (),
                "it has neither Rules, Schedules, Targets, ApiDestinations nor Connections.",
            )

    def targets(self) -> Iterator[tuple[str, ScheduledTarget]]:
        """Go through the targets of all rules and schedules."""
        for source, rule in self.rules:
            yield from self._targets_of(source, rule)
        for source, schedule in self.schedules:
            name = schedule.required_text("Name")
            origin = f"{source}, schedule {name}"
            if "Target" not in schedule:
                reason = "the list has no target; give the output of aws scheduler get-schedule."
                self.left_out.append(LeftOut(origin, reason))
                continue
            group = schedule.text("GroupName", "default")
            yield (
                origin,
                ScheduledTarget(
                    name=name,
                    group=None if group == "default" else group,
                    entry=schedule,
                    target=schedule.object("Target"),
                ),
            )

    def _targets_of(self, source: str, rule: Fields) -> Iterator[tuple[str, ScheduledTarget]]:
        name = rule.required_text("Name")
        origin = f"{source}, rule {name}"
        if "ScheduleExpression" not in rule:
            reason = "the rule answers events (EventPattern) and has no schedule."
            self.left_out.append(LeftOut(origin, reason))
            return
        targets = [*rule.objects("Targets"), *self._listed_targets(name)]
        if not targets:
            reason = (
                "the files have no targets of the rule; give the output of aws events "
                f'list-targets-by-rule with "Rule": {shown(name)} added to it.'
            )
            self.left_out.append(LeftOut(origin, reason))
        for target in targets:
            ending = f"-{target.text('Id', 'target')}" if len(targets) > 1 else ""
            yield (
                f"{origin}, target {target.text('Id')}" if ending else origin,
                ScheduledTarget(name=name + ending, group=None, entry=rule, target=target),
            )

    def _listed_targets(self, rule: str) -> Iterator[Fields]:
        is_only_rule = len(self.rules) == 1
        for each in self.target_lists:
            if each.text("Rule") == rule or (is_only_rule and "Rule" not in each):
                yield from each.objects("Targets")


def _draft(
    origin: str, scheduled: ScheduledTarget, destinations: Destinations, now: Instant
) -> DraftJob:
    entry, notes = scheduled.entry, list[str]()
    call, is_complete = read_target(scheduled.target, destinations, notes)
    zone = entry.text("ScheduleExpressionTimezone") or None
    calendar = read_expression(entry.required_text("ScheduleExpression"), zone, now)
    policy = {"timeout": seconds(_TIMEOUT), **_jitter(entry.object("FlexibleTimeWindow"), notes)}
    properties: dict[str, Any] = {
        **_bounded(calendar, entry, notes),
        "action": write_action(call),
        "policy": policy,
    }
    if entry.text("State", "ENABLED") != "ENABLED" or not is_complete:
        properties["state"] = "disabled"
    return DraftJob(
        origin=origin,
        wished_name=scheduled.name,
        properties=properties,
        notes=tuple(notes),
        collection=scheduled.group,
    )


def _bounded(calendar: dict[str, Any], entry: Fields, notes: list[str]) -> dict[str, Any]:
    """Add the start and the end of a schedule."""
    bounded = dict(calendar)
    if "recurrence" not in calendar:
        return bounded
    if "StartDate" in entry:
        bounded["startTime"] = _time(entry, "StartDate")
    elif "frequency" in calendar["recurrence"]:
        rate, start = entry.text("ScheduleExpression"), calendar["startTime"]
        notes.append(f"{rate} counted from its creation; the job counts from {start}")
    if "EndDate" in entry:
        bounded["recurrence"] = {**calendar["recurrence"], "endTime": _time(entry, "EndDate")}
    return bounded


def _time(entry: Fields, name: str) -> str:
    text = entry.text(name)
    with within(*entry.path, name):
        parse_instant(text)
    return text


def _jitter(window: Fields, notes: list[str]) -> dict[str, str]:
    if window.text("Mode", "OFF") != "FLEXIBLE":
        return {}
    minutes = window.number("MaximumWindowInMinutes", 1)
    if minutes > _MAX_JITTER_MINUTES:
        notes.append(
            f"the flexible window is {_MAX_JITTER_MINUTES} minutes, the most, not {minutes}"
        )
    return {"jitter": f"PT{min(max(minutes, 1), _MAX_JITTER_MINUTES)}M"}
