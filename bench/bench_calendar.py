"""Next occurrences per second beside cronsim and python-dateutil, on the same rules, as JSON.

Every side parses a rule once and is then asked for the occurrence after each of 1,000 shuffled
instants; nobody keeps answers. Each side works on its own kind of instant: Foliot on its integer
ticks, the others on datetimes. A figure is the best of five rounds; a ratio compares two figures
of the same run. A rule that cron can say is also given as a cron expression. Rules are
measured with 2,000 days off too, which are skipped or move times to the next or the previous day.
"""

import json
import platform
import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from time import perf_counter
from typing import Any, NamedTuple

from cronsim import CronSim
from dateutil import rrule

from foliot.api.wire.json_reader import Properties
from foliot.api.wire.schedule import decode_recurrence
from foliot.core.instant import Moment, instant_of
from foliot.core.recurrence import Timetable

START = datetime(2016, 1, 4, tzinfo=UTC)
AGES = {"one day": timedelta(days=1), "ten years": timedelta(days=3653)}
INSTANTS = 1000
ROUNDS = 5
SPREAD = timedelta(days=400)  # the instants lie within so long after the age
WORKING_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday"]

Ask = Callable[[Any], object]


class Rule(NamedTuple):
    """One rule in three languages, None or empty where a language cannot say it."""

    recurrence: dict[str, Any]
    cron: str | None
    rrule: dict[str, Any]


RULES = {
    "every 15 minutes on weekdays 9-17": Rule(
        {
            "frequency": "week",
            "schedule": {
                "weekDays": WORKING_DAYS,
                "hours": list(range(9, 18)),
                "minutes": [0, 15, 30, 45],
            },
        },
        "*/15 9-17 * * 1-5",
        {
            "freq": rrule.WEEKLY,
            "byweekday": range(5),
            "byhour": range(9, 18),
            "byminute": (0, 15, 30, 45),
        },
    ),
    "last Friday of the month at 05:15": Rule(
        {
            "frequency": "month",
            "schedule": {
                "monthlyOccurrences": [{"day": "friday", "occurrence": -1}],
                "hours": [5],
                "minutes": [15],
            },
        },
        "15 5 * * 5L",
        {"freq": rrule.MONTHLY, "byweekday": rrule.FR(-1), "byhour": 5, "byminute": 15},
    ),
    "first and last day of the month at 06:00": Rule(
        {
            "frequency": "month",
            "schedule": {"monthDays": [1, -1], "hours": [6], "minutes": [0]},
        },
        "0 6 1,L * *",
        {"freq": rrule.MONTHLY, "bymonthday": (1, -1), "byhour": 6, "byminute": 0},
    ),
    "every 3 weeks Mon/Wed/Fri at 10:00 and 22:00": Rule(
        {
            "frequency": "week",
            "interval": 3,
            "schedule": {
                "weekDays": ["monday", "wednesday", "friday"],
                "hours": [10, 22],
                "minutes": [0],
            },
        },
        None,  # cron knows no interval of weeks
        {
            "freq": rrule.WEEKLY,
            "interval": 3,
            "byweekday": (0, 2, 4),
            "byhour": (10, 22),
            "byminute": 0,
        },
    ),
    "February 29 on a Monday at 00:00": Rule(
        {
            "frequency": "year",
            "schedule": {
                "months": [2],
                "monthDays": [29],
                "monthlyOccurrences": [{"day": "monday"}],
                "hours": [0],
                "minutes": [0],
            },
        },
        None,  # cron joins a month day and a weekday by "or"
        {},  # rrule looks at every month on the way
    ),
}

# Rules whose own cost is the smallest: days off weigh most there.
MORE_RULES: dict[str, dict[str, Any]] = {
    "every day": {"frequency": "day"},
    "every minute": {"frequency": "minute"},
    "every 5 hours, days off in Prague": {
        "frequency": "hour",
        "interval": 5,
        "timeZone": "Europe/Prague",
    },
    "cron at 02:30 in Prague, both times": {
        "cron": "30 2 * * *",
        "timeZone": "Europe/Prague",
        "dst": {"repeated": "both"},
    },
}

# Every other day from the start on, which is what costs most: no two are one run of days off.
DAYS_OFF = [str(date(2016, 1, 4) + timedelta(days=2 * number)) for number in range(2000)]


def foliot(rule: dict[str, Any]) -> Ask:
    recurrence = decode_recurrence(Properties({"recurrence": rule}))
    start = instant_of(START)
    return Timetable.of(recurrence, Moment.at(start), start).next_after


def cronsim(rule: Rule) -> Ask:
    parsed = CronSim(rule.cron or "", START)

    def ask(after: datetime) -> datetime:
        # The constructor parses the expression; the instant to go on from is only an attribute.
        parsed.dt = after
        return next(parsed)

    return ask


def dateutil(rule: Rule) -> Ask:
    parsed = rrule.rrule(dtstart=START, bysecond=0, cache=False, **rule.rrule)
    return parsed.after


def per_second(ask: Ask, instants: list[Any]) -> float:
    best = min(_round(ask, instants) for _ in range(ROUNDS))
    return len(instants) / best


def _round(ask: Ask, instants: list[Any]) -> float:
    begin = perf_counter()
    for instant in instants:
        ask(instant)
    return perf_counter() - begin


def measure(rule: Rule, age: timedelta) -> dict[str, Any]:
    moments = moments_after(age)
    instants = [instant_of(moment) for moment in moments]
    ours = foliot(rule.recurrence)
    result: dict[str, Any] = {"foliot": round(per_second(ours, instants))}
    if rule.cron:
        by_cron = foliot({"cron": rule.cron})
        check_agreement(by_cron, cronsim(rule), moments)
        result["foliot, from cron"] = round(per_second(by_cron, instants))
        theirs = cronsim(rule)
        check_agreement(ours, theirs, moments)
        result["cronsim"] = round(per_second(theirs, moments))
        result["foliot / cronsim"] = round(result["foliot"] / result["cronsim"], 2)
    if rule.rrule:
        theirs = dateutil(rule)
        few = moments[:20]  # rrule walks from its start: ten years of it take a while
        check_agreement(ours, theirs, few)
        result["dateutil"] = round(per_second(theirs, few))
        result["foliot / dateutil"] = round(result["foliot"] / result["dateutil"], 2)
    return result


def moments_after(age: timedelta) -> list[datetime]:
    dice = random.Random(20160104)  # noqa: S311  (the same instants in every run)
    moments = [START + age + SPREAD * dice.random() for _ in range(INSTANTS)]
    return [moment.replace(microsecond=0) for moment in moments]


def measure_days_off() -> dict[str, Any]:
    instants = [instant_of(moment) for moment in moments_after(AGES["one day"])]
    rules = {name: rule.recurrence for name, rule in RULES.items()} | MORE_RULES
    result: dict[str, Any] = {}
    for name, rule in rules.items():
        without = per_second(foliot(rule), instants)
        result[name] = {"none": round(without)}
        for then in ("skip", "next", "previous"):
            exclude = {"exclude": {"dates": DAYS_OFF, "then": then}}
            found = per_second(foliot(rule | exclude), instants)
            result[name] |= {
                then: round(found),
                f"cost with {then} / without": round(without / found, 2),
            }
    return result


def check_agreement(ours: Ask, theirs: Ask, moments: list[datetime]) -> None:
    """Only answers to the same question may be compared."""
    for moment in moments:
        answer = theirs(moment)
        if not isinstance(answer, datetime) or ours(instant_of(moment)) != instant_of(answer):
            raise SystemExit(f"the answers after {moment} differ: {answer} is not ours")


def main() -> None:
    rules: dict[str, Any] = {}
    for name, rule in RULES.items():
        by_age = {age: measure(rule, after) for age, after in AGES.items()}
        rules[name] = by_age
        for side in ("foliot", "foliot, from cron"):
            if side in by_age["one day"]:
                young, old = by_age["one day"][side], by_age["ten years"][side]
                ratio = {f"{side}: cost at ten years / at one day": round(young / old, 2)}
                rules[name] = rules[name] | ratio
    report = {
        "unit": "next occurrences per second",
        "python": platform.python_version(),
        "instants": INSTANTS,
        "rules": rules,
        "2,000 days off": measure_days_off(),
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
