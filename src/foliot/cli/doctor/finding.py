"""What a check has found: ok, a warning or a problem, and what to do."""

from enum import IntEnum

from msgspec import Struct


class Level(IntEnum):
    """How bad it is; the worst one is the exit code."""

    OK = 0
    WARNING = 1
    PROBLEM = 2


class Finding(Struct, frozen=True):
    """A line of the report."""

    check: str
    level: Level
    found: str
    advice: str = ""


def ok(check: str, found: str) -> Finding:
    """Return that nothing is wrong."""
    return Finding(check, Level.OK, found)


def warning(check: str, found: str, advice: str) -> Finding:
    """Return that something works, and should be looked at."""
    return Finding(check, Level.WARNING, found, advice)


def problem(check: str, found: str, advice: str) -> Finding:
    """Return that something does not work."""
    return Finding(check, Level.PROBLEM, found, advice)
