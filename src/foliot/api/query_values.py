"""Values in the query of an address: instants, words, and names that are known."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from foliot.core.errors import Invalid, InvalidQuery, shown
from foliot.core.instant import Instant, parse_instant

Value = TypeVar("Value")


def known_only(query: Mapping[str, str], names: Sequence[str]) -> None:
    """Refuse names that are not known: a filter that is misspelt would filter nothing."""
    for name in query:
        if name not in names:
            raise InvalidQuery(f"{shown(name)} is not known here; give {', '.join(names)}.")


def refuse_empty(query: Mapping[str, str], names: Sequence[str]) -> None:
    """Refuse values that are given and empty, such as those of variables that are not set."""
    for name in names:
        if query.get(name) == "":
            raise InvalidQuery(f"{name} is empty; give a value, or leave it out.")


def read_instant(query: Mapping[str, str], name: str) -> Instant | None:
    """Read a date or a date-time."""
    text = query.get(name)
    if not text:
        return None
    try:
        return parse_instant(text)
    except Invalid as refusal:
        raise InvalidQuery(f"{name}: {refusal.problem}") from None


def read_word(query: Mapping[str, str], name: str, words: Mapping[str, Value]) -> Value | None:
    """Read one of some words, in any letter case."""
    text = query.get(name)
    if not text:
        return None
    found = words.get(text.lower())
    if found is None:
        allowed = ", ".join(map(str, words.values()))
        raise InvalidQuery(f"{name}: {shown(text)} is not valid; give one of {allowed}.")
    return found
