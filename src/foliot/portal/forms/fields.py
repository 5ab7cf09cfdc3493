"""Form fields: converts a JSON body to the values of a form, and a posted form back to JSON.

The name of a field is the JSON path of its value, so that a validation error finds its field.
Writing a form changes only the fields that the user changed: all other JSON stays the same to the
letter, including properties that have no field.
"""

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from typing import NamedTuple

from foliot.core.errors import Invalid, Path
from foliot.core.json_text import Json
from foliot.portal.forms.json_path import remove_value, set_value, value_at
from foliot.portal.forms.posted import Form

_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_BETWEEN = re.compile(r"[\s,;]+")
_TRUTHS = {"true": True, "false": False}


class Kind(Enum):
    """The type of a field: how the form shows and reads its value."""

    TEXT = auto()
    LINES = auto()
    INTEGER = auto()
    BOOLEAN = auto()
    INTEGERS = auto()
    WORDS = auto()
    ITEMS = auto()
    PAIRS = auto()
    WEEKDAYS_OF_MONTH = auto()
    SECRET = auto()


class Field(NamedTuple):
    """A field by its JSON path; with a choice, it is active for these values of it only."""

    name: str
    kind: Kind = Kind.TEXT
    choice: str = ""
    values: frozenset[str] = frozenset()


class Choice(NamedTuple):
    """A field whose value decides which other fields are active.

    A changed choice removes the JSON at `empties`; an empty choice removes the JSON at `removes`.
    `holds` maps JSON paths to the choices with which they stay. Where the JSON at `removes` exists
    without the choice itself, the form shows the implied choice. The choice `unwritten` has no
    value in the JSON: other fields say it.
    """

    name: str
    empties: str = ""
    removes: str = ""
    implied: str = ""
    holds: tuple[tuple[str, frozenset[str]], ...] = ()
    unwritten: str = ""


class FormSchema(NamedTuple):
    """All fields of a form, and its choices, outer choices first."""

    fields: tuple[Field, ...]
    choices: tuple[Choice, ...] = ()


Values = dict[str, list[str]]


def read_values(body: Json, schema: FormSchema) -> Values:
    """Return the values that a form shows for a body."""
    values: Values = {}
    for field in schema.fields:
        values.update(_shown(field, value_at(body, field.name)))
    for choice in schema.choices:
        if choice.implied and not values[choice.name] and value_at(body, choice.removes):
            values[choice.name] = [choice.implied]
    return values


def posted_values(form: Form, schema: FormSchema) -> Values:
    """Return the values that a user posted, without secrets: a page never repeats those."""
    values: Values = {}
    for field in schema.fields:
        for name in input_names(field):
            shown = [] if field.kind is Kind.SECRET else form.all(name)
            values[name] = _without_repeats(shown) if field.kind in _LISTS else shown
    return values


def write_body(form: Form, schema: FormSchema, original: Json) -> dict[str, Json]:
    """Return the original body with the changes that the user made in the form."""
    body: Json = copy.deepcopy(original) if isinstance(original, dict) else {}
    before, after = read_values(original, schema), posted_values(form, schema)
    for choice in schema.choices:
        if _first(after, choice.name) != _first(before, choice.name):
            _clear(body, choice, _first(after, choice.name))
    active = active_fields(schema, after)
    for field in schema.fields:
        if field not in active:
            remove_value(body, field.name)
        elif field.kind is Kind.SECRET:
            set_value(body, field.name, form.get(field.name) or None)
        elif not is_same(field, before, after):
            set_value(body, field.name, _value(field, after, value_at(original, field.name)))
    for choice in schema.choices:
        if choice.unwritten and value_at(body, choice.name) == choice.unwritten:
            remove_value(body, choice.name)
    return body


def is_same(field: Field, before: Values, after: Values) -> bool:
    """Tell whether two values of a field mean the same, in whichever of its inputs they are."""

    def of(values: Values) -> object:
        given = [values.get(name, []) for name in input_names(field)]
        match field.kind:
            case Kind.INTEGERS:
                # Checkboxes have a fixed order; a different order in the JSON is no change.
                return frozenset(split_items(*given))
            case Kind.WORDS:
                return frozenset(given[0])
            case Kind.ITEMS:
                return split_items([], given[0])
            case Kind.PAIRS | Kind.WEEKDAYS_OF_MONTH:
                return [(name, _on_one_line(value)) for name, value in filled_rows(*given)]
            case Kind.LINES:
                return _with_unix_line_ends("".join(given[0]))
            case _:
                return _on_one_line("".join(given[0]))

    return of(before) == of(after)


def active_fields(schema: FormSchema, values: Values) -> list[Field]:
    """Return the fields that are active for the chosen values of other fields."""
    by_name = {field.name: field for field in schema.fields}
    return [field for field in schema.fields if _is_active(field, by_name, values)]


def field_of(path: Path, schema: FormSchema) -> str:
    """Return the name of the field for a JSON path, or an empty name if the form has none."""
    known = {field.name.lower(): field.name for field in schema.fields}
    parts = [str(part).lower() for part in path]
    for length in range(len(parts), 0, -1):
        found = known.get(".".join(parts[:length]))
        if found is not None:
            return found
    # An object has no field of its own; its first property has: `recurrence` maps to its frequency.
    inside = ".".join(parts) + "."
    return next((name for folded, name in known.items() if folded.startswith(inside)), "")


_LISTS = (Kind.INTEGERS, Kind.WORDS)


def input_names(field: Field) -> tuple[str, ...]:
    """Return the names of the HTML inputs of a field."""
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
    names = input_names(field)
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
        case Kind.WORDS | Kind.ITEMS:
            items = [str(each) for each in value] if isinstance(value, list) else []
            is_text = field.kind is Kind.ITEMS and items
            return {names[0]: ["\n".join(items)] if is_text else items}
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


def _on_one_line(text: str) -> str:
    """Return a text as a browser posts it from a single-line input."""
    return text.replace("\r", "").replace("\n", "")


def _with_unix_line_ends(text: str) -> str:
    """Return a text as a browser posts it from a textarea."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _value(field: Field, values: Values, original: Json) -> Json:
    given = [values.get(name, []) for name in input_names(field)]
    found: Json
    match field.kind:
        case Kind.TEXT | Kind.LINES | Kind.SECRET:
            found = "".join(given[0])
        case Kind.INTEGER:
            return _integer("".join(given[0]).strip())
        case Kind.BOOLEAN:
            return _TRUTHS.get("".join(given[0]))
        case Kind.INTEGERS:
            found = [_integer(each) for each in split_items(*given)]
        case Kind.WORDS:
            found = [*given[0]]
        case Kind.ITEMS:
            found = [*split_items([], given[0])]
        case Kind.PAIRS:
            found = _pairs(field.name, filled_rows(*given), original)
        case Kind.WEEKDAYS_OF_MONTH:
            found = [_weekday_of_month(day, nth) for day, nth in filled_rows(*given)]
    return found or None


def _integer(text: str) -> Json:
    """Parse an integer; return any other text unchanged, for the decoder to refuse."""
    return int(text) if _INTEGER.fullmatch(text) else text or None


def _pairs(name: str, rows: Sequence[tuple[str, str]], original: Json) -> dict[str, Json]:
    """Return pairs as an object; an unchanged value keeps the line breaks that an input drops."""
    before = original if isinstance(original, dict) else {}
    found: dict[str, Json] = {}
    for key, value in rows:
        if key in found:
            path: Path = tuple(name.split("."))
            raise Invalid(path, f"{key} is given twice; give it once.")
        old = before.get(key)
        is_same = isinstance(old, str) and _on_one_line(old) == value
        found[key] = old if is_same else value
    return found


def _weekday_of_month(day: str, nth: str) -> dict[str, Json]:
    number = _integer(nth)
    return {"day": day} if number is None else {"day": day, "occurrence": number}


def filled_rows(first: list[str], second: list[str]) -> list[tuple[str, str]]:
    """Zip two columns into rows, without rows whose first column is empty."""
    pairs = zip(first, second, strict=False)
    return [(one.strip(), other) for one, other in pairs if one.strip()]


def split_items(ticked: list[str], more: list[str]) -> list[str]:
    """Return the items of a list from their boxes and from texts, each once."""
    written = [part for text in more for part in _BETWEEN.split(text) if part]
    return _without_repeats([*ticked, *written])


def _without_repeats(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))


def _first(values: Mapping[str, list[str]], name: str) -> str:
    return next(iter(values.get(name, [])), "")


def _is_active(field: Field, by_name: Mapping[str, Field], values: Values) -> bool:
    if not field.choice:
        return True
    is_chosen = _first(values, field.choice) in field.values
    return is_chosen and _is_active(by_name[field.choice], by_name, values)


def _clear(body: dict[str, Json], choice: Choice, chosen: str) -> None:
    if not chosen and choice.removes:
        remove_value(body, choice.removes)
    elif choice.empties:
        remove_value(body, choice.empties)
    for path, values in choice.holds:
        if chosen not in values:
            remove_value(body, path)
