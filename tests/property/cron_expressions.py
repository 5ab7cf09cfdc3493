"""Random cron expressions, each with the days and times that it selects."""

from typing import NamedTuple

from hypothesis import strategies as st

_MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
_WEEK_DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]


class Fields(NamedTuple):
    """Numbers as cron has them: Sunday is 0, the last day of a month 0, the last Friday (5, 0)."""

    minutes: frozenset[int]
    hours: frozenset[int]
    month_days: frozenset[int]
    months: frozenset[int]
    week_days: frozenset[tuple[int, int | None]]
    is_either: bool


class Expression(NamedTuple):
    text: str
    fields: Fields


class Item(NamedTuple):
    text: str
    values: frozenset[int]


@st.composite
def items(draw: st.DrawFn, first: int, last: int, names: dict[int, str]) -> Item:
    def written(number: int) -> str:
        choices = [str(number), f"{number:02}"]
        if number in names:
            choices += [names[number], names[number].lower()]
        return draw(st.sampled_from(choices))

    low = draw(st.integers(first, last))
    kind = draw(st.sampled_from(["value", "value", "range", "step of all", "step", "range step"]))
    high = draw(st.integers(min(low + 1, last), last))
    # A step after a range of one value means other things to others.
    step = draw(st.integers(1, max(1, (last - first) // 2)))
    match kind:
        case "range" if high > low:
            return Item(f"{written(low)}-{written(high)}", frozenset(range(low, high + 1)))
        case "range step" if high > low:
            values = frozenset(range(low, high + 1, step))
            return Item(f"{written(low)}-{written(high)}/{step}", values)
        case "step of all":
            return Item(f"*/{step}", frozenset(range(first, last + 1, step)))
        case "step":
            return Item(f"{written(low)}/{step}", frozenset(range(low, last + 1, step)))
        case _:
            return Item(written(low), frozenset({low}))


def fields(first: int, last: int, names: dict[int, str]) -> st.SearchStrategy[Item]:
    some = st.lists(items(first, last, names), min_size=1, max_size=3).map(
        lambda drawn: Item(
            ",".join(each.text for each in drawn),
            frozenset().union(*(each.values for each in drawn)),
        )
    )
    return some | st.just(Item("*", frozenset(range(first, last + 1))))


@st.composite
def month_days(draw: st.DrawFn) -> Item:
    last = Item("L", frozenset({0}))
    numbers = draw(fields(1, 31, {}))
    with_last = Item(f"{numbers.text},L", numbers.values | {0})
    return draw(st.sampled_from([numbers, numbers, last, with_last]))


class WeekDays(NamedTuple):
    text: str
    values: frozenset[tuple[int, int | None]]


@st.composite
def week_days(draw: st.DrawFn) -> WeekDays:
    # Ranges go up to 7, which is Sunday too, so a name of Sunday never ends one.
    plain = draw(fields(0, 7, dict(enumerate(_WEEK_DAYS))))
    found = WeekDays(plain.text, frozenset((number % 7, None) for number in plain.values))
    day, nth = draw(st.integers(0, 7)), draw(st.integers(1, 5))
    written = draw(st.sampled_from([str(day), _WEEK_DAYS[day % 7]]))
    special = draw(
        st.sampled_from(
            [
                WeekDays(f"{written}#{nth}", frozenset({(day % 7, nth)})),
                WeekDays(f"{day}L", frozenset({(day % 7, 0)})),
            ]
        )
    )
    if plain.text == "*":
        return draw(st.sampled_from([found, special]))
    both = WeekDays(f"{found.text},{special.text}", found.values | special.values)
    return draw(st.sampled_from([found, found, special, both]))


@st.composite
def expressions(draw: st.DrawFn) -> Expression:
    minutes, hours = draw(fields(0, 59, {})), draw(fields(0, 23, {}))
    days, weekly = draw(month_days()), draw(week_days())
    months = draw(
        st.just(Item("*", frozenset(range(1, 13)))) | fields(1, 12, dict(enumerate(_MONTHS, 1)))
    )
    is_either = not days.text.startswith("*") and not weekly.text.startswith("*")
    return Expression(
        " ".join(each.text for each in (minutes, hours, days, months, weekly)),
        Fields(minutes.values, hours.values, days.values, months.values, weekly.values, is_either),
    )
