"""What every process of a server does alike."""

import gc
import logging
import sys
from collections.abc import Mapping, MutableMapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from structlog.dev import ConsoleRenderer, plain_traceback
from structlog.processors import JSONRenderer
from structlog.stdlib import ProcessorFormatter

from foliot.core.errors import origin_of
from foliot.ports.logs import LogEvent, printable

_VALUES_BETWEEN_COLLECTIONS = 50_000
_MAX_FIELD_CHARACTERS = 2000
_OURS = "foliot"
_WRITE_JSON = msgspec.json.Encoder(enc_hook=str).encode


def set_up_logging(level: str, log_format: str) -> None:
    """Write to standard error from this level on; of libraries, warnings and errors alone.

    What libraries say in detail may hold addresses and headers of requests.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_formatter(log_format, has_colors=sys.stderr.isatty()))
    chosen = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(level=max(chosen, logging.WARNING), handlers=[handler])
    logging.getLogger(_OURS).setLevel(chosen)


def _formatter(log_format: str, *, has_colors: bool) -> logging.Formatter:
    if log_format == "json":
        renderer = JSONRenderer(serializer=_json)
    else:
        # The other ways to write a traceback show the values of variables.
        renderer = ConsoleRenderer(colors=has_colors, exception_formatter=plain_traceback)
    return ProcessorFormatter(processors=[_fields, renderer])


def _json(line: Mapping[str, object], **_: object) -> str:
    return _WRITE_JSON(line).decode()


def _fields(_: Any, __: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Return what is written of a record, of a library's as well as of our own."""
    record: logging.LogRecord = line["_record"]
    said = record.msg
    found = {
        "timestamp": _timestamp(record.created),
        "level": record.levelname.lower(),
        "logger": record.name,
        "event": said.event if isinstance(said, LogEvent) else line["event"],
        **(said.fields if isinstance(said, LogEvent) else {}),
    }
    # The formatter has moved it out of the record.
    _, error, _ = line.get("exc_info") or (None, None, None)
    if error is not None:
        found["error"] = origin_of(error)
    return {name: _value(each) for name, each in found.items()}


def _timestamp(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat(timespec='milliseconds')[:-6]}Z"


def _value(value: object) -> object:
    return printable(value[:_MAX_FIELD_CHARACTERS]) if isinstance(value, str) else value


def collect_seldom() -> None:
    """Let the collector of cycles leave alone what is loaded by now, and look at the rest seldom.

    A run makes dozens of values and no cycle; to go through all of them again and again would take
    a quarter of the engine's time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_VALUES_BETWEEN_COLLECTIONS, 20, 50)
