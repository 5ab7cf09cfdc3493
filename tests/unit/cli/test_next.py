import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from foliot.cli import app

JOB = {"startTime": "2015-04-07T14:00:00Z", "recurrence": {"frequency": "day", "interval": 2}}
NOW = "2015-04-08T13:00Z"
TIMES = ["2015-04-09T14:00:00Z", "2015-04-11T14:00:00Z", "2015-04-13T14:00:00Z"]


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["next", *arguments], input=stdin)


@pytest.fixture
def job_file(tmp_path: Path) -> Path:
    path = tmp_path / "job.json"
    path.write_text(json.dumps(JOB))
    return path


def answers(*lines: Any, options: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    texts = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    result = run("-", *options, stdin=b"\n".join(texts) + b"\n")
    assert result.exit_code == 0
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_command_alone_shows_its_help_and_its_version_on_request() -> None:
    alone, version = CliRunner().invoke(app, []), CliRunner().invoke(app, ["--version"])

    assert (alone.exit_code, version.exit_code) == (2, 0)
    assert "Commands" in alone.stdout
    assert version.stdout.startswith("foliot 0.")


def test_the_next_occurrences_are_printed_one_to_a_line(job_file: Path) -> None:
    result = run(str(job_file), "--count", "3", "--now", NOW)

    assert (result.exit_code, result.stdout.split()) == (0, TIMES)


def test_ten_occurrences_are_printed_unless_told_otherwise(job_file: Path) -> None:
    assert len(run(str(job_file), "--now", NOW).stdout.split()) == 10


def test_a_whole_resource_is_read_by_its_properties(tmp_path: Path) -> None:
    path = tmp_path / "resource.json"
    path.write_text(json.dumps({"name": "C/J", "Properties": JOB | {"state": "disabled"}}))

    result = run(str(path), "--count", "3", "--now", NOW)

    assert result.stdout.split() == TIMES


def test_a_byte_order_mark_before_the_job_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "bom.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(JOB).encode())

    assert run(str(path), "--count", "3", "--now", NOW).stdout.split() == TIMES


def test_explain_adds_the_sentence(job_file: Path) -> None:
    result = run(str(job_file), "--count", "1", "--now", NOW, "--explain")

    assert result.stdout.splitlines() == ["Every 2 days at 14:00 UTC", TIMES[0]]


def test_a_job_that_runs_once_is_explained_too(tmp_path: Path) -> None:
    path = tmp_path / "once.json"
    path.write_text("{}")

    result = run(str(path), "--now", "2015-04-08T13:00:00.25Z", "--explain")

    assert result.stdout.splitlines() == [
        "Once, at 2015-04-08 13:00 UTC",
        "2015-04-08T13:00:00.25Z",
    ]


def test_explain_tells_what_was_moved(tmp_path: Path) -> None:
    path = tmp_path / "job.json"
    rule = {"cron": "30 2 * * *", "timeZone": "Europe/Prague", "count": 3}
    path.write_text(json.dumps({"startTime": "2027-03-27", "recurrence": rule}))

    result = run(str(path), "--now", "2027-03-01", "--explain")

    assert result.stdout.splitlines() == [
        "At 02:30 every day, Europe/Prague time (cron 30 2 * * *), 3 times",
        "2027-03-27T01:30:00Z",
        "2027-03-28T01:00:00Z  02:30 does not exist on 2027-03-28: runs at 03:00",
        "2027-03-29T00:30:00Z",
    ]


def test_explain_adds_notes_to_an_answer_that_needs_them() -> None:
    rule = {"frequency": "day", "exclude": {"dates": "2026-12-25"}}
    job = {"startTime": "2026-12-24T09:00:00Z", "recurrence": rule}

    found = answers({"job": job, "now": "2026-12-01", "count": 2}, options=("--explain",))

    assert found[0]["notes"] == {
        "2026-12-26T09:00:00Z": ["2026-12-25 is a day off: 09:00 is skipped"]
    }


def test_without_now_the_job_is_created_at_the_present(tmp_path: Path) -> None:
    path = tmp_path / "once.json"
    path.write_text("{}")

    result = run(str(path))

    assert result.exit_code == 0
    assert result.stdout > "2026"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "the text is not JSON: Expecting property name enclosed in double quotes"),
        (b" \n", "the text is empty; give a JSON object {...}."),
        (b"[]", "[] is not valid; give an object {...}."),
        (b'{"properties": 5}', "properties: 5 is not valid; give an object {...}."),
        (b'"\xff"', "the text is not UTF-8: byte 2 is invalid."),
        (b'{"a": 1, "a": 2}', 'an object has the name "a" twice; give it once.'),
        (b'{"count": NaN}', "the text is not JSON: NaN is not a JSON number."),
        (b"[" * 100_000, "the JSON is nested too deeply; give at most 64 levels."),
        (b'"\n"', "the text is not JSON: Invalid control character at line 1, column 2."),
        (b"1" * 5000, "the JSON holds a number with too many digits."),
        (
            b'{"properties": {"recurrence": {"frequency": "\\ud800"}}}',
            "a string holds half of a surrogate pair",
        ),
    ],
    ids=[
        *("broken JSON", "empty", "a list", "no properties", "not UTF-8", "a name twice"),
        *("NaN", "deep nesting", "a control character", "a huge number", "half a surrogate pair"),
    ],
)
def test_bad_input_is_refused_with_a_message(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)

    result = run(str(path), "--now", NOW)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("foliot next: ")
    assert message in result.stderr


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = run(str(tmp_path / "none.json"))

    assert result.exit_code == 2
    assert result.stderr == (
        f"foliot next: cannot read {tmp_path}/none.json: No such file or directory.\n"
    )


def test_a_bad_now_is_named(job_file: Path) -> None:
    result = run(str(job_file), "--now", "noon")

    assert result.exit_code == 2
    assert '--now: "noon" is not a date-time' in result.stderr


@pytest.mark.parametrize("count", ["0", "-1", "x", "100001"])
def test_a_bad_count_is_refused(job_file: Path, count: str) -> None:
    assert run(str(job_file), "--count", count).exit_code == 2


def test_lines_are_answered_one_by_one_and_a_bad_one_does_not_end_them() -> None:
    found = answers(
        {"job": JOB, "now": NOW, "count": 3},
        b"nonsense",
        b"",
        {"job": {"recurrence": {"frequency": "day", "interval": 0}}, "now": NOW},
        {"now": NOW},
        {"job": {"properties": JOB}, "now": NOW, "count": 1.0},
        {"job": JOB, "now": 5},
        {"job": JOB, "now": NOW, "count": 0},
    )

    assert found == [
        {"times": TIMES},
        {"error": "the text is not JSON: Expecting value at line 1, column 1."},
        {"error": "the text is empty; give a JSON object {...}."},
        {
            "error": "job.recurrence.interval: 0 is not valid; "
            "give a whole number from 1 to 548, the limit with frequency 'day'."
        },
        {"error": "job: is missing; give the job as an object {...}."},
        {"times": TIMES[:1]},
        {"error": "now: 5 is not valid; give an ISO 8601 date-time in quotes."},
        {"error": "count: 0 is not valid; give a whole number from 1 to 100000."},
    ]


def test_options_are_the_defaults_of_the_lines() -> None:
    options = ("--now", NOW, "--count", "1", "--explain")

    assert answers({"job": JOB}, options=options) == [
        {"times": TIMES[:1], "sentence": "Every 2 days at 14:00 UTC"}
    ]


def test_whoever_waits_for_an_answer_gets_it_before_the_next_line() -> None:
    command = [sys.executable, "-m", "foliot", "next", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:  # noqa: S603
        assert process.stdin
        assert process.stdout
        for _ in range(2):
            process.stdin.write(json.dumps({"job": JOB, "now": NOW, "count": 3}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline()) == {"times": TIMES}


def test_a_reader_that_goes_away_is_no_error(job_file: Path) -> None:
    command = f"{sys.executable} -m foliot next {job_file} --count 100000 | head -n 1"
    result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)  # noqa: S603, S607

    assert result.stderr == ""


def test_the_dates_of_calendars_are_given_beside_the_job() -> None:
    rule = {"cron": "0 9 * * *", "exclude": {"calendars": ["de-Holidays", "mine"]}}
    job = {"startTime": "2026-12-24", "recurrence": rule}
    line = {"now": "2026-12-01", "count": 2, "job": job}
    calendars = {"DE-holidays": ["2026-12-25/2026-12-26"], "mine": "2026-12-28"}

    known, unknown, bad = answers(
        line | {"calendars": calendars},
        line | {"calendars": {"mine": "2026-12-28"}},
        line | {"calendars": {"mine": ["today"]}},
        options=("--explain",),
    )

    assert known["times"] == ["2026-12-24T09:00:00Z", "2026-12-27T09:00:00Z"]
    assert known["sentence"].endswith(
        "except on the days of the calendar 'de-Holidays' and the days of the calendar 'mine'"
    )
    assert known["notes"] == {
        "2026-12-27T09:00:00Z": ["2026-12-25 to 2026-12-26 are days off: 2 times are skipped"]
    }
    assert unknown["error"].startswith(
        'job.recurrence.exclude.calendars[0]: "de-Holidays" is not known here; give its dates'
    )
    assert bad["error"].startswith('calendars.mine[0]: "today" is not a date;')


def test_explain_says_that_a_job_without_a_start_also_runs_now(tmp_path: Path) -> None:
    path = tmp_path / "job.json"
    path.write_text(json.dumps({"recurrence": {"cron": "0 9 * * MON"}}))

    result = run(str(path), "--count", "1", "--now", NOW, "--explain")

    assert result.stdout.splitlines() == [
        "At 09:00 on Monday, UTC (cron 0 9 * * MON), and once now, since it has no start time",
        "2015-04-08T13:00:00Z",
    ]
