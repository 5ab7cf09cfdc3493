"""Set-up of every process of a server: logging and garbage collection."""

import gc
import logging
import re
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial

import msgspec

from foliot.core.errors import origin_of
from foliot.ports.logs import LogEvent, printable

_OBJECTS_BETWEEN_COLLECTIONS = 50_000
_MAX_FIELD_CHARACTERS = 2000
_OURS = "foliot"
_WRITE_JSON = msgspec.json.Encoder(enc_hook=str).encode
_EVENT_WIDTH, _LEVEL_WIDTH = 30, 9
# What needs quotes in a line, so that it reads as one value.
_QUOTED = re.compile(r"[ \t=\"']")
# Colours of a terminal (ECMA-48): of a level, and of the parts of a line.
_LEVEL_COLORS = {"debug": "32", "info": "32", "warning": "33", "error": "31", "critical": "31"}
_DIM, _BOLD, _NAME, _VALUE = "2", "1", "36", "35"


def set_up_logging(level: str, log_format: str) -> None:
    """Write to standard error from this level on; of libraries, warnings and errors alone.

    What libraries say in detail may hold addresses and headers of requests.
    """
    # No line shows them, and to look them up is a fifth of what a line costs.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LineFormatter(log_format, has_colors=sys.stderr.isatty()))
    chosen = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(level=max(chosen, logging.WARNING), handlers=[handler])
    logging.getLogger(_OURS).setLevel(chosen)


class _LineFormatter(logging.Formatter):
    """Writes a record in one line, of a library's as well as of our own."""

    def __init__(self, log_format: str, *, has_colors: bool) -> None:
        super().__init__()
        paint = _painted if has_colors else _plain
        self._render = _json_line if log_format == "json" else partial(_console_line, paint=paint)

    def format(self, record: logging.LogRecord) -> str:
        return self._render(_fields(record))


def _json_line(fields: Mapping[str, object]) -> str:
    return _WRITE_JSON(fields).decode()


def _console_line(fields: Mapping[str, object], paint: Callable[[str, str], str]) -> str:
    timestamp, level, logger, event, *others = fields.items()
    said = str(level[1])
    parts = [
        paint(str(timestamp[1]), _DIM),
        f"[{paint(said.ljust(_LEVEL_WIDTH), _LEVEL_COLORS.get(said, _BOLD))}]",
        paint(str(event[1]).ljust(_EVENT_WIDTH if others else 0), _BOLD),
        f"[{paint(str(logger[1]), _BOLD)}]",
        *(f"{paint(name, _NAME)}={paint(_shown(value), _VALUE)}" for name, value in others),
    ]
    return " ".join(parts)


def _painted(text: str, color: str) -> str:
    return f"\x1b[{color}m{text}\x1b[0m"


def _plain(text: str, _: str) -> str:
    return text


def _shown(value: object) -> str:
    text = str(value)
    return repr(text) if not text or _QUOTED.search(text) else text


def _fields(record: logging.LogRecord) -> dict[str, object]:
    said = record.msg
    is_ours = isinstance(said, LogEvent)
    found = {
        "timestamp": _timestamp(record.created),
        "level": record.levelname.lower(),
        "logger": record.name,
        "event": said.event if is_ours else record.getMessage(),
        **(said.fields if is_ours else {}),
    }
    if record.exc_info and record.exc_info[1]:
        found["error"] = origin_of(record.exc_info[1])
    return {name: _value(each) for name, each in found.items()}


def _timestamp(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat(timespec='milliseconds')[:-6]}Z"


def _value(value: object) -> object:
    return printable(value[:_MAX_FIELD_CHARACTERS]) if isinstance(value, str) else value


def reduce_garbage_collection() -> None:
    """Exempt all objects made so far from garbage collection, and collect the rest seldom.

    A run makes dozens of objects and no reference cycle: with Python's defaults, collections would
    take a quarter of the engine's time. The little garbage that was made so far is not looked for:
    that would take a tenth of the time to start.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 20, 50)
