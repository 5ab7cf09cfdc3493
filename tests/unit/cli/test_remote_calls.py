"""What commands send to a server, and what they make of its answers."""

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from foliot.cli import app
from tests.support.canned_server import CannedServer, canned

COLLECTION = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c"
JOB = f"{COLLECTION}/jobs/j"
Answers = Mapping[str, tuple[int, Any]]
Serve = Callable[[Answers], CannedServer]


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Serve]:
    """Serve answers, as the server and the collection of the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("FOLIOT_TOKEN", "t" * 40)
    monkeypatch.setenv("FOLIOT_COLLECTION", "s/g/c")
    with ExitStack() as stack:

        def start(answers: Answers) -> CannedServer:
            server = stack.enter_context(canned(answers))
            monkeypatch.setenv("FOLIOT_SERVER", server.url)
            return server

        yield start


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, arguments, input=stdin)


def listing(*values: Any) -> tuple[int, Any]:
    return 200, {"value": list(values), "nextLink": None}


def test_every_call_has_the_token_and_our_version_of_the_api(serve: Serve) -> None:
    server = serve({"GET /jobs": listing()})

    run("job", "list")

    assert server.tokens == {f"Bearer {'t' * 40}"}
    assert [each.query["api-version"] for each in server.asked] == ["2026-11-01"]


def test_a_list_goes_on_at_the_next_page_of_the_same_server(serve: Serve) -> None:
    first = {
        "value": [{"name": "c/a"}],
        "nextLink": "http://elsewhere/x?$skiptoken=a&api-version=1",
    }
    server = serve({"GET /jobs": (200, first)})
    pages = iter([(200, first), listing({"name": "c/b"})])
    server.answer = lambda asked: server.asked.append(asked) or next(pages)  # type: ignore[method-assign]

    result = run("job", "list", "-o", "jsonl")

    assert [json.loads(line)["name"] for line in result.stdout.splitlines()] == ["c/a", "c/b"]
    assert server.asked[1].query["$skiptoken"] == "a"


@pytest.mark.parametrize(
    ("answer", "code", "message"),
    [
        ((400, {"error": {"code": "BadRequest", "message": "No\nway."}}), 1, "No way."),
        ((404, {"error": {"message": "Job 'j' cannot be found."}}), 3, "Job 'j' cannot be found."),
        ((401, {"error": {"message": "Who?"}}), 4, "Who?"),
        ((403, {"error": {"message": "No."}}), 4, "No."),
        ((503, {"error": {"message": "Later."}}), 5, "cannot answer now: Later."),
        ((200, "<html>"), 5, "does not answer as Foliot does: text/html."),
        ((500, "<html>"), 1, "answered with 500."),
        ((404, "<html>"), 5, "does not answer as Foliot does: 404, text/html."),
        ((404, {"detail": "Not Found"}), 5, "does not answer as Foliot does: 404, text/json."),
        ((301, "<html>"), 5, "does not answer as Foliot does: 301, text/html."),
        ((400, {"error": {"message": "\x1b[31mred"}}), 1, "\\x1b[31mred"),
    ],
    ids=[
        "400",
        "404",
        "401",
        "403",
        "503",
        "not JSON",
        "500",
        "404 of others",
        "404 of others in JSON",
        "elsewhere",
        "a control character",
    ],
)
def test_a_refusal_is_one_line_and_an_exit_code(
    serve: Serve, answer: tuple[int, Any], code: int, message: str
) -> None:
    serve({"GET /jobs/j": answer})

    result = run("job", "show", "j")

    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith("foliot job show: ")
    assert result.stderr.endswith(f"{message}\n")
    assert result.stderr.count("\n") == 1


def test_a_listing_without_values_is_not_an_answer_of_foliot(serve: Serve) -> None:
    serve({"GET /jobs": (200, {})})

    assert run("job", "list").exit_code == 5


def test_runs_are_redriven_by_time_or_by_tag(serve: Serve) -> None:
    server = serve({"POST /redrive": (200, {"planned": 3, "leftOut": 0, "left": 2})})

    by_time = run("job", "redrive", "j", "--from", "2026-03-01T00:00Z", "--to", "2026-03-02T00:00Z")
    by_tag = run("job", "redrive", "j", "--tag", "abc", "-o", "json")

    assert by_time.stdout == "Runs of j again: 3 planned, 2 left for the next time.\n"
    assert json.loads(by_tag.stdout)["planned"] == 3
    assert [each.body for each in server.asked] == [
        {"from": "2026-03-01T00:00:00Z", "to": "2026-03-02T00:00:00Z"},
        {"tag": "abc"},
    ]
    assert {each.path for each in server.asked} == {f"{JOB}/redrive"}


@pytest.mark.parametrize("options", [(), ("--from", "1h", "--tag", "a")], ids=["none", "both"])
def test_a_redrive_needs_a_time_or_a_tag_and_not_both(serve: Serve, options: tuple[str]) -> None:
    serve({})

    assert run("job", "redrive", "j", *options).exit_code == 2


def test_planned_times_of_the_past_are_backfilled(serve: Serve) -> None:
    server = serve({"POST /backfill": (200, {"planned": 2, "leftOut": 1})})

    result = run("job", "backfill", "j", "--from", "2026-03-01T00:00Z", "--to", "2026-03-02T00:00Z")

    assert result.stdout == (
        "Runs of j: 2 planned, 1 left out (open, succeeded or about to be planned).\n"
    )
    assert server.asked[0].path == f"{JOB}/backfill"
    assert server.asked[0].body == {"from": "2026-03-01T00:00:00Z", "to": "2026-03-02T00:00:00Z"}


@pytest.mark.parametrize(
    ("begins", "when"), [("now", "now"), ("whenEnabled", "when the job is enabled")]
)
def test_a_run_is_retried_now_by_its_tag(serve: Serve, begins: str, when: str) -> None:
    server = serve({"POST /retry": (200, {"begins": begins})})

    assert run("job", "retry", "j", "abc").stdout == f"The run abc of j is retried {when}.\n"
    assert server.asked[0].path == f"{JOB}/runs/abc/retry"


def test_a_run_is_canceled_by_its_tag(serve: Serve) -> None:
    server = serve({"POST /cancel": (200, {})})

    assert run("job", "cancel", "j", "abc").stdout == "The run abc of j is canceled.\n"
    assert server.asked[0].path == f"{JOB}/runs/abc/cancel"


def test_all_open_runs_are_canceled_or_some_of_them(serve: Serve) -> None:
    server = serve({"POST /runs/cancel": (200, {"canceled": 2})})

    some = run("job", "cancel", "j", "--all", "--trigger", "backfill", "--waiting")

    assert some.stdout == "Canceled 2 runs of j.\n"
    assert server.asked[0].path == f"{JOB}/runs/cancel"
    assert server.asked[0].query["trigger"] == "backfill"
    assert server.asked[0].query["outcome"] == "waiting"
    assert run("job", "cancel", "j").exit_code == 2
    assert run("job", "cancel", "j", "abc", "--all").exit_code == 2


@pytest.mark.parametrize(("outcome", "code"), [("succeeded", 0), ("failed", 6)])
def test_a_test_of_a_job_tells_its_outcome(serve: Serve, outcome: str, code: int) -> None:
    attempt = {
        "outcome": outcome,
        "statusCode": 200,
        "durationSeconds": 0.15,
        "timings": {"connect": 0.1, "total": 0.15},
        "request": {"method": "GET", "uri": "http://a/?sig=***"},
        "redirects": ["http://b"],
        "response": {"body": "hello"},
    }
    server = serve({"POST /test": (200, attempt)})

    result = run("job", "test", "j")

    assert (result.exit_code, server.asked[0].path) == (code, f"{JOB}/test")
    assert result.stdout.splitlines() == [
        f"outcome    {outcome}",
        "status     200",
        "took       150.0 ms",
        "timings    connect 100.0 ms, total 150.0 ms",
        "request    GET http://a/?sig=***",
        "redirects  http://b",
        "",
        "hello",
    ]


def test_a_job_in_a_file_is_tried_before_it_is_stored(serve: Serve) -> None:
    server = serve({"POST /test": (200, {"outcome": "succeeded"})})
    Path("job.yaml").write_text("name: j\naction: {type: http}\n")

    assert run("job", "test").exit_code == 2
    assert run("job", "test", "-f", "job.yaml").exit_code == 0
    assert server.asked[0].path == f"{COLLECTION}/test"
    assert server.asked[0].body == {"properties": {"action": {"type": "http"}}}


def test_a_server_with_previews_tells_when_a_job_runs(serve: Serve) -> None:
    times = [{"at": "2030-03-01T00:00:00Z"}, {"at": "2030-03-02T00:00:00Z"}]
    preview = {"sentence": "Now and then", "times": times, "problems": []}
    enabled = {"status": {"nextExecutionTime": "2030-03-01T00:00:00Z"}}
    server = serve(
        {
            "GET /jobs/j": (200, {"name": "c/j", "properties": enabled}),
            "GET /jobs/off": (200, {"name": "c/off", "properties": {"state": "disabled"}}),
            "POST /preview": (200, preview),
        }
    )

    nexts, shown, disabled = (
        run("job", "next", "j", "--count", "2"),
        run("job", "show", "j"),
        run("job", "show", "off"),
    )

    assert nexts.stdout == "2030-03-01T00:00:00Z\n2030-03-02T00:00:00Z\n"
    assert server.asked[1].query["count"] == "2"
    assert "runs      Now and then\nnext run  2030-03-01T00:00:00Z\n" in shown.stdout
    assert disabled.stdout == "job    off\nstate  disabled\nruns   Now and then\n"


LINES = [
    {"plannedAt": "2026-03-01T07:30:00Z", "outcome": "succeeded", "tag": "abc", "attempts": 1},
    {
        "plannedAt": "2026-03-02T07:30:00Z",
        "outcome": "skipped",
        "reason": "missed",
        "explanation": "The service was down.",
    },
]


def test_the_ledger_tells_the_latest_planned_times_where_none_is_named(serve: Serve) -> None:
    minutes = [{"plannedAt": f"2026-03-01T07:{minute}:00Z"} for minute in range(10, 30)]
    minutes += [{"plannedAt": "2026-03-01T07:30:00Z", "reason": "notCreated"}]
    server = serve({"GET /j/occurrences": listing(*minutes)})

    result = run("job", "why", "j")

    assert result.stdout.count("2026-03-01T07:2") == 10
    assert "07:19" not in result.stdout
    assert "notCreated" not in result.stdout
    assert len(server.asked) == 1


def test_a_job_of_which_nothing_was_planned_has_a_next_run_or_none(serve: Serve) -> None:
    status = {"nextExecutionTime": "2026-04-01T07:00:00Z"}
    serve({"GET /j/occurrences": listing(), "GET /j": (200, {"properties": {"status": status}})})

    result = run("job", "why", "j")

    assert result.exit_code == 3
    assert "in the last 40 days; its next run is 2026-04-01T07:00:00Z." in result.stderr


def test_the_ledger_tells_why_a_planned_time_did_not_run(serve: Serve) -> None:
    server = serve({"GET /occurrences": listing(LINES[1])})

    result = run("job", "why", "j", "--at", "2026-03-02T07:30Z")

    assert "2026-03-02T07:30:00Z  skipped  missed" in result.stdout
    assert "The service was down." in result.stdout
    assert server.asked[0].query | {"api-version": ""} == {
        "from": "2026-03-02T07:30:00Z",
        "to": "2026-03-02T07:31:00Z",
        "api-version": "",
    }


def test_a_date_asks_for_its_whole_day(serve: Serve) -> None:
    server = serve({"GET /occurrences": listing(LINES[1])})

    run("job", "why", "j", "--at", "2026-03-02", "--zone", "Europe/Prague")

    assert server.asked[0].query["from"] == "2026-03-01T23:00:00Z"
    assert server.asked[0].query["to"] == "2026-03-02T23:00:00Z"


def test_a_time_that_was_never_planned_is_told_with_the_nearest_ones(serve: Serve) -> None:
    server = serve({})
    pages = iter([listing(), listing(*LINES)])
    server.answer = lambda asked: server.asked.append(asked) or next(pages)  # type: ignore[method-assign]

    result = run("job", "why", "j", "--at", "2026-03-01T12:00Z")

    assert result.exit_code == 3
    assert result.stderr == (
        "foliot job why: nothing is planned for j at 2026-03-01T12:00:00Z. "
        "The nearest are 2026-03-01T07:30:00Z and 2026-03-02T07:30:00Z.\n"
    )


ICS = """BEGIN:VCALENDAR
BEGIN:VEVENT
DTSTART;VALUE=DATE:20261224
DTEND;VALUE=DATE:20261227
END:VEVENT
END:VCALENDAR
"""


def test_a_calendar_is_imported_under_the_name_of_its_file(serve: Serve) -> None:
    server = serve({"PUT /calendars/holidays": (201, {"name": "holidays"})})
    Path("holidays.ics").write_text(ICS)

    result = run("calendar", "import", "holidays.ics")

    assert result.stdout == "Calendar holidays has 3 days off.\n"
    assert server.asked[0].path == f"{COLLECTION}/calendars/holidays"
    assert server.asked[0].body == {"properties": {"dates": ["2026-12-24/2026-12-26"]}}


def test_a_calendar_from_the_standard_input_needs_a_name(serve: Serve) -> None:
    serve({"PUT /calendars/off": (201, {"name": "off"})})

    assert run("calendar", "import", "-", stdin=ICS).exit_code == 2
    assert run("calendar", "import", "-", "--name", "off", stdin=ICS).exit_code == 0


def test_calendars_are_listed_shown_and_deleted(serve: Serve) -> None:
    found = {"name": "c/off", "properties": {"dates": ["2026-12-24/2026-12-26", "2027-01-01"]}}
    server = serve(
        {
            "GET /calendars": listing(found),
            "GET /calendars/off": (200, found),
            "DELETE /calendars/off": (200, {}),
        }
    )

    listed = run("calendar", "list").stdout.splitlines()
    shown = run("calendar", "show", "off").stdout.splitlines()
    deleted = run("calendar", "delete", "off", "--yes")

    assert listed[1].split() == ["off", "4", "2026-12-24", "2027-01-01"]
    assert shown == ["2026-12-24/2026-12-26", "2027-01-01"]
    assert deleted.stdout == "Calendar off is deleted.\n"
    assert server.asked[-1].method == "DELETE"


def test_what_is_lost_is_asked_about_where_somebody_can_be_asked(serve: Serve) -> None:
    server = serve({"DELETE /calendars/off": (200, {})})

    result = run("calendar", "delete", "off")

    assert (result.exit_code, server.asked) == (2, [])
    assert "--yes: is needed" in result.stderr


def test_a_format_that_does_not_exist_is_refused(serve: Serve) -> None:
    serve({})

    result = run("job", "list", "-o", "xml")

    assert result.exit_code == 2
    assert '--output: "xml" is not valid; give one of table, json, jsonl, yaml.' in result.stderr


def test_a_job_with_a_rule_of_a_later_version_is_shown_all_the_same(serve: Serve) -> None:
    properties = {
        "recurrence": {"frequency": "blueMoon"},
        "status": {"nextExecutionTime": "2026-03-01T00:00:00Z"},
        "action": {"type": "serviceBusQueue", "serviceBusQueueMessage": {"queueName": "q"}},
    }
    serve({"GET /jobs/j": (200, {"name": "c/j", "properties": properties})})

    result = run("job", "show", "j")

    assert result.stdout.splitlines() == [
        "job       j",
        "next run  2026-03-01T00:00:00Z",
        "calls     serviceBusQueue q",
    ]


def test_which_of_several_collections_is_meant_must_be_said(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("one", "two")
    found = [{"id": COLLECTION[:-1] + name} for name in names]
    server = serve(
        {
            "GET /subscriptions": listing({"subscriptionId": "s"}),
            "GET /providers/Microsoft.Scheduler/jobCollections": listing(*found),
            "GET /two/jobs": listing(),
        }
    )
    monkeypatch.delenv("FOLIOT_COLLECTION")

    unsaid, said = run("job", "list"), run("job", "list", "-c", "TWO")
    other = run("job", "list", "-c", "three", "--group", "g")

    assert unsaid.exit_code == 2
    assert "--collection: is needed, there are 2: s/g/one, s/g/two." in unsaid.stderr
    assert said.exit_code == 0
    assert server.asked[-3].path.endswith("/two/jobs")
    assert other.exit_code == 3
    assert "there is no collection 'three'" in other.stderr


def test_collections_that_are_not_named_are_counted(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [{"id": f"{COLLECTION}{number}"} for number in range(8)]
    serve(
        {
            "GET /subscriptions": listing({"subscriptionId": "s"}),
            "GET /providers/Microsoft.Scheduler/jobCollections": listing(*found),
        }
    )
    monkeypatch.delenv("FOLIOT_COLLECTION")

    said = run("job", "list").stderr

    assert said.endswith("there are 8: s/g/c0, s/g/c1, s/g/c2, s/g/c3, s/g/c4 and 3 more.\n")


def test_a_collection_is_created_changed_enabled_and_deleted(serve: Serve) -> None:
    found = {"id": COLLECTION, "properties": {"state": "Enabled"}, "tags": {"team": "web"}}
    answers = {f"{method} /c": (200, found) for method in ("PATCH", "DELETE", "GET")}
    server = serve({**answers, "POST /c/disable": (200, {}), "PUT /new": (201, found)})

    refused = run("collection", "create", "s/g/c")
    created = run("collection", "create", "new", "--plan", "Free", "--location", "West Europe")
    changed = run("collection", "update", "--plan", "Standard", "--tag", "team=web")
    shown = run("collection", "show", "-o", "yaml")
    disabled = run("collection", "disable", "s/g/c")
    deleted = run("collection", "delete", "c", "--subscription", "s", "--group", "g", "-y")

    assert (refused.exit_code, created.exit_code) == (1, 0)
    assert "the collection s/g/c exists" in refused.stderr
    assert changed.stdout.splitlines()[-1] == "tags        team=web"
    assert "state: Enabled" in shown.stdout
    assert disabled.stdout == "Collection s/g/c is disabled.\n"
    assert deleted.stdout == "Collection s/g/c is deleted.\n"
    sent = {each.method: each for each in server.asked}
    assert sent["PUT"].path.startswith("/subscriptions/default/resourceGroups/default/")
    assert sent["PUT"].body == {
        "properties": {"sku": {"name": "Free"}},
        "location": "West Europe",
    }
    assert sent["PATCH"].body == {
        "properties": {"sku": {"name": "Standard"}},
        "tags": {"team": "web"},
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("collection", "update"), "nothing to change; give --plan or --tag."),
        (("collection", "update", "--tag", "web"), '--tag: "web" is not valid; give NAME=VALUE.'),
        (("collection", "create", "a/b"), 'NAME: "a/b" is not valid'),
        (("job", "create", "j", "--every", "1m"), "--url: is missing"),
        (("job", "create", "--url", "http://a"), "NAME: is missing"),
        (("job", "create", "a/b", "--url", "http://a"), 'NAME: "a/b" is not valid; give 1 to'),
        (("job", "create", "a b", "--url", "http://a"), 'NAME: "a b" is not valid; give 1 to'),
        (("calendar", "import", "a b.ics"), '--name: "a b" is not valid; give 1 to'),
        (("job", "update", "j"), "nothing to change; give an option or a file."),
        (("job", "create", "j", "--url", "http://a", "--password-file", "p"), "--password-file"),
        (("job", "run", "j", "--wait", "--at-most", "soon"), '--at-most: "soon" is not valid'),
        (("job", "list", "-c", "a/b"), '--collection: "a/b" is not valid'),
        (("job", "list", "--server", "ftp://a"), '--server: "ftp://a" is not valid'),
        (("login", "https://a", "--collection", "b"), '--collection: "b" is not valid'),
        (("login", "nowhere at all/"), "URL: "),
        (("failures", "--since", "soon"), '--since: "soon" is not valid'),
    ],
    ids=lambda each: " ".join(each)[:40] if isinstance(each, tuple) else "",
)
def test_a_command_that_cannot_be_understood_asks_nobody(
    serve: Serve, arguments: tuple[str, ...], message: str
) -> None:
    server = serve({})
    Path("a b.ics").write_text("BEGIN:VCALENDAR\nEND:VCALENDAR\n")

    result = run(*arguments)

    assert (result.exit_code, result.stdout, server.asked) == (2, "", [])
    assert message in result.stderr


def test_files_that_cannot_be_read_are_named(serve: Serve) -> None:
    server = serve({})

    result = run("job", "create", "-f", "none.yaml")

    assert (result.exit_code, server.asked) == (1, [])
    assert result.stderr == (
        "foliot job create: cannot read none.yaml: No such file or directory.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("job", "create", "-f", "binary"), "foliot job create: binary: "),
        (("job", "create", "j", "--url", "http://a", "--body", "@binary"), "--body: binary is not"),
        (("job", "test", "-f", "binary"), "foliot job test: binary: "),
        (("calendar", "import", "binary"), "foliot calendar import: binary: "),
        (("apply", "-f", "binary"), "foliot apply: binary: the text is not UTF-8"),
        (("diff", "-f", "wrong.yaml"), "foliot diff: wrong.yaml: collection: is missing"),
        (("diff", "-f", "none.yaml"), "foliot diff: cannot read none.yaml: "),
    ],
    ids=lambda each: " ".join(each)[:40] if isinstance(each, tuple) else "",
)
def test_a_file_that_cannot_be_used_has_one_code_whatever_is_wrong_with_it(
    serve: Serve, arguments: tuple[str, ...], message: str
) -> None:
    server = serve({})
    Path("binary").write_bytes(b"\xff")
    Path("wrong.yaml").write_text("jobs: {}")

    result = run(*arguments)

    assert (result.exit_code, result.stdout, server.asked) == (1, "", [])
    assert message in result.stderr


def test_a_job_signs_in_with_a_certificate_and_a_password_of_the_environment(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve({"GET /c": (200, {}), "PUT /jobs/j": (201, {"name": "c/j"})})
    monkeypatch.setenv("FOLIOT_JOB_PASSWORD", "hunter2")
    Path("client.pfx").write_bytes(b"pfx")
    Path("body.json").write_text("{}")
    what = ("--url", "https://a", "--cert", "client.pfx", "--body", "@body.json")

    result = run("job", "create", "j", *what)

    assert result.exit_code == 0
    (sent,) = [each for each in server.asked if each.method == "PUT"]
    assert sent.body["properties"]["action"]["request"] == {
        "uri": "https://a",
        "body": "{}",
        "method": "POST",
        "authentication": {"type": "ClientCertificate", "pfx": "cGZ4", "password": "hunter2"},
    }


def test_an_update_sends_what_it_removes_as_null(serve: Serve) -> None:
    server = serve({"PATCH /jobs/j": (200, {"name": "c/j"})})
    Path("job.yaml").write_text("recurrence: {frequency: day, count: 3}\n")

    run("job", "update", "j", "-f", "job.yaml", "--cron", "* * * * *")

    assert server.asked[0].body["properties"]["recurrence"] == {
        "frequency": None,
        "interval": None,
        "schedule": None,
        "count": 3,
        "cron": "* * * * *",
    }


def test_next_runs_are_printed_for_people_and_for_scripts(serve: Serve) -> None:
    status = {"nextExecutionTime": "2030-03-01T00:00:00.25Z", "executionCount": 1}
    rule = {"frequency": "day", "interval": 1, "count": 3}
    job = {"name": "c/j", "properties": {"recurrence": rule, "status": status}}
    serve({"GET /jobs/j": (200, job), "PATCH /jobs/j": (200, job), "POST /jobs/j/run": (200, {})})

    people = run("job", "next", "j")
    scripts = run("job", "next", "j", "-o", "jsonl", "--count", "1")
    enabled = run("job", "enable", "j")
    started = run("job", "run", "j")

    # Two of three are left.
    assert people.stdout.split() == ["2030-03-01T00:00:00Z", "2030-03-02T00:00:00Z"]
    assert json.loads(scripts.stdout) == {"plannedAt": "2030-03-01T00:00:00.25Z"}
    assert enabled.stdout == "Job j is enabled.\n"
    assert started.stdout == "Job j is started.\n"


def test_all_jobs_are_exported_as_a_list(serve: Serve) -> None:
    jobs = [{"name": f"c/{name}", "id": "x", "properties": {"state": "on"}} for name in "ab"]
    serve({"GET /jobs": listing(*jobs)})

    exported = run("job", "export")

    assert exported.stdout == (
        "- name: a\n  properties:\n    state: 'on'\n- name: b\n  properties:\n    state: 'on'\n"
    )


def run_of(name: str, **properties: Any) -> dict[str, Any]:
    return {"id": f"{JOB}/runs/{name}", "name": f"c/j/{name}", "properties": properties}


def test_runs_of_all_subscriptions_come_in_one_order(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = run_of("old", outcome="failed", endTime="2026-03-01T00:00:00Z", plannedAt="nonsense")
    new = run_of("new", outcome="failed", endTime="2026-03-02T00:00:00Z")
    still = run_of("still", outcome="running", plannedAt="2026-02-01T00:00:00Z")
    skipped = run_of(
        "no", outcome="skipped", skipped={"to": "2026-03-01T12:00:00Z"}, message="Down"
    )
    server = serve(
        {
            "GET /subscriptions": listing({"subscriptionId": "s"}, {"subscriptionId": "t"}),
            "GET /s/providers/Microsoft.Scheduler/runs": listing(old, skipped),
            "GET /t/providers/Microsoft.Scheduler/runs": listing(still, new),
            "GET /jobCollections/c/runs": listing(old),
        }
    )

    one = run("runs", "--host", "a", "-o", "jsonl")
    monkeypatch.delenv("FOLIOT_COLLECTION")
    all_of_them = run("runs", "-o", "jsonl", "--limit", "3")

    assert json.loads(one.stdout)["name"] == "c/j/old"
    assert server.asked[0].query["host"] == "a"
    names = [json.loads(line)["name"] for line in all_of_them.stdout.splitlines()]
    assert names == ["c/j/still", "c/j/new", "c/j/no"]


def test_a_run_that_does_not_end_in_time_has_a_code_of_its_own(serve: Serve) -> None:
    server = serve({"POST /jobs/j/run": (200, {})})
    planned = "2026-03-01T00:00:00Z"
    waiting = run_of("new", outcome="waiting", plannedAt=planned, tag="9f1c0d5e")
    prepared = server.answer

    def answer(asked: Any) -> tuple[int, Any]:
        has_started = any(each.method == "POST" for each in server.asked)
        found = prepared(asked)
        return listing(*([waiting] if has_started else [])) if asked.method == "GET" else found

    server.answer = answer  # type: ignore[method-assign]

    result = run("job", "run", "j", "--wait", "--at-most", "0s")

    assert (result.exit_code, result.stdout) == (7, "")
    assert result.stderr == (
        "foliot job run: the run 9f1c0d5e of j has not ended within less than a second "
        "and goes on: `foliot runs --job j` shows it, `foliot job cancel j 9f1c0d5e` ends it.\n"
    )


def test_a_profile_that_is_damaged_is_named(serve: Serve, tmp_path: Path) -> None:
    serve({})
    profile = tmp_path / "config" / "foliot" / "profile.json"
    profile.parent.mkdir(parents=True)
    profile.touch(0o600)
    profile.write_text("{}")

    damaged = run("job", "list")
    profile.unlink()
    profile.mkdir()
    profile.chmod(0o700)
    unreadable = run("job", "list")

    assert f"{profile}: names no server" in damaged.stderr
    assert f"cannot read {profile}: Is a directory." in unreadable.stderr


def test_a_profile_names_the_collection_too(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve({"GET /subscriptions": listing(), "GET /saved/jobs": listing()})
    monkeypatch.delenv("FOLIOT_COLLECTION")

    login = run("login", server.url, "--collection", "s/g/saved", "--ca", "ca.pem")
    monkeypatch.delenv("FOLIOT_SERVER")
    monkeypatch.delenv("FOLIOT_TOKEN")
    listed = run("job", "list")
    (tmp_path / "config" / "foliot" / "profile.json").unlink()
    (tmp_path / "config" / "foliot").rmdir()
    (tmp_path / "config" / "foliot").touch()
    monkeypatch.setenv("FOLIOT_TOKEN", "t" * 40)
    unsaved = run("login", server.url)

    assert (login.exit_code, listed.exit_code) == (0, 0)
    assert server.asked[1].path.endswith("/saved/jobs")
    assert server.tokens == {f"Bearer {'t' * 40}"}
    assert unsaved.exit_code == 1
    assert "cannot write" in unsaved.stderr or "cannot read" in unsaved.stderr


def entry(name: str) -> dict[str, Any]:
    return {"name": f"c/j/{name}", "properties": {"status": "completed", "message": name}}


@pytest.mark.parametrize("options", [(), ("-o", "yaml")], ids=["for people", "for scripts"])
def test_a_followed_history_goes_on_until_the_job_is_gone_and_misses_nothing(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setattr("foliot.cli.remote.waiting._BETWEEN_QUESTIONS", 0)
    server = serve({})
    # The entry of an attempt that took long stands behind those that ended before it.
    pages = [
        listing(*map(entry, ("c", "b", "a"))),
        (503, {"error": {"message": "Restarting."}}),
        listing(*map(entry, ("d", "c", "late", "b", "a"))),
        (404, {"error": {"message": "Gone."}}),
    ]
    answers = iter(pages)
    server.answer = lambda asked: server.asked.append(asked) or next(answers)  # type: ignore[method-assign]

    result = run("job", "history", "j", "--follow", "--limit", "2", *options)

    lines = [line for line in result.stdout.splitlines() if not line.startswith("STARTED")]
    names = [json.loads(line)["name"][4:] if options else line.split()[-1] for line in lines]
    assert names == ["b", "c", "late", "d"]
    assert (result.exit_code, result.stderr) == (3, "foliot job history: Gone.\n")


def test_values_that_a_later_version_may_have_are_shown_as_they_are(serve: Serve) -> None:
    job = {"name": "c/j", "properties": {"status": {"nextExecutionTime": "soon"}}}
    message = {"name": "c/k", "properties": {"action": {"type": "http"}}}
    serve({"GET /jobs": listing(job, message), "POST /enable": (200, {})})

    listed, enabled = (
        run("job", "list").stdout.splitlines(),
        run("collection", "enable", "-o", "json"),
    )

    assert listed[1].split() == ["j", "soon", "-"]
    assert listed[2].split() == ["k", "-", "-", "http"]
    assert (enabled.exit_code, enabled.stdout) == (0, "")


def test_the_reason_of_a_failure_is_shown_with_its_status(serve: Serve) -> None:
    failed = run_of("r", outcome="failed", reason="HttpStatus", statusCode=500, host="a")
    serve({"GET /c/runs": listing(failed), "GET /jobs/j/runs": listing(failed)})

    lines = run("failures", "--since", "1h", "--until", "now").stdout.splitlines()

    assert "HttpStatus 500  a" in lines[1]


def test_a_history_that_is_followed_is_aligned_and_each_entry_is_a_line(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foliot.cli.remote.waiting._BETWEEN_QUESTIONS", 0)
    properties = {"startTime": "2026-03-01T09:00:00Z", "status": "failed", "retryCount": 0}
    found = {"name": "c/j/a", "properties": {**properties, "message": "one\r\ntwo"}}
    server = serve({})
    answers = iter([listing(found), (404, {"error": {"message": "Gone."}})])
    server.answer = lambda _: next(answers)  # type: ignore[method-assign]

    head, line = run("job", "history", "j", "--follow").stdout.splitlines()

    assert line.split() == ["2026-03-01T09:00:00Z", "-", "failed", "0", "one", "two"]
    assert head.index("STATUS") == line.index("failed")
    assert head.index("MESSAGE") == line.index("one two")


def test_a_server_that_is_restarted_while_a_run_is_waited_for_is_asked_again(serve: Serve) -> None:
    server = serve({})
    ended = {"name": "c/j/1", "properties": {"outcome": "succeeded", "plannedAt": "2026-03-01"}}
    away = (502, "<html>no upstream</html>")
    answers = iter([listing(), (200, None), away, away, listing(ended)])
    server.answer = lambda _: next(answers)  # type: ignore[method-assign]

    result = run("job", "run", "j", "--wait")

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "outcome  succeeded\n"


def test_a_server_that_stays_away_ends_the_waiting_with_what_to_do(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foliot.cli.remote.waiting._LONGEST_AWAY", 0)
    server = serve({})
    answers = iter([listing(), (200, None), (503, {"error": {"message": "Restarting."}})])
    server.answer = lambda _: next(answers)  # type: ignore[method-assign]

    result = run("job", "run", "j", "--wait")

    assert result.exit_code == 5
    assert result.stderr == (
        f"foliot job run: {server.url} cannot answer now: Restarting. "
        "The run of j may go on: `foliot runs --job j` shows it.\n"
    )


@pytest.mark.parametrize("option", ["--count", "--pause-after"])
def test_a_number_that_would_mean_nothing_is_refused(serve: Serve, option: str) -> None:
    server = serve({})

    result = run("job", "create", "j", "--every", "1h", "--url", "http://a/", option, "0")

    assert (result.exit_code, server.asked) == (2, [])
