"""The reference of templates lists exactly the functions that exist, and the limits in force."""

import re
from pathlib import Path

import pytest

from foliot.templates import budget
from foliot.templates.context_functions import CONTEXT_FUNCTIONS
from foliot.templates.functions.table import FUNCTIONS, REFUSED_FUNCTIONS

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "templates.md").read_text()


def functions_under(heading: str) -> set[str]:
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    table = "\n".join(line for line in section.splitlines() if line.startswith("|"))
    return set(re.findall(r"`(\w+)`", table))


def test_the_reference_lists_the_functions() -> None:
    assert functions_under("Expressions") == {*FUNCTIONS, *CONTEXT_FUNCTIONS, "if"}


def test_the_reference_lists_the_refused_functions() -> None:
    assert functions_under("Refused functions") == {*REFUSED_FUNCTIONS, "listKeys"}


@pytest.mark.parametrize(
    "limit",
    [
        *(budget.MAX_COPIES, budget.MAX_STRING, budget.MAX_ITEMS, budget.MAX_TEXT),
        *(budget.MAX_STEPS, budget.MAX_LEVELS, budget.MAX_DEPTH),
    ],
)
def test_the_reference_names_the_limits(limit: int) -> None:
    assert f"{limit:,}" in PAGE.split("## Limits")[1]
