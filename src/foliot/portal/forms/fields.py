"""Forms and JSON as two views of the same thing.

A field is named by the place of its value in the body, so that a refusal of the API finds it. A
form is laid over the JSON that it was made from: what nobody touched stays as it was, to the
letter, also what the form does not show.
"""

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from typing import NamedTuple

from foliot.api.wire.json_reader import Json
from foliot.core.errors import Invalid, Path
from foliot.portal.forms.json_path import at, put, remove
from foliot.portal.forms.posted import Form

_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_BETWEEN = re.compile(r"[\s,;]+")
_TRUTHS = {"true": True, "false": False}


class Kind(Enum):
    """How a value is shown and read."""

    TEXT = auto()
    LINES = auto()
    INTEGER = auto()
    BOOLEAN = auto()
    INTEGERS = auto()
    WORDS = auto()
    PAIRS = auto()
    WEEKDAYS_OF_MONTH = auto()
    SECRET = auto()


class Field(NamedTuple):
    """A value at a place; if it needs a choice, it counts only with these values of that."""

    name: str
    kind: Kind = Kind.TEXT
    choice: str = ""
    values: frozenset[str] = frozenset()


class Choice(NamedTuple):
    """A field that decides about others.

    Another choice empties one place, and no choice removes one. Of the places it holds, each is
    kept with certain values alone. Where the choice itself is left out of what it would remove, it
    is taken for the implied one.
    """

    name: str
    empties: str = ""
    removes: str = ""
    implied: str = ""
    holds: tuple[tuple[str, frozenset[str]], ...] = ()


class Shape(NamedTuple):
    """All fields of a form, and its choices, the outer ones first."""

    fields: tuple[Field, ...]
    choices: tuple[Choice, ...] = ()


Values = dict[str, list[str]]


def read(body: Json, shape: Shape) -> Values:
    """Return what a form shows of a body."""
    values: Values = {}
    for field in shape.fields:
        values.update(_shown(field, at(body, field.name)))
    for choice in shape.choices:
        if choice.implied and not values[choice.name] and at(body, choice.removes):
            values[choice.name] = [choice.implied]
    return values


def entered(form: Form, shape: Shape) -> Values:
    """Return what a form shows as it was sent, but for secrets, which are not shown again."""
    values: Values = {}
    for field in shape.fields:
        for name in inputs_of(field):
            shown = [] if field.kind is Kind.SECRET else form.all(name)
            values[name] = _without_repeats(shown) if field.kind in _LISTS else shown
    return values


def write(form: Form, shape: Shape, was: Json) -> dict[str, Json]:
    """Return the body that a form asks for, where it was made from this one."""
    body: Json = copy.deepcopy(was) if isinstance(was, dict) else {}
    before, after = read(was, shape), entered(form, shape)
    for choice in shape.choices:
        if _first(after, choice.name) != _first(before, choice.name):
            _clear(body, choice, _first(after, choice.name))
    counted = counting(shape, after)
    for field in shape.fields:
        if field not in counted:
            remove(body, field.name)
        elif field.kind is Kind.SECRET:
            put(body, field.name, form.get(field.name) or None)
        elif not _is_untouched(field, before, after):
            put(body, field.name, _value(field, after, at(was, field.name)))
    return body


def counting(shape: Shape, values: Values) -> list[Field]:
    """Return the fields that count with what was chosen in others."""
    choosers = {field.name: field for field in shape.fields}
    return [field for field in shape.fields if _counts(field, choosers, values)]


def field_of(path: Path, shape: Shape) -> str:
    """Return the name of the field a refusal is about, or the empty one for none."""
    known = {field.name.lower(): field.name for field in shape.fields}
    parts = [str(part).lower() for part in path]
    for length in range(len(parts), 0, -1):
        found = known.get(".".join(parts[:length]))
        if found is not None:
            return found
    # Of what has no field of its own, the first part has one: `recurrence` is led to its frequency.
    inside = ".".join(parts) + "."
    return next((name for folded, name in known.items() if folded.startswith(inside)), "")


_LISTS = (Kind.INTEGERS, Kind.WORDS)


def inputs_of(field: Field) -> tuple[str, ...]:
    """Return the names of the inputs that a field is made of."""
    match field.kind:
        case Kind.PAIRS:
            return f"{field.name}:name", f"{field.name}:value"
        case Kind.WEEKDAYS_OF_MONTH:
            return f"{field.name}:day", f"{field.name}:nth"
        case Kind.INTEGERS:
            return field.name, f"{field.name}:more"
        case _:
            return (field.name,)


def _shown(field: Field, value: Json) -> Values:
    names = inputs_of(field)
    match field.kind:
        case Kind.PAIRS:
            pairs = value if isinstance(value, dict) else {}
            return {names[0]: list(pairs), names[1]: [str(each) for each in pairs.values()]}
        case Kind.WEEKDAYS_OF_MONTH:
            rows = [_weekday(each) for each in value] if isinstance(value, list) else []
            return {names[0]: [day for day, _ in rows], names[1]: [nth for _, nth in rows]}
        case Kind.INTEGERS:
            items = value if isinstance(value, list) else []
            return {names[0]: [str(each) for each in items], names[1]: []}
        case Kind.WORDS:
            items = value if isinstance(value, list) else []
            return {names[0]: [str(each) for each in items]}
        case Kind.BOOLEAN:
            return {names[0]: [] if value is None else [str(value).lower()]}
        case Kind.TEXT | Kind.LINES | Kind.INTEGER | Kind.SECRET:
            return {names[0]: [] if value is None else [str(value)]}


def _weekday(value: Json) -> tuple[str, str]:
    lowered = (
        {name.lower(): each for name, each in value.items()} if isinstance(value, dict) else {}
    )
    nth = lowered.get("occurrence")
    return str(lowered.get("day", "")), "" if nth is None else str(nth)


def _is_untouched(field: Field, before: Values, after: Values) -> bool:
    def of(values: Values) -> object:
        given = [values.get(name, []) for name in inputs_of(field)]
        match field.kind:
            case Kind.INTEGERS:
                # Chosen by ticking: in which order they are written is not the form's to say.
                return frozenset(_split(*given))
            case Kind.WORDS:
                return frozenset(given[0])
            case Kind.PAIRS | Kind.WEEKDAYS_OF_MONTH:
                return [(name, _on_one_line(value)) for name, value in _rows(*given)]
            case Kind.LINES:
                return _with_plain_ends("".join(given[0]))
            case _:
                return _on_one_line("".join(given[0]))

    return of(before) == of(after)


def _on_one_line(text: str) -> str:
    """Return what an input of one line makes of a text."""
    return text.replace("\r", "").replace("\n", "")


def _with_plain_ends(text: str) -> str:
    """Return what an input of several lines makes of a text."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _value(field: Field, values: Values, was: Json) -> Json:
    given = [values.get(name, []) for name in inputs_of(field)]
    found: Json
    match field.kind:
        case Kind.TEXT | Kind.LINES | Kind.SECRET:
            found = "".join(given[0])
        case Kind.INTEGER:
            return _integer("".join(given[0]).strip())
        case Kind.BOOLEAN:
            return _TRUTHS.get("".join(given[0]))
        case Kind.INTEGERS:
            found = [_integer(each) for each in _split(*given)]
        case Kind.WORDS:
            found = [*given[0]]
        case Kind.PAIRS:
            found = _pairs(field.name, _rows(*given), was)
        case Kind.WEEKDAYS_OF_MONTH:
            found = [_weekday_of_month(day, nth) for day, nth in _rows(*given)]
    return found or None


def _integer(text: str) -> Json:
    """Take a whole number for one; anything else is left for the API to refuse."""
    return int(text) if _INTEGER.fullmatch(text) else text or None


def _pairs(name: str, rows: Sequence[tuple[str, str]], was: Json) -> dict[str, Json]:
    """Put pairs together; of those that were there and are the same, what an input cannot show."""
    before = was if isinstance(was, dict) else {}
    found: dict[str, Json] = {}
    for key, value in rows:
        if key in found:
            path: Path = tuple(name.split("."))
            raise Invalid(path, f"{key} is given twice; give it once.")
        old = before.get(key)
        found[key] = old if _on_one_line(str(old)) == value else value
    return found


def _weekday_of_month(day: str, nth: str) -> dict[str, Json]:
    number = _integer(nth)
    return {"day": day} if number is None else {"day": day, "occurrence": number}


def _rows(first: list[str], second: list[str]) -> list[tuple[str, str]]:
    """Put two columns together, without rows that have nothing in the first."""
    pairs = zip(first, second, strict=False)
    return [(one.strip(), other) for one, other in pairs if one.strip()]


def _split(ticked: list[str], more: list[str]) -> list[str]:
    written = [part for text in more for part in _BETWEEN.split(text) if part]
    return _without_repeats([*ticked, *written])


def _without_repeats(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))


def _first(values: Mapping[str, list[str]], name: str) -> str:
    return next(iter(values.get(name, [])), "")


def _counts(field: Field, choosers: Mapping[str, Field], values: Values) -> bool:
    if not field.choice:
        return True
    is_chosen = _first(values, field.choice) in field.values
    return is_chosen and _counts(choosers[field.choice], choosers, values)


def _clear(body: dict[str, Json], choice: Choice, chosen: str) -> None:
    if not chosen and choice.removes:
        remove(body, choice.removes)
    elif choice.empties:
        remove(body, choice.empties)
    for place, values in choice.holds:
        if chosen not in values:
            remove(body, place)
