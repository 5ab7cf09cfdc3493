"""How log lines are written: for people or as JSON, one line each, without secrets."""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

SCRIPT = """
import logging, sys
from foliot.ports.logs import get_logger
from foliot.serve.process_setup import set_up_logging

set_up_logging(*sys.argv[1:3])
log = get_logger("foliot.test")
"""


def written(level: str, log_format: str, statements: str) -> list[str]:
    """Return the lines that a process writes to its standard error."""
    done = subprocess.run(  # noqa: S603  (our own code)
        [sys.executable, "-c", SCRIPT + statements, level, log_format],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""
    return done.stderr.splitlines()


def as_json(statements: str, level: str = "info") -> list[dict[str, Any]]:
    return [json.loads(line) for line in written(level, "json", statements)]


def test_a_line_of_json_has_time_level_logger_event_and_fields() -> None:
    (line,) = as_json("log.warning('Attempt failed', job='Nightly', attempt=2, lasts=None)")

    assert list(line) == ["timestamp", "level", "logger", "event", "job", "attempt"]
    assert len(line.pop("timestamp")) == len("2030-01-01T00:00:00.000Z")
    assert line == {
        "level": "warning",
        "logger": "foliot.test",
        "event": "Attempt failed",
        "job": "Nightly",
        "attempt": 2,
    }


def test_a_line_for_people_has_its_fields_behind_the_event() -> None:
    (line,) = written("info", "console", "log.error('Run given up', job='Nightly', attempts=5)")

    assert "\x1b" not in line
    assert "[error" in line
    assert line.index("Run given up") < line.index("attempts=5")
    assert "job=Nightly" in line


def test_a_line_for_people_quotes_values_that_would_not_read_as_one() -> None:
    (line,) = written("info", "console", "log.info('Saved', name='a b', empty='', at='x=1', n=3)")

    assert line.endswith("[foliot.test] name='a b' empty='' at='x=1' n=3")


@pytest.mark.parametrize(
    ("level", "events"),
    [
        ("debug", ["d", "i", "w", "e"]),
        ("info", ["i", "w", "e"]),
        ("warning", ["w", "e"]),
        ("error", ["e"]),
    ],
)
def test_lines_below_the_level_are_left_out(level: str, events: Sequence[str]) -> None:
    lines = as_json("for each in 'debug', 'info', 'warning', 'error':\n"
                    "    getattr(log, each)(each[0])\n", level)  # fmt: skip

    assert [line["event"] for line in lines] == events


def test_lines_of_libraries_have_the_same_form_and_only_from_warning_on() -> None:
    lines = as_json(
        "library = logging.getLogger('uvicorn.error')\n"
        "library.debug('detail')\nlibrary.info('detail')\nlibrary.warning('%s left', 3)\n",
        "debug",
    )

    assert [(line["logger"], line["event"]) for line in lines] == [("uvicorn.error", "3 left")]


@pytest.mark.parametrize("log_format", ["console", "json"])
def test_an_exception_is_told_in_the_same_line_and_without_its_message(log_format: str) -> None:
    statements = (
        "try:\n    raise ValueError('hush')\n"
        "except ValueError:\n    logging.getLogger('library').exception('It failed')\n"
    )

    (line,) = written("info", log_format, statements)

    assert "It failed" in line
    assert "ValueError < " in line
    assert "hush" not in line


@pytest.mark.parametrize("log_format", ["console", "json"])
def test_control_characters_are_escaped(log_format: str) -> None:
    statements = r"log.info('a\x1b[2Jb', path='/c\nd\x9b\u202e' + chr(0xd800))"

    (line,) = written("info", log_format, statements)

    assert line.isprintable()
    assert r"\x1b[2Jb" in line.replace(r"\\", "\\")
    assert r"/c\nd\x9b\u202e\ud800" in line.replace(r"\\", "\\")


def test_a_long_value_is_cut() -> None:
    (line,) = as_json("log.info('a', path='x' * 100_000)")

    assert line["path"] == "x" * 2000


def test_a_value_of_another_kind_is_written_as_text() -> None:
    (line,) = as_json("from pathlib import Path\nlog.info('a', path=Path('/data'))")

    assert line["path"] == "/data"
