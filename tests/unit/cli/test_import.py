import json
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import CliRunner, Result

from foliot.cli import app
from foliot.core.yaml_text import YAML_WORDS, parse_yaml

LINE = "0 9 * * * curl -f https://example.com/x\n"
COMMANDS = ("crontab", "kubernetes", "logicapp", "eventbridge", "gcloud", "arm", "azure-export")


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["import", *arguments, "--now", "2026-01-10"], input=stdin)


@pytest.mark.parametrize(
    ("into", "expected"),
    [
        pytest.param([], ("me", "home", "crontab"), id="defaults"),
        pytest.param(["--into", "web"], ("me", "home", "web"), id="collection"),
        pytest.param(["--into", "s/g"], ("s", "g", "crontab"), id="subscription and group"),
        pytest.param(["--into", "/s/g/web/"], ("s", "g", "web"), id="all three"),
    ],
)
def test_jobs_go_into_the_collection_that_is_named(
    into: list[str], expected: tuple[str, str, str]
) -> None:
    result = run("crontab", "-", *into, stdin=LINE)

    (document,) = parse_yaml(result.stdout.encode(), YAML_WORDS)
    assert isinstance(document, dict)
    assert document["collection"] == dict(
        zip(("subscription", "group", "name"), expected, strict=True)
    )


def test_jobs_are_read_in_the_order_of_the_files_also_from_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "a.cron"
    file.write_text("0 1 * * * curl -f https://example.com/report\n")

    result = run("crontab", str(file), "-", stdin="0 2 * * * curl -f https://example.com/report\n")

    (document,) = parse_yaml(result.stdout.encode(), YAML_WORDS)
    jobs = cast("Any", document)["jobs"]
    assert {name: job["recurrence"]["cron"] for name, job in jobs.items()} == {
        "report": "0 1 * * *",
        "report-2": "0 2 * * *",
    }


def test_more_jobs_than_a_collection_may_have_are_remarked_on() -> None:
    most = run("crontab", "-", stdin=LINE * 1000)
    more = run("crontab", "-", stdin=LINE * 1001)

    assert "1001" not in most.stderr
    assert (
        "the collection crontab has 1001 jobs, but the plan P20Premium allows 1000: "
        "move some into another before the file is applied" in more.stderr
    )


def test_an_option_that_is_wrong_is_named_alone() -> None:
    result = run("crontab", "-", "--zone", "Europe/Pragu", stdin=LINE)

    assert result.exit_code == 2
    assert result.stderr == (
        'foliot import: --zone: "Europe/Pragu" is not an IANA time zone; '
        'did you mean "Europe/Prague"?\n'
    )


def test_the_report_goes_to_a_file_if_one_is_named(tmp_path: Path) -> None:
    report = tmp_path / "report.txt"

    result = run("crontab", "-", "--report", str(report), stdin=LINE)

    assert result.stderr == ""
    assert report.read_text().startswith("1 job in crontab; 0 not taken over.\n\nBecomes a job\n")


def test_an_import_without_a_job_ends_with_1_and_says_why() -> None:
    result = run("crontab", "-", stdin="0 9 * * * /bin/true\n")

    assert (result.exit_code, result.stdout) == (1, "")
    assert "which is neither curl nor wget" in result.stderr


def test_a_job_that_the_api_refuses_is_not_written() -> None:
    result = run("crontab", "-", stdin=f"0 9 * * * curl -f -d {'x' * 9000} https://a.example\n")

    assert result.exit_code == 1
    assert "Foliot refuses it: properties.action.request.body: has 9000 characters" in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\0", id="NUL"),
        pytest.param(b"\xff", id="not UTF-8"),
        pytest.param(b"{" * 9999, id="deep"),
        pytest.param(b"[]" * 9, id="no document"),
        pytest.param(b"x" * (4 * 1024 * 1024 + 1), id="huge"),
        pytest.param(json.dumps({"resources": [{"type": 1}]}).encode(), id="wrong types"),
    ],
)
def test_hostile_input_ends_with_one_line_and_never_with_a_traceback(
    tmp_path: Path, command: str, content: bytes
) -> None:
    file = tmp_path / "input"
    file.write_bytes(content)

    result = run(command, str(file))

    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert (result.exit_code, result.stdout) == (1, "")
    is_report = result.stderr.startswith("0 jobs")
    assert is_report or result.stderr.startswith("foliot import: ")
    assert is_report or result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        pytest.param(["crontab", "-", "--zone", "Mars"], "--zone: ", id="zone"),
        pytest.param(["crontab", "-", "--into", "a/b/c/d"], "has 4 parts", id="target"),
        pytest.param(["crontab", "-", "--into", "a b/c/d"], '--into: "a b" is', id="subscription"),
        pytest.param(["crontab", "-", "--into", "a/b c"], '--into: "b c" is', id="group"),
        pytest.param(["crontab", "-", "--into", "a b"], '--into: "a b" is', id="name"),
    ],
)
def test_wrong_arguments_are_refused(arguments: list[str], problem: str) -> None:
    result = run(*arguments, stdin=LINE)

    assert result.exit_code == 2
    assert problem in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        pytest.param(["crontab", "nothing"], "cannot read nothing: No such file", id="no file"),
        pytest.param(["crontab", "."], "cannot read .: Is a directory", id="a directory"),
        pytest.param(["crontab", "a\0b"], "holds a NUL character", id="NUL in a name"),
        pytest.param(["crontab", "-", "--report", "/x/y"], "cannot write /x/y", id="report"),
        pytest.param(["arm", "-", "--parameters", "no"], "cannot read no: No such", id="values"),
    ],
)
def test_files_that_cannot_be_used_have_a_code_of_their_own(
    arguments: list[str], problem: str
) -> None:
    result = run(*arguments, stdin=LINE)

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("foliot import: ")
    assert problem in result.stderr


def test_the_command_runs_as_a_process_and_reads_standard_input() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "foliot", "import", "crontab", "-", "--now", "2026-01-10"],
        input=LINE,
        capture_output=True,
        text=True,
        check=True,
    )

    assert ended.stdout.startswith("collection:\n  subscription: me\n")
    assert "x (standard input, line 1)\n    GET https://example.com/x\n" in ended.stderr
