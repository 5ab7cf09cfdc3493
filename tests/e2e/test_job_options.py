"""Every option of `foliot job create`, as the installed command sends it to a server."""

import json
import re
from base64 import b64decode
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.support.certificates import a_pfx
from tests.support.commands import Place, in_pipe
from tests.support.server import running

PAGE = Path(__file__).parents[2] / "docs/reference/command-line.md"
URL = "https://example.com/report"
ON_DAYS = ("--cron", "30 7 * * 1-5", "--zone", "Europe/Prague", "--url", URL)
CASES: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "schedule": (
        (
            *("--every", "2 weeks", "--zone", "Europe/Prague", "--at", "2020-03-01T09:00"),
            *("--until", "2031-03-01T09:00Z", "--count", "20", "--url", URL),
        ),
        {
            "startTime": "2020-03-01T08:00:00Z",
            "recurrence.frequency": "week",
            "recurrence.interval": 2,
            "recurrence.timeZone": "Europe/Prague",
            "recurrence.endTime": "2031-03-01T09:00:00Z",
            "recurrence.count": 20,
            "action.request.uri": URL,
            "action.request.method": "GET",
            "action.type": "Https",
            "state": "enabled",
        },
    ),
    "days off": (
        (
            *ON_DAYS,
            *("--exclude", "2030-12-24/2030-12-26", "--exclude", "2031-01-01"),
            *("--exclude-calendar", "holidays", "--exclude-then", "next", "--disabled"),
        ),
        {
            "recurrence.cron": "30 7 * * 1-5",
            "recurrence.exclude.dates": ["2030-12-24/2030-12-26", "2031-01-01"],
            "recurrence.exclude.calendars": ["holidays"],
            "recurrence.exclude.then": "next",
            "state": "disabled",
        },
    ),
    "request": (
        (
            *("--every", "1h", "--http", "PUT", URL, "--header", "X-One: 1", "-H", "X-Two: 2: 3"),
            *("--body", "@body.json", "--basic", "robot", "--password-file", "password"),
            *("--template", "--retry", "10x5s-10m", "--retry-on", "transient"),
        ),
        {
            "action.request.method": "PUT",
            "action.request.headers": {"X-One": "1", "X-Two": "2: 3"},
            "action.request.body": '{"planned": "{{planned}}"}\n',
            "action.request.authentication": {"type": "Basic", "username": "robot"},
            "action.retryPolicy.retryType": "exponential",
            "action.retryPolicy.retryCount": 10,
            "action.retryPolicy.retryInterval": "PT5S",
            "action.retryPolicy.maxRetryInterval": "PT10M",
            "action.retryPolicy.retryOn": "transient",
        },
    ),
    "certificate": (
        ("--every", "1h", "--url", URL, "--method", "HEAD", "--cert", "client.pfx"),
        {
            "action.request.method": "HEAD",
            "action.request.authentication.certificateThumbprint": a_pfx().thumbprint,
        },
    ),
    "policies": (
        (
            *("--every", "5m", "--url", URL, "--timeout", "90s", "--overlap", "queue"),
            *("--catch-up", "all", "--catch-up-window", "2h", "--start-within", "10m"),
            *("--jitter", "30s", "--pause-after", "5"),
        ),
        {
            "policy": {
                "timeout": "PT1M30S",
                "overlap": "queue",
                "catchUp": "all",
                "catchUpWindow": "PT2H",
                "startWithin": "PT10M",
                "jitter": "PT30S",
                "pauseAfter": 5,
            }
        },
    ),
    "file": (
        ("--file", "job.json", "--every", "1d"),
        {"recurrence.frequency": "day", "action.request.uri": "https://example.com/of-the-file"},
    ),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[Place]:
    directory = tmp_path_factory.mktemp("place")
    (directory / "body.json").write_text('{"planned": "{{planned}}"}\n')
    (directory / "password").write_text("hunter2\n")
    (directory / "client.pfx").write_bytes(b64decode(a_pfx().text))
    request = {"uri": "https://example.com/of-the-file", "method": "GET"}
    job = {"properties": {"action": {"type": "https", "request": request}}}
    (directory / "job.json").write_text(json.dumps(job))
    (directory / "holidays.ics").write_text(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Day off\nDTSTART;VALUE=DATE:20300501\n"
        "END:VEVENT\nEND:VCALENDAR\n"
    )
    with running(directory / "foliot-data"):
        found = Place(directory, {"FOLIOT_JOB_PASSWORD": ""})
        for words in (("collection", "create", "c"), ("calendar", "import", "holidays.ics")):
            done = in_pipe(found, *words)
            assert done.returncode == 0, done.stderr
        yield found


@pytest.mark.parametrize("case", CASES)
def test_an_option_is_in_the_job_that_the_server_has(place: Place, case: str) -> None:
    arguments, expected = CASES[case]
    name = case.replace(" ", "-")

    created = in_pipe(place, "job", "create", name, *arguments)
    shown = in_pipe(place, "job", "show", name, "--output", "json")

    assert (created.returncode, created.stderr) == (0, "")
    properties = json.loads(shown.stdout)["properties"]
    assert {path: value_at(properties, path) for path in expected} == expected


def value_at(properties: Any, path: str) -> Any:
    for name in path.split("."):
        properties = properties.get(name)
    return properties


def test_every_option_of_the_reference_is_tried() -> None:
    section = PAGE.read_text().partition("## foliot job create\n")[2].partition("\n## ")[0]
    documented = re.findall(r"^\| `(--[\w-]+)`", section, re.MULTILINE)
    tried = {word for arguments, _ in CASES.values() for word in arguments}

    assert len(documented) > 25
    assert [each for each in documented if each not in tried] == []
