"""`foliot apply`, `diff` and `export` as processes against a server: plans, refusals, secrets."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from tests.support.applied_files import answered, documents_in
from tests.support.certificates import a_pfx
from tests.support.commands import Place, in_pipe, on_terminal
from tests.support.server import Server, running

START = "2020-01-01T00:00:00Z"
TOKEN = "hidden-token-0123456789"  # noqa: S105  (no real one)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    with running(tmp_path_factory.mktemp("server") / "foliot-data") as found:
        yield found


@pytest.fixture
def place(server: Server, tmp_path: Path, request: pytest.FixtureRequest) -> Place:
    """Return an empty directory; the subscription of its files is named after the test."""
    assert server.token
    url = f"http://{server.host}:{server.port}"
    subscription = f"s{crc32(request.node.name.encode())}"
    environ = {"FOLIOT_SERVER": url, "FOLIOT_TOKEN": server.token, "SUBSCRIPTION": subscription}
    return Place(tmp_path, environ)


def subscription_of(place: Place) -> str:
    return place.environ["SUBSCRIPTION"]


def job(uri: str = "https://example.com/", **more: Any) -> dict[str, Any]:
    request = {"uri": uri, "method": "GET", **more.pop("request", {})}
    action = {"type": "https", "request": request}
    return {"startTime": START, "recurrence": {"frequency": "day"}, "action": action} | more


def write(place: Place, jobs: Any, name: str = "jobs.json", **sections: Any) -> None:
    key = {"subscription": subscription_of(place), "group": "g", "name": "c"}
    collection = key | sections.pop("collection", {})
    text = json.dumps({"collection": collection, "jobs": jobs, **sections})
    (place.directory / name).write_text(text)


def run(place: Place, *arguments: str, code: int = 0) -> str:
    ended = in_pipe(place, *arguments)
    assert (ended.returncode, ended.stderr) == (code, "")
    return ended.stdout


def refused(place: Place, *arguments: str, code: int = 2) -> str:
    before = answered(place, subscription_of(place))
    ended = in_pipe(place, *arguments)
    assert ended.returncode == code, ended.stderr
    assert ended.stderr.count("\n") == 1
    assert answered(place, subscription_of(place)) == before
    return ended.stderr


def test_a_plan_shows_fields_and_next_runs_and_nothing_is_done_until_it_is_confirmed(
    place: Place,
) -> None:
    write(place, {"a": job(), "b": job()})
    run(place, "apply", "-f", "jobs.json", "--yes")
    moved = job(recurrence={"cron": "30 7 * * *", "timeZone": "Europe/Prague"})
    write(place, {"a": moved, "b": job(), "c": job(state="disabled")})

    compared = run(place, "diff", "-f", "jobs.json", code=8)
    unconfirmed = refused(place, "apply", "-f", "jobs.json")
    tried = run(place, "apply", "-f", "jobs.json", "--dry-run")
    code, shown = on_terminal(place, "apply", "-f", "jobs.json", typed={"[y/N]": "n"})
    as_json = json.loads(run(place, "diff", "-f", "jobs.json", "-o", "json", code=8))
    still = run(place, "diff", "-f", "jobs.json", code=8)
    agreed, _ = on_terminal(place, "apply", "-f", "jobs.json", typed={"[y/N]": "y"})

    lines = compared.splitlines()
    assert lines[1:5] == [
        "  ~ job a",
        '      recurrence.frequency: "day" -> (absent)',
        "      recurrence.interval: 1 -> (absent)",
        '      recurrence.timeZone: (absent) -> "Europe/Prague"',
    ]
    assert lines[5] == '      recurrence.cron: (absent) -> "30 7 * * *"'
    assert [line.split(":")[0] for line in lines if "next runs" in line] == ["      next runs"] * 2
    assert lines[-3:] == [
        "  + job c",
        "      next runs: it is disabled",
        "1 to create, 1 to change; 1 job is as in the files.",
    ]
    assert unconfirmed == "foliot apply: --yes: is needed where nobody can be asked.\n"
    assert tried == still == compared
    assert (code, "Make these changes?" in shown, "nothing was changed" in shown) == (1, True, True)
    assert [each["change"] for each in as_json] == ["change", "create"]
    assert len(as_json[0]["nextRuns"]) == len(as_json[0]["nextRunsBefore"]) == 3
    assert agreed == 0
    assert run(place, "diff", "-f", "jobs.json").startswith("Nothing to do: 3 jobs")


def test_other_notations_of_the_same_job_are_no_change(place: Place) -> None:
    write(place, {"a": job(policy={"timeout": "PT60S"})})
    run(place, "apply", "-f", "jobs.json", "--yes")
    same = job(
        "https://example.com/", policy={"Timeout": "PT1M"}, StartTime="2020-01-01T01:00+01:00"
    )
    same.pop("startTime")
    same["action"]["type"] = "HTTPS"
    write(place, {"A": same})

    assert run(place, "diff", "-f", "jobs.json") == "Nothing to do: 1 job is as in the files.\n"


def test_the_answer_of_the_api_is_a_file_of_the_same_job(place: Place) -> None:
    write(place, {"a": job(description="first")})
    run(place, "apply", "-f", "jobs.json", "--yes")
    (found,) = answered(place, subscription_of(place)).jobs.values()

    write(place, {"a": found})
    assert run(place, "diff", "-f", "jobs.json") == "Nothing to do: 1 job is as in the files.\n"
    write(place, {"a": found | {"properties": found["properties"] | {"description": "second"}}})
    assert "first" in run(place, "apply", "-f", "jobs.json", "--yes")


def test_what_is_not_in_the_files_stays_unless_it_is_pruned(place: Place) -> None:
    calendars = {"days": {"dates": ["2030-01-01"]}, "old": {"dates": ["2030-01-02"]}}
    write(place, {"a": job(), "b": job(), "c": job()}, calendars=calendars)
    run(place, "apply", "-f", "jobs.json", "--yes")
    write(place, {"a": job()}, calendars={"days": calendars["days"]})

    kept = run(place, "apply", "-f", "jobs.json", "--yes")
    still = answered(place, subscription_of(place))
    pruned = run(place, "apply", "-f", "jobs.json", "--prune", "--yes")
    left = answered(place, subscription_of(place))

    assert "    2 jobs are not in the files, and stay; --prune deletes them\n" in kept
    assert (len(still.jobs), len(still.calendars)) == (3, 2)
    assert "  - calendar old\n  - job b\n  - job c\n3 to delete; 1 job is" in pruned
    assert (len(left.jobs), len(left.calendars)) == (1, 1)


def test_a_section_that_no_file_has_is_not_pruned(place: Place) -> None:
    write(place, {"a": job()}, calendars={"days": {"dates": ["2030-01-01"]}})
    run(place, "apply", "-f", "jobs.json", "--yes")
    text = json.loads((place.directory / "jobs.json").read_text())
    (place.directory / "jobs.json").write_text(json.dumps({"collection": text["collection"]}))

    assert run(place, "diff", "-f", "jobs.json", "--prune").startswith(" ")
    assert len(answered(place, subscription_of(place)).jobs) == 1


def test_one_job_that_the_server_refuses_keeps_all_others_from_being_saved(place: Place) -> None:
    write(place, {"a": job(), "b": job()}, collection={"quota": {"maxJobCount": 2}})
    run(place, "apply", "-f", "jobs.json", "--yes")
    write(place, {"a": job("https://example.com/new"), "b": job(), "c": job()})

    message = refused(place, "apply", "-f", "jobs.json", "--yes", code=1)

    assert message.startswith("foliot apply: c, jobs: ")
    assert "cannot take one more: its quota maxJobCount is 2" in message


def test_a_full_collection_replaces_its_jobs_at_once(place: Place) -> None:
    quota = {"quota": {"maxJobCount": 2}}
    write(place, {"a": job(), "b": job()}, collection=quota)
    run(place, "apply", "-f", "jobs.json", "--yes")
    write(place, {"c": job(), "d": job()}, collection=quota)

    run(place, "apply", "-f", "jobs.json", "--prune", "--yes")

    found = answered(place, subscription_of(place))
    assert [each.rpartition("/")[2] for each in found.jobs] == ["c", "d"]


def test_more_than_the_server_takes_at_once_is_refused_as_a_whole(place: Place) -> None:
    large = {f"j{number}": job(request={"body": "x" * 7000}) for number in range(700)}
    write(place, large, collection={"sku": {"name": "P20Premium"}})

    message = refused(place, "apply", "-f", "jobs.json", "--yes", code=1)

    assert "its changes are more than the server takes at once, and none is made" in message


def test_more_jobs_than_a_plan_allows_are_refused_before_anything_is_changed(
    place: Place,
) -> None:
    jobs = {f"j{number}": job() for number in range(1001)}
    write(place, jobs, collection={"sku": {"name": "P20Premium"}})

    tried = refused(place, "apply", "-f", "jobs.json", "--dry-run", code=1)
    message = refused(place, "apply", "-f", "jobs.json", "--yes", code=1)

    assert tried == message
    assert "cannot take 1001 more: the plan P20Premium allows 1000" in message


def test_attributes_of_a_collection_change_only_if_a_file_names_them(place: Place) -> None:
    tags = {"team": "billing", "[x]": "[concat('a')]"}
    write(place, {}, collection={"tags": tags, "sku": {"name": "P20Premium"}})
    run(place, "apply", "-f", "jobs.json", "--yes")
    write(place, {}, collection={"sku": {"name": "p20premium"}})
    same = run(place, "diff", "-f", "jobs.json")
    write(place, {}, collection={"tags": None, "state": "Disabled"})

    changed = run(place, "apply", "-f", "jobs.json", "--yes")

    assert same.startswith("Nothing to do")
    assert 'tags.team: "billing" -> (absent)' in changed
    (found,) = answered(place, subscription_of(place)).collections.values()
    assert "tags" not in found
    assert found["properties"] == {"sku": {"name": "P20Premium"}, "state": "Disabled"}


def secret_job(password: str) -> dict[str, Any]:
    basic = {"type": "Basic", "username": "robot", "password": password}
    headers = {"X-Pin": "pin ${env:TOKEN}", "X-Text": "[$${env:HOME}]"}
    return job(request={"authentication": basic, "headers": headers})


def test_secrets_reach_the_server_and_nothing_that_is_printed(place: Place) -> None:
    (place.directory / "password.txt").write_text("hidden-password\n")
    place = Place(place.directory, {**place.environ, "TOKEN": TOKEN})
    write(place, {"a": secret_job("${file:password.txt}"), "b": job("https://x.io")})

    applied = run(place, "apply", "-f", "jobs.json", "--yes")
    again = run(place, "apply", "-f", "jobs.json", "--yes")
    resent = run(place, "apply", "-f", "jobs.json", "--resend-secrets", "--yes")
    other = Place(place.directory, {**place.environ, "TOKEN": "hidden-other"})
    rotated = run(other, "apply", "-f", "jobs.json", "--yes")

    printed = applied + again + resent + rotated
    assert "hidden-" not in printed
    assert again == "Nothing to do: 2 jobs are as in the files.\n"
    assert "  ~ job a\n      secrets are sent again; nothing else changes\n1 to change;" in resent
    assert 'headers.X-Pin: "(not shown)" -> "pin ${env:TOKEN}"' in rotated
    found = answered(place, subscription_of(place)).jobs
    (request,) = [
        each["properties"]["action"]["request"] for path, each in found.items() if path[-1] == "a"
    ]
    assert request["headers"] == {"X-Pin": "pin hidden-other", "X-Text": "[${env:HOME}]"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(
            {"request": {"body": "${env:NOT_SET}"}},
            "jobs.json, job a: action.request.body: ${env:NOT_SET} has no value, "
            "set the variable NOT_SET.",
            id="no variable",
        ),
        pytest.param(
            {"request": {"body": "${file:no.txt}"}},
            "jobs.json, job a: action.request.body: ${file:no.txt} has no value, "
            "the file no.txt cannot be read.",
            id="no file",
        ),
        pytest.param(
            {"request": {"body": "${env:NOT"}},
            "jobs.json, job a: action.request.body: has a ${ that begins no placeholder; "
            "write ${env:NAME} or ${file:PATH}, or $${ for a plain ${.",
            id="open placeholder",
        ),
        pytest.param(
            {"request": {"headers": {"X-Token": "${NOT_SET}"}}},
            "jobs.json, job a: action.request.headers.X-Token: has a ${ that begins no placeholder",
            id="a placeholder of another kind",
        ),
        pytest.param(
            {"recurrence": {"cron": "${env:LONG}"}},
            "jobs.json, job a: recurrence.cron: what ${env:LONG} stands for is not valid",
            id="a secret in a wrong place",
        ),
        pytest.param(
            {"recurrence": {"frequency": "fortnight"}},
            "jobs.json, job a: recurrence.frequency: ",
            id="a wrong word",
        ),
        pytest.param(
            {"recurrence": {"frequency": "day", "exclude": {"calendars": ["none"]}}},
            "jobs.json, job a: recurrence.exclude.calendars[0]: ",
            id="no calendar",
        ),
        pytest.param(
            {"recurrence": {"frequency": "day", "endTime": "2021-01-01T00:00:00Z"}},
            "jobs.json, job a: recurrence.endTime: ",
            id="an end in the past",
        ),
    ],
)
def test_a_wrong_job_is_named_with_its_file_and_path_before_anything_changes(
    place: Place, change: Any, message: str
) -> None:
    place = Place(place.directory, {**place.environ, "LONG": "hidden-" * 30})
    write(place, {"good": job(), "a": job(**change)})

    said = refused(place, "apply", "-f", "jobs.json", "--yes", code=1)

    assert said.startswith(f"foliot apply: {message}")
    assert "hidden-" not in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("{", "files/x.yaml: ", id="half of JSON"),
        pytest.param("jobs: {}", "files/x.yaml: collection: is missing", id="no collection"),
        pytest.param(
            "collection: {subscription: 1, group: g, name: c}",
            "files/x.yaml: collection.subscription: 1 is not valid",
            id="a number",
        ),
        pytest.param(
            "collection: {subscription: s, group: g, name: c}\njob: {}",
            'files/x.yaml: has the name "job"; known are',
            id="a section",
        ),
        pytest.param(
            "collection: {subscription: s, group: g, name: c}\njobs: {a: {}, A: {}}",
            "files/x.yaml: jobs.A: is there twice",
            id="twins",
        ),
        pytest.param(
            "collection: {subscription: s, group: g, name: c}\njobs: {a/b: {}}",
            "files/x.yaml: jobs.a/b: ",
            id="a name",
        ),
        pytest.param("a: &a [*a]", "files/x.yaml: the alias", id="alias of itself"),
        pytest.param("", "--file: the files have no documents", id="empty"),
    ],
)
def test_a_bad_file_is_refused_in_a_line(place: Place, text: str, message: str) -> None:
    (place.directory / "files").mkdir()
    (place.directory / "files" / "x.yaml").write_text(text)

    assert refused(place, "apply", "-f", "files", code=1).startswith(f"foliot apply: {message}")


def test_files_that_are_not_there_are_refused(place: Place) -> None:
    (place.directory / "empty").mkdir()

    assert "cannot read no.yaml" in refused(place, "apply", "-f", "no.yaml", code=1)
    assert "empty has no files" in refused(place, "apply", "-f", "empty", code=1)
    assert "--file: is missing" in refused(place, "apply")


def test_standard_input_is_a_file_and_a_file_of_a_placeholder_is_text(place: Place) -> None:
    (place.directory / "bytes").write_bytes(b"\xff\xfe")
    write(place, {"a": job(request={"headers": {"A": "${file:bytes}"}})})

    said = refused(place, "apply", "-f", "jobs.json", code=1)
    write(place, {"a": job()})
    ended = in_pipe(
        place, "apply", "-f", "-", "-y", stdin=(place.directory / "jobs.json").read_text()
    )

    assert "jobs.json, job a: ${file:bytes} is not UTF-8 text; give a certificate in base64" in said
    assert ended.returncode == 0
    assert run(place, "diff", "-f", "jobs.json", "-f", "./jobs.json").startswith("Nothing to do: 1")


def test_a_job_that_was_disabled_on_the_server_is_enabled_again_and_the_plan_says_so(
    place: Place,
) -> None:
    write(place, {"a": job()})
    run(place, "apply", "-f", "jobs.json", "--yes")
    run(place, "job", "disable", "a", "--collection", f"{subscription_of(place)}/g/c")

    enabled = run(place, "apply", "-f", "jobs.json", "--yes")
    write(place, {"a": job(state="Disabled")})
    disabled = run(place, "apply", "-f", "jobs.json", "--yes")

    assert '      state: "disabled" -> "enabled"\n      next runs: none\n' in enabled
    assert '      state: "enabled" -> "disabled"\n' in disabled
    assert "             ->  none\n" in disabled


def test_an_export_that_cannot_be_made_is_refused(place: Place) -> None:
    write(place, {})
    run(place, "apply", "-f", "jobs.json", "--yes")
    one = ("--collection", f"{subscription_of(place)}/g/c")
    none = ("--collection", f"{subscription_of(place)}/g/none")

    assert "--format: " in refused(place, "export", "--format", "xml")
    assert "cannot write no/x.yaml" in refused(place, "export", *one, "-o", "no/x.yaml", code=1)
    assert "cannot make jobs.json" in refused(place, "export", *one, "-o", "jobs.json/", code=1)
    assert "was not found" in refused(place, "export", *none, code=3)


def test_documents_of_one_collection_in_several_files_are_joined(place: Place) -> None:
    write(place, {"a": job()}, "one.json", collection={"tags": {"x": "y"}})
    write(place, {"b": job()}, "two.json")

    run(place, "apply", "-f", ".", "--yes")
    write(place, {"b": job(), "A": job()}, "two.json")

    assert len(answered(place, subscription_of(place)).jobs) == 2
    assert "two.json: jobs.A: is there twice" in refused(place, "diff", "-f", ".", code=1)


def test_an_export_as_a_template_deploys_the_same_jobs(server: Server, place: Place) -> None:
    certificate = a_pfx(password="hidden-pass")  # noqa: S106  (no real one)
    signed_in = {"type": "ClientCertificate", "pfx": "${env:PFX}", "password": "hidden-pass"}
    place = Place(place.directory, {**place.environ, "TOKEN": TOKEN, "PFX": certificate.text})
    jobs = {
        "a": secret_job("hidden-password"),
        "b": job(
            request={"authentication": signed_in, "body": "[concat('it''s')]"}, state="disabled"
        ),
        "c": job("https://example.com/?code=hidden-it's&a=b", description="[x]"),
    }
    write(place, jobs, collection={"tags": {"[x]": "[y]"}})
    run(place, "apply", "-f", "jobs.json", "--yes")
    before = answered(place, subscription_of(place))

    name = ("--collection", f"{subscription_of(place)}/g/c")
    template = json.loads(run(place, "export", *name, "--format", "template"))
    run(place, "export", *name, "-o", "jobs.yaml")
    copy = f"{subscription_of(place)}-copy"
    values = {
        "A_PASSWORD": "hidden-password",
        "B_PFX": certificate.text,
        "B_PASSWORD": "hidden-pass",
        "C_CODE": "hidden-it's",
    }
    parameters = {each: {"value": value} for each, value in values.items()}
    body = {"properties": {"mode": "Incremental", "template": template, "parameters": parameters}}
    group = f"/subscriptions/{copy}/resourceGroups/g/providers"
    path = f"{group}/Microsoft.Resources/deployments/copied"
    assert server.call("PUT", path, token=server.token, body=body).status == 201

    assert set(template["parameters"]) == set(values)
    assert "hidden-" not in json.dumps(template).replace(TOKEN, "")
    after = json.loads(json.dumps(answered(place, copy)).replace(copy, subscription_of(place)))
    assert after == json.loads(json.dumps(before))
    text = (place.directory / "jobs.yaml").read_text()
    assert text.startswith("# Set these variables before `foliot apply`:\n#   A_PASSWORD")
    (document,) = documents_in(text)
    assert document["jobs"]["c"]["action"]["request"]["uri"].endswith("code=${env:C_CODE}&a=b")
    again = Place(place.directory, {**place.environ, **values})
    as_json = in_pipe(place, "export", *name, "--format", "json", "-o", "again.json")
    assert as_json.stderr.startswith("# Set these variables")
    assert run(again, "diff", "-f", "again.json").startswith("Nothing to do: 3 jobs")
    assert run(again, "diff", "-f", "jobs.yaml").startswith("Nothing to do: 3 jobs")
