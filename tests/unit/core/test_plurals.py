"""Nouns after a number, and messages that must use them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from foliot.core.plurals import how_many, noun_after

SOURCE = Path(__file__).parents[3] / "src" / "foliot"
# Not "run": a node runs, and so does a job.
COUNTED = ("job", "collection", "value", "entry", "row", "node", "key", "token", "alert")


@pytest.mark.parametrize(
    ("count", "noun", "expected"),
    [
        pytest.param(0, "job", "0 jobs", id="none"),
        pytest.param(1, "job", "1 job", id="one"),
        pytest.param(2, "open run", "2 open runs", id="two words"),
        pytest.param(1200, "entry", "1,200 entries", id="y becomes ies"),
        pytest.param(3, "day", "3 days", id="y after a vowel"),
    ],
)
def test_a_noun_agrees_with_its_number(count: int, noun: str, expected: str) -> None:
    assert how_many(count, noun) == expected


@pytest.mark.parametrize("package", ["cli", "serve"])
def test_no_message_has_a_fixed_plural_after_a_number(package: str) -> None:
    found = [each for path in (SOURCE / package).rglob("*.py") for each in _fixed_plurals(path)]

    assert found == []


def _fixed_plurals(path: Path) -> Iterator[str]:
    """Find f-strings with a computed value and a plural behind it: `{count} jobs`."""
    plurals = tuple(f" {noun_after(2, noun)}" for noun in COUNTED)
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            for value, text in zip(node.values, node.values[1:], strict=False):
                if _is_computed(value) and _text(text).startswith(plurals):
                    yield f"{path.relative_to(SOURCE)}:{node.lineno}: {_text(text)}"


def _is_computed(value: ast.expr) -> bool:
    if not isinstance(value, ast.FormattedValue):
        return False
    # A constant is known to be more than one.
    return not (isinstance(value.value, ast.Name) and value.value.id.isupper())


def _text(value: ast.expr) -> str:
    return str(value.value) if isinstance(value, ast.Constant) else ""
