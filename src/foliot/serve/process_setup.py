"""Set-up of every process of a server: logging and garbage collection."""

import gc
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec
from structlog.dev import ConsoleRenderer, plain_traceback
from structlog.processors import JSONRenderer

from foliot.core.errors import origin_of
from foliot.ports.logs import LogEvent, printable

_OBJECTS_BETWEEN_COLLECTIONS = 50_000
_MAX_FIELD_CHARACTERS = 2000
_OURS = "foliot"
_WRITE_JSON = msgspec.json.Encoder(enc_hook=str).encode


def set_up_logging(level: str, log_format: str) -> None:
    """Write to standard error from this level on; of libraries, warnings and errors alone.

    What libraries say in detail may hold addresses and headers of requests.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LineFormatter(log_format, has_colors=sys.stderr.isatty()))
    chosen = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(level=max(chosen, logging.WARNING), handlers=[handler])
    logging.getLogger(_OURS).setLevel(chosen)


class _LineFormatter(logging.Formatter):
    """Writes a record in one line, of a library's as well as of our own.

    structlog's own formatter would copy the record and write its message first, in vain.
    """

    def __init__(self, log_format: str, *, has_colors: bool) -> None:
        super().__init__()
        # The other ways to write a traceback show the values of variables.
        console = ConsoleRenderer(
            colors=has_colors, exception_formatter=plain_traceback, sort_keys=False
        )
        self._render = _JSON if log_format == "json" else console

    def format(self, record: logging.LogRecord) -> str:
        return str(self._render(None, "", _fields(record)))


def _json(line: Mapping[str, object], **_: object) -> str:
    return _WRITE_JSON(line).decode()


_JSON = JSONRenderer(serializer=_json)


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
    take a quarter of the engine's time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 20, 50)
