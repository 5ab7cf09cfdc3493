"""A plan in lines for people, and as JSON for scripts."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from foliot.cli.files.alerts import AlertPlan
from foliot.cli.files.changes import ChangeKind, FieldChange
from foliot.cli.files.plan import CalendarPlan, CollectionPlan, JobPlan
from foliot.cli.files.upcoming import UpcomingRuns
from foliot.cli.remote.fields import second
from foliot.cli.remote.printable import one_line
from foliot.client.job_files import JsonObject
from foliot.client.paths import key_text
from foliot.core.json_text import Json
from foliot.core.plurals import how_many

_MARKS = {
    ChangeKind.CREATE: "+",
    ChangeKind.CHANGE: "~",
    ChangeKind.RESEND: "~",
    ChangeKind.DELETE: "-",
}
_LONGEST = 100
_ABSENT = "(absent)"


def plan_lines(plans: Sequence[CollectionPlan]) -> list[str]:
    """Return a plan as lines: each change, then how many there are."""
    lines = [line for each in plans for line in _collection(each)]
    return [*lines, summary(plans)]


def summary(plans: Sequence[CollectionPlan]) -> str:
    """Say how many jobs, calendars, alerts and collections change."""
    kinds: Counter[ChangeKind] = Counter()
    for plan in plans:
        if plan.body is not None:
            kinds[ChangeKind.CREATE if plan.is_new else ChangeKind.CHANGE] += 1
        kinds.update(each.kind for each in (*plan.calendars, *plan.jobs, *plan.alerts))
    unchanged = sum(each.unchanged for each in plans)
    same = f"{how_many(unchanged, 'job')} {'is' if unchanged == 1 else 'are'} as in the files"
    if not kinds:
        return f"Nothing to do: {same if unchanged else 'the server is as in the files'}."
    kinds[ChangeKind.CHANGE] += kinds.pop(ChangeKind.RESEND, 0)
    told = [f"{kinds[kind]} to {kind}" for kind in ChangeKind if kinds[kind]]
    return f"{', '.join(told)}{f'; {same}' if unchanged else ''}."


def _collection(plan: CollectionPlan) -> Iterator[str]:
    if not plan.has_changes and not plan.kept:
        return
    mark = " " if plan.body is None else "+" if plan.is_new else "~"
    yield f"{mark} collection {key_text(plan.current.key)}"
    yield from _fields(plan.fields)
    for calendar in plan.calendars:
        yield f"  {_MARKS[calendar.kind]} calendar {calendar.name}{_days(calendar)}"
    for job in plan.jobs:
        yield f"  {_MARKS[job.kind]} job {job.name}"
        yield from _job(job)
    for alert in plan.alerts:
        yield f"  {_MARKS[alert.kind]} alert {alert.name}"
        yield from _fields(alert.fields)
        yield from _secrets(alert)
    if plan.kept:
        one = plan.kept == 1
        told = "job is not in the files, and stays; --prune deletes it"
        many = "jobs are not in the files, and stay; --prune deletes them"
        yield f"    {plan.kept} {told if one else many}"


def _days(calendar: CalendarPlan) -> str:
    told = [
        f"{len(days)} {word}"
        for days, word in ((calendar.added, "added"), (calendar.removed, "removed"))
        if days
    ]
    return f": dates {', '.join(told)}" if told else ""


def _job(job: JobPlan) -> Iterator[str]:
    yield from _fields(job.fields)
    yield from _secrets(job)
    if job.after is None:
        return
    if job.before is not None:
        yield f"      next runs: {_times(job.before)}"
        yield f"             ->  {_times(job.after)}"
    else:
        if job.after.sentence:
            yield f"      {one_line(job.after.sentence)}"
        yield f"      next runs: {_times(job.after)}"


def _secrets(plan: JobPlan | AlertPlan) -> Iterator[str]:
    wanted = plan.job if isinstance(plan, JobPlan) else plan.alert
    if plan.kind is ChangeKind.RESEND:
        yield "      secrets are sent again; nothing else changes"
    elif plan.kind is ChangeKind.CHANGE and wanted is not None and wanted.has_secrets:
        yield "      secrets are sent again"


def _times(runs: UpcomingRuns) -> str:
    told = ", ".join(second(each) for each in runs.times)
    if not told:
        return runs.note or "none"
    return f"{told} ({runs.note})" if runs.note else told


def _fields(fields: Sequence[FieldChange]) -> Iterator[str]:
    for each in fields:
        old, new = _shown(each.old), _shown(each.new)
        secret = " (a secret in it differs)" if each.old == each.new else ""
        yield f"      {each.path}: {old} -> {new}{secret}"


def _shown(value: Json) -> str:
    if value is None:
        return _ABSENT
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"


def plan_json(plans: Sequence[CollectionPlan]) -> list[Json]:
    """Return a plan as JSON: one object for each thing that changes."""
    return [each for plan in plans for each in _changes(plan)]


def _changes(plan: CollectionPlan) -> Iterator[JsonObject]:
    where: JsonObject = {"collection": key_text(plan.current.key)}
    if plan.body is not None:
        kind = ChangeKind.CREATE if plan.is_new else ChangeKind.CHANGE
        yield {**where, "change": kind.value, "fields": _field_list(plan.fields)}
    for calendar in plan.calendars:
        yield {
            **where,
            "calendar": calendar.name,
            "change": calendar.kind.value,
            "added": [*calendar.added],
            "removed": [*calendar.removed],
        }
    for job in plan.jobs:
        yield {
            **where,
            "job": job.name,
            "change": job.kind.value,
            "fields": _field_list(job.fields),
            **({} if job.before is None else {"nextRunsBefore": [*job.before.times]}),
            **({} if job.after is None else {"nextRuns": [*job.after.times]}),
        }
    for alert in plan.alerts:
        fields = _field_list(alert.fields)
        yield {**where, "alert": alert.name, "change": alert.kind.value, "fields": fields}


def _field_list(fields: Sequence[FieldChange]) -> list[Json]:
    return [{"path": each.path, "old": each.old, "new": each.new} for each in fields]
