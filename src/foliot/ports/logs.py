"""The log: each line is an event in a few words, with its values as fields.

Every part writes its lines through a logger from here. The standard library carries them;
`serve/process_setup.py` decides whether they are written for people or as JSON.
"""

import logging
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from foliot.core.ids import CollectionKey

_MAX_MESSAGE_CHARACTERS = 200
# What follows is what a target has answered; it is in the history, where access is checked.
_TARGETS_WORDS = " Response Headers:"

_context: ContextVar[dict[str, object]] = ContextVar("log_context")


class LogEvent:
    """The message of a log record: an event and its fields."""

    __slots__ = ("event", "fields")

    def __init__(self, event: str, fields: Mapping[str, object]) -> None:
        self.event = event
        self.fields = fields

    def __str__(self) -> str:
        """Write it for a handler that knows nothing of fields."""
        return " ".join([self.event, *(f"{name}={value}" for name, value in self.fields.items())])


class FieldLogger:
    """Writes log lines with fields, those of the request at hand among them; None is no field."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    @property
    def is_debugging(self) -> bool:
        """Whether debug lines are written: ask before computing fields on the hot path."""
        return self._logger.isEnabledFor(logging.DEBUG)

    def debug(self, event: str, **fields: object) -> None:
        """Say what happens all the time."""
        self._write(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: object) -> None:
        """Say what an operator may want to know later."""
        self._write(logging.INFO, event, fields)

    def warning(self, event: str, **fields: object) -> None:
        """Say what went wrong and is tried again."""
        self._write(logging.WARNING, event, fields)

    def error(self, event: str, **fields: object) -> None:
        """Say what went wrong for good, or needs an operator."""
        self._write(logging.ERROR, event, fields)

    def _write(self, level: int, event: str, fields: dict[str, object]) -> None:
        logger = self._logger
        if logger.isEnabledFor(level):
            given = {name: value for name, value in fields.items() if value is not None}
            # Those of the line come first, and win: an attempt has a request id of its own.
            message = LogEvent(event, {**given, **context_fields(), **given})
            # Made here: the standard library would look for the caller, which costs more than all
            # the rest, and no line shows it.
            logger.handle(logger.makeRecord(logger.name, level, "", 0, message, (), None))


def get_logger(name: str) -> FieldLogger:
    """Return the logger of a part; its name is a field of its lines."""
    return FieldLogger(name)


@contextmanager
def log_context(**fields: object) -> Generator[None]:
    """Add fields to all lines that are written in a block, by the tasks it starts as well."""
    before = _context.set({**context_fields(), **fields})
    try:
        yield
    finally:
        _context.reset(before)


def add_to_context(**fields: object) -> None:
    """Add fields to all further lines of the present block; outside of one, to none."""
    found = _context.get(None)
    if found is not None:
        found.update(fields)


def context_fields() -> Mapping[str, object]:
    """Return the fields of the present block."""
    return _context.get({})


def request_id() -> str | None:
    """Return the id of the request at hand, as all its lines have it."""
    found = context_fields().get("request_id")
    return None if found is None else str(found)


def collection_text(key: CollectionKey) -> str:
    """Write which collection a line is about."""
    return f"{key.subscription}/{key.group}/{key.name}"


def short_message(message: str) -> str:
    """Return what a line tells of an outcome: one short line, without an HTTP target's answer."""
    lines = message[: _MAX_MESSAGE_CHARACTERS * 2].partition(_TARGETS_WORDS)[0].split("\n")
    return printable(lines[0].strip()[:_MAX_MESSAGE_CHARACTERS])


def printable(text: str) -> str:
    r"""Write control characters as escapes: a line must not move a terminal's cursor."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )
