"""An oracle that cannot be clever: it tries every day, hour and minute there is.

It knows a recurrence only as the JSON a client writes, and shares no code with what it judges.
"""

from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from foliot.core.recurrence import WEEK_DAYS
from tests.property.rules import Job

DAYS_WALKED = {"minute": 2, "hour": 30, "day": 400, "week": 400, "month": 800, "year": 800}


def walk(job: Job) -> tuple[list[datetime], datetime]:
    """Return all occurrences up to a horizon, and the horizon."""
    rule, created = job.recurrence, job.created
    zone = ZoneInfo(rule.get("timeZone", "UTC"))
    begin, anchor = created, created.astimezone(zone).replace(tzinfo=None)
    if job.start is not None:
        begin = job.start if job.start.tzinfo else _instant(job.start, zone)
        local = job.start.astimezone(zone) if job.start.tzinfo else job.start
        anchor = local.replace(tzinfo=None)
    floor = max(begin, created)
    horizon = floor + timedelta(days=DAYS_WALKED[rule["frequency"]])
    candidates = _candidates(rule, anchor, begin, (floor, horizon))
    found = {each for each in candidates if floor <= each <= horizon}
    if begin < created:
        found.discard(created)
    if job.start is None:
        found = {each for each in found if each > created} | {created}
    elif "schedule" not in rule and begin >= created:
        found.add(begin)
    return sorted(found), horizon


def _candidates(
    rule: dict[str, Any], anchor: datetime, begin: datetime, span: tuple[datetime, datetime]
) -> Iterator[datetime]:
    floor, horizon = span
    if "schedule" not in rule and rule["frequency"] in ("minute", "hour"):
        step = timedelta(**{f"{rule['frequency']}s": rule["interval"]})
        yield from _steps(begin, step, floor, horizon)
        return
    zone = ZoneInfo(rule.get("timeZone", "UTC"))
    day = floor.astimezone(zone).date() - timedelta(days=2)
    while day <= horizon.astimezone(zone).date() + timedelta(days=2):
        for reading in _readings(rule, anchor, day):
            yield _instant(reading, zone)
        day += timedelta(days=1)


def _steps(
    begin: datetime, step: timedelta, floor: datetime, horizon: datetime
) -> Iterator[datetime]:
    # The first step near the floor; the two before it are tried as well.
    moment = begin + (max((floor - begin) // step, 2) - 2) * step
    while moment <= horizon:
        yield moment
        moment += step


def _readings(rule: dict[str, Any], anchor: datetime, day: date) -> Iterator[datetime]:
    """Try all times of a day at which the rule could fire."""
    schedule = rule.get("schedule", {})
    frequency, interval = rule["frequency"], rule["interval"]
    midnight = datetime(day.year, day.month, day.day)  # noqa: DTZ001  (a clock reading)
    if frequency in ("minute", "hour"):
        yield from _small_steps(schedule, frequency, interval, anchor, midnight)
        return
    if not (_active(frequency, interval, anchor.date(), day) and _on(rule, anchor.date(), day)):
        return
    hours = schedule.get("hours", range(24) if "minutes" in schedule else [anchor.hour])
    for hour in hours:
        for minute in schedule.get("minutes", [anchor.minute]):
            yield _at(midnight, hour, minute, anchor, schedule)


def _small_steps(
    schedule: dict[str, Any], frequency: str, interval: int, anchor: datetime, midnight: datetime
) -> Iterator[datetime]:
    hours, minutes = schedule.get("hours", range(24)), schedule.get("minutes", range(60))
    if frequency == "hour" and "minutes" not in schedule:
        minutes = [anchor.minute]
    size = timedelta(hours=1) if frequency == "hour" else timedelta(minutes=1)
    zero = anchor.replace(second=0, microsecond=0)
    zero = zero.replace(minute=0) if frequency == "hour" else zero
    for hour in hours:
        for minute in minutes:
            period = midnight + timedelta(hours=hour, minutes=0 if frequency == "hour" else minute)
            number = (period - zero) // size
            if number >= 0 and number % interval == 0:
                yield _at(midnight, hour, minute, anchor, schedule)


def _at(
    midnight: datetime, hour: int, minute: int, anchor: datetime, schedule: dict[str, Any]
) -> datetime:
    rest = timedelta(0)
    if "minutes" not in schedule:
        rest = timedelta(seconds=anchor.second, microseconds=anchor.microsecond)
    return midnight + timedelta(hours=hour, minutes=minute) + rest


def _active(frequency: str, interval: int, anchor: date, day: date) -> bool:
    match frequency:
        case "day":
            number = (day - anchor).days
        case "week":
            number = (_monday(day) - _monday(anchor)).days // 7
        case "month":
            number = (day.year - anchor.year) * 12 + day.month - anchor.month
        case _:
            number = day.year - anchor.year
    return number >= 0 and number % interval == 0


def _on(rule: dict[str, Any], anchor: date, day: date) -> bool:
    schedule, frequency = rule.get("schedule", {}), rule["frequency"]
    length = monthrange(day.year, day.month)[1]
    months = schedule.get("months", range(1, 13))
    if frequency == "week":
        named = schedule.get("weekDays", [WEEK_DAYS[anchor.weekday()]])
        return day.month in months and WEEK_DAYS[day.weekday()] in named
    if frequency == "day":
        return day.month in months
    if "monthDays" in schedule or "monthlyOccurrences" in schedule:
        return (
            day.month in months
            and _numbered(schedule, day.day, length)
            and _nth_weekday(schedule, day, length)
        )
    if frequency == "year":
        months = schedule.get("months", [anchor.month])
    return day.month in months and day.day == min(anchor.day, length)


def _numbered(schedule: dict[str, Any], day: int, length: int) -> bool:
    numbers = schedule.get("monthDays")
    return numbers is None or day in numbers or day - 1 - length in numbers


def _nth_weekday(schedule: dict[str, Any], day: date, length: int) -> bool:
    wanted = schedule.get("monthlyOccurrences")
    if wanted is None:
        return True
    same = [
        number
        for number in range(1, length + 1)
        if date(day.year, day.month, number).weekday() == day.weekday()
    ]
    place = same.index(day.day)
    return any(
        each["day"] == WEEK_DAYS[day.weekday()]
        and each.get("occurrence") in (None, place + 1, place - len(same))
        for each in wanted
    )


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _instant(reading: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant at which the clock shows this reading, or has just skipped it."""
    moment = reading.replace(tzinfo=zone).astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) == reading:
        return moment
    # Skipped: take the first whole second whose reading is past the one asked for.
    second = (reading.replace(microsecond=0) - timedelta(days=2)).replace(tzinfo=UTC)
    step = timedelta(hours=12)
    while step >= timedelta(seconds=1):
        while (second + step).astimezone(zone).replace(tzinfo=None) < reading:
            second += step
        step /= 2
        step = timedelta(seconds=step // timedelta(seconds=1))
    return second + timedelta(seconds=1)
