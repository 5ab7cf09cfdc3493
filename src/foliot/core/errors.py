"""What can be wrong with a request, as one tree of exceptions.

FoliotError
└── Invalid     a value that cannot be accepted: where it stands, what it is, what would be right
"""

import json
from collections.abc import Generator
from contextlib import contextmanager

Path = tuple[str | int, ...]

_SHOWN_CHARACTERS = 80


class FoliotError(Exception):
    """Everything Foliot refuses on purpose."""


class Invalid(FoliotError):  # noqa: N818  (it reads as what it says: `raise Invalid(path, ...)`)
    """A value that cannot be accepted, at a JSON path, with the problem in words."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(path, problem)
        self.path = path
        self.problem = problem

    def __str__(self) -> str:
        return f"{path_text(self.path)}: {self.problem}" if self.path else self.problem


def wrong(path: Path, value: object, expected: str) -> Invalid:
    """Say that the value at this path is not what is expected there."""
    return Invalid(path, f"{shown(value)} is not valid; give {expected}.")


@contextmanager
def within(*parents: str | int) -> Generator[None]:
    """Put the names of the surrounding objects before the path of whatever is refused inside."""
    try:
        yield
    except Invalid as refusal:
        raise Invalid((*parents, *refusal.path), refusal.problem) from None


def shown(value: object) -> str:
    """The value as JSON, for a message: printable whatever it holds, and never long."""
    try:
        text = json.dumps(value, default=str)
    except RecursionError:
        return "a deeply nested value"
    if len(text) <= _SHOWN_CHARACTERS:
        return text
    return f"{text[:_SHOWN_CHARACTERS]}... ({len(text)} characters)"


def path_text(path: Path) -> str:
    """`("schedule", "hours", 1)` as `schedule.hours[1]`."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in path]
    return "".join(parts).removeprefix(".")
