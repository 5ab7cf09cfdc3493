"""An oracle that cannot be clever: it tries every day, hour and minute there is.

It knows a recurrence only as the JSON a client writes, and shares no code with what it judges.
"""

from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from foliot.core.recurrence import WEEK_DAYS
from tests.property.cron_expressions import Fields
from tests.property.rules import Job

DAYS_WALKED = {"minute": 2, "hour": 30, "day": 400, "week": 400, "month": 800, "year": 800}
DENSE = 50  # readings a day of an expression of which only a few days are walked
NO_POLICY = {"skipped": "after", "repeated": "first"}


def walk(job: Job) -> tuple[list[datetime], datetime]:
    """Return all occurrences up to a horizon, and the horizon."""
    rule, created = job.recurrence, job.created
    zone = ZoneInfo(rule.get("timeZone", "UTC"))
    begin, anchor = created, created.astimezone(zone).replace(tzinfo=None)
    if job.start is not None:
        begin = job.start if job.start.tzinfo else _first_instant(job.start, zone)
        local = job.start.astimezone(zone) if job.start.tzinfo else job.start
        anchor = local.replace(tzinfo=None)
    floor = max(begin, created)
    horizon = floor + timedelta(days=_days_walked(job))
    candidates = set(_candidates(job, anchor, begin, (floor, horizon)))
    found = {each for each in candidates if floor <= each <= horizon}
    if begin < created:
        found.discard(created)
    if job.start is None:
        found = {each for each in found if each > created}
    if begin >= created and _opens(job, begin, anchor, zone):
        found |= {each for each in _opening(rule, begin, zone) if begin <= each <= horizon}
    return sorted(found), horizon


def _days_walked(job: Job) -> int:
    if job.cron is None:
        return DAYS_WALKED[job.recurrence["frequency"]]
    return 6 if len(job.cron.minutes) * len(job.cron.hours) > DENSE else 400


def _opens(job: Job, begin: datetime, anchor: datetime, zone: ZoneInfo) -> bool:
    """Tell whether the job runs at its start, whatever its times are."""
    rule = job.recurrence
    if job.start is None:
        return True
    if "schedule" in rule or job.cron is not None:
        return False
    policy = NO_POLICY | rule.get("dst", {})
    is_at_its_reading = begin.astimezone(zone).replace(tzinfo=None) == anchor
    return (
        rule["frequency"] in ("minute", "hour")
        or policy == NO_POLICY
        or (policy["repeated"] == "first" and is_at_its_reading)
    )


def _opening(rule: dict[str, Any], begin: datetime, zone: ZoneInfo) -> list[datetime]:
    reading = begin.astimezone(zone).replace(tzinfo=None)
    moved = _off_days_off(rule, reading)
    if moved == reading:
        return [begin]
    policy = NO_POLICY if _is_absolute(rule) else NO_POLICY | rule.get("dst", {})
    instants = [] if moved is None else _instants(moved, zone, policy)
    return [each for each in instants if each > begin][:1]


def _is_absolute(rule: dict[str, Any]) -> bool:
    return "schedule" not in rule and rule.get("frequency") in ("minute", "hour")


def _candidates(
    job: Job, anchor: datetime, begin: datetime, span: tuple[datetime, datetime]
) -> Iterator[datetime]:
    floor, horizon = span
    rule = job.recurrence
    zone = ZoneInfo(rule.get("timeZone", "UTC"))
    margin = timedelta(days=2 + len(_days_off(rule)))
    if _is_absolute(rule):
        step = timedelta(**{f"{rule['frequency']}s": rule["interval"]})
        for moment in _steps(begin, step, floor - margin, horizon + margin):
            reading = moment.astimezone(zone).replace(tzinfo=None)
            moved = _off_days_off(rule, reading)
            if moved == reading:
                yield moment
            elif moved is not None:
                yield _first_instant(moved, zone)
        return
    policy = NO_POLICY | rule.get("dst", {})
    day = floor.astimezone(zone).date() - margin
    while day <= horizon.astimezone(zone).date() + margin:
        for reading in _readings(job, anchor, day):
            moved = _off_days_off(rule, reading)
            if moved is not None:
                yield from _instants(moved, zone, policy)
        day += timedelta(days=1)


def _days_off(rule: dict[str, Any]) -> frozenset[date]:
    return _days_in(tuple(rule.get("exclude", {}).get("dates", ())))


@lru_cache(maxsize=4)
def _days_in(dates: tuple[str, ...]) -> frozenset[date]:
    found: set[date] = set()
    for text in dates:
        first, _, last = text.partition("/")
        day = date.fromisoformat(first)
        while day <= date.fromisoformat(last or first):
            found.add(day)
            day += timedelta(days=1)
    return frozenset(found)


def _off_days_off(rule: dict[str, Any], reading: datetime) -> datetime | None:
    """Return where a reading moves, or None if it is skipped."""
    days = _days_off(rule)
    step = {"skip": 0, "next": 1, "previous": -1}[rule.get("exclude", {}).get("then", "skip")]
    while reading.date() in days:
        if step == 0:
            return None
        reading += timedelta(days=step)
    return reading


def _steps(
    begin: datetime, step: timedelta, floor: datetime, horizon: datetime
) -> Iterator[datetime]:
    # The first step near the floor; the two before it are tried as well.
    moment = begin + (max((floor - begin) // step, 2) - 2) * step
    while moment <= horizon:
        yield moment
        moment += step


def _readings(job: Job, anchor: datetime, day: date) -> Iterator[datetime]:
    """Try all times of a day at which the rule could fire."""
    rule = job.recurrence
    schedule = rule.get("schedule", {})
    midnight = datetime(day.year, day.month, day.day)  # noqa: DTZ001  (a clock reading)
    if job.cron is not None:
        if _cron_has(job.cron, day):
            for hour in job.cron.hours:
                for minute in job.cron.minutes:
                    yield midnight + timedelta(hours=hour, minutes=minute)
        return
    frequency, interval = rule["frequency"], rule["interval"]
    if frequency in ("minute", "hour"):
        yield from _small_steps(schedule, frequency, interval, anchor, midnight)
        return
    if not (_active(frequency, interval, anchor.date(), day) and _on(rule, anchor.date(), day)):
        return
    hours = schedule.get("hours", range(24) if "minutes" in schedule else [anchor.hour])
    for hour in hours:
        for minute in schedule.get("minutes", [anchor.minute]):
            yield _at(midnight, hour, minute, anchor, schedule)


def _cron_has(fields: Fields, day: date) -> bool:
    if day.month not in fields.months:
        return False
    length = monthrange(day.year, day.month)[1]
    week_day = day.isoweekday() % 7
    by_number = day.day in fields.month_days or (day.day == length and 0 in fields.month_days)
    nths = [None, (day.day + 6) // 7] + ([0] if day.day + 7 > length else [])
    by_week_day = any((week_day, nth) in fields.week_days for nth in nths)
    return by_number or by_week_day if fields.is_either else by_number and by_week_day


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


def _instants(reading: datetime, zone: ZoneInfo, policy: dict[str, str]) -> list[datetime]:
    """Return the instants at which a reading of the clock runs."""
    if zone.key == "UTC":
        return [reading.replace(tzinfo=UTC)]
    shown = sorted(
        {
            moment
            for fold in (0, 1)
            if _reading_at(moment := reading.replace(tzinfo=zone, fold=fold).astimezone(UTC), zone)
            == reading
        }
    )
    if shown:
        return {"first": shown[:1], "second": shown[-1:], "both": shown}[policy["repeated"]]
    after = _first_instant(reading, zone)
    match policy["skipped"]:
        case "after":
            return [after]
        case "before":
            last = after - timedelta(seconds=1)
            shown_then = _reading_at(last, zone)
            return [last - timedelta(seconds=shown_then.second)]
        case _:
            return []


def _reading_at(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def _first_instant(reading: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant at which the clock shows this reading, or has just skipped it."""
    moment = reading.replace(tzinfo=zone).astimezone(UTC)
    if _reading_at(moment, zone) == reading:
        return moment
    # Skipped: take the first whole second whose reading is past the one asked for.
    second = (reading.replace(microsecond=0) - timedelta(days=2)).replace(tzinfo=UTC)
    step = timedelta(hours=12)
    while step >= timedelta(seconds=1):
        while _reading_at(second + step, zone) < reading:
            second += step
        step /= 2
        step = timedelta(seconds=step // timedelta(seconds=1))
    return second + timedelta(seconds=1)
