"""What a check has found: ok, a warning or a problem, and what to do."""

from enum import IntEnum

from msgspec import Struct


class Level(IntEnum):
    """How bad it is; the worst one is the exit code."""

    OK = 0
    WARNING = 1
    PROBLEM = 2


class CheckResult(Struct, frozen=True):
    """A line of the report."""

    check: str
    level: Level
    found: str
    advice: str = ""


def ok(check: str, found: str) -> CheckResult:
    """Return that nothing is wrong."""
    return CheckResult(check, Level.OK, found)


def warning(check: str, found: str, advice: str) -> CheckResult:
    """Return that something works, and should be looked at."""
    return CheckResult(check, Level.WARNING, found, advice)


def problem(check: str, found: str, advice: str) -> CheckResult:
    """Return that something does not work."""
    return CheckResult(check, Level.PROBLEM, found, advice)
