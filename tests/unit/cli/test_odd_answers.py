"""What commands make of answers that no Foliot gives: one line and an exit code, never more."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from foliot.cli import app
from tests.support.canned_server import Asked, CannedServer, canned

ID = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c/jobs/j"
HALF: dict[str, Any] = {
    "id": ID,
    "name": "c/j/1",
    "properties": {"attempts": [5], "dates": ["x", 5], "recurrence": {"frequency": 5}},
}
ANSWERS = [
    pytest.param(None, id="null"),
    pytest.param(5, id="number"),
    pytest.param("\x1b[31mred", id="text"),
    pytest.param([], id="list"),
    pytest.param({}, id="object"),
    pytest.param({"value": 5}, id="no list"),
    pytest.param({"value": [5]}, id="list of numbers"),
    pytest.param({"value": [{}]}, id="list of nothing"),
    pytest.param({"value": [{"id": 5, "name": 5, "properties": 5}]}, id="wrong kinds"),
    pytest.param({"value": [{"id": "/a", "subscriptionId": "../x"}]}, id="wrong texts"),
    pytest.param(
        {"value": [{**HALF, "subscriptionId": "s"}], **HALF, "times": [5]}, id="half an answer"
    ),
    pytest.param({"value": [{}], "nextLink": "http://x/?a=b"}, id="the same page again"),
]
COMMANDS = [
    "collection list",
    "collection show",
    "job list",
    "job show j",
    "job list -c c",
    "job next j",
    "job history j",
    "job why j",
    "job why j --at 2026-03-01",
    "job run j",
    "job test j",
    "job redrive j --from 1h",
    "job cancel j --all",
    "job export",
    "job create j --every 1h --url http://127.0.0.1/",
    "job update j --every 1h",
    "job delete j --yes",
    "runs -n 2",
    "failures -c s/g/c",
    "audit -n 2",
    "calendar list",
    "calendar show c",
    "calendar import days.ics",
    "alert list",
    "alert show a",
    "alert test a",
    "diff -f jobs.yaml --prune",
    "apply -f jobs.yaml --yes --prune",
    "export",
    "export --format template",
]
DAYS = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261225\nEND:VEVENT\nEND:VCALENDAR\n"
JOBS = """
collection: {subscription: s, group: g, name: c}
jobs:
  j:
    recurrence: {frequency: day}
    action: {type: http, request: {uri: 'http://127.0.0.1/', method: GET}}
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[CannedServer]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "days.ics").write_text(DAYS)
    (tmp_path / "jobs.yaml").write_text(JOBS)
    with canned({}) as found:
        for name, text in {
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "FOLIOT_SERVER": found.url,
            "FOLIOT_TOKEN": "t" * 40,
            "FOLIOT_COLLECTION": "s/g/c",
        }.items():
            monkeypatch.setenv(name, text)
        yield found


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_odd_answer_ends_a_command_in_one_line(
    server: CannedServer, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    def same(_: Asked) -> tuple[int, Any]:
        return 200, answer

    monkeypatch.setattr(server, "answer", same)

    for command in COMMANDS:
        ended = CliRunner().invoke(app, command.split())

        assert isinstance(ended.exception, SystemExit | None), command
        assert "\x1b" not in ended.output
        if ended.exit_code:
            name = " ".join(word for word in command.split()[:2] if word.isalpha())
            told = ended.stderr.splitlines()[-1]
            assert told.startswith(f"foliot {name.removesuffix(' j')}"), command
