"""`foliot alert`, and alerts in `apply` and `export`, as processes against a real server."""

import json
import re
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.browser.targets import site
from tests.support.commands import Place, in_pipe
from tests.support.server import Server, running

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105  (a test's own)
SLACK = "https://hooks.slack.com/services/T0/B0/hush"
WEBHOOK = "https://hooks.example.com/oncall"
FILE = """\
collection: {subscription: me, group: home, name: files}
alerts:
  nightly:
    tags: {team: billing}
    when: {failed: {inARow: 2}, late: {by: PT5M}, expiring: {within: P14D}}
    sendTo:
      - {type: webhook, uri: "https://hooks.example.com/${env:PLACE}", secret: "${env:SIGNING}"}
      - {type: slack, uri: "${env:SLACK}"}
    quietHours: {from: "22:00", to: "07:00", timeZone: Europe/Prague}
  paused: {state: disabled, when: {paused: true}, sendTo: [{type: webhook, uri: "https://a.example/"}]}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    with running(tmp_path_factory.mktemp("server") / "foliot-data") as found:
        yield found


@pytest.fixture
def place(server: Server, tmp_path: Path) -> Place:
    assert server.token
    url = f"http://{server.host}:{server.port}"
    variables = {"PLACE": "oncall", "SIGNING": SECRET, "SLACK": SLACK}
    return Place(tmp_path, {"FOLIOT_SERVER": url, "FOLIOT_TOKEN": server.token, **variables})


def done(place: Place, *arguments: str, stdin: str | None = None) -> str:
    ended = in_pipe(place, *arguments, stdin=stdin)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert SECRET not in ended.stdout
    assert "hush" not in ended.stdout
    return ended.stdout


def in_collection(place: Place, name: str) -> Place:
    done(place, "collection", "create", f"me/home/{name}")
    return Place(place.directory, {**place.environ, "FOLIOT_COLLECTION": f"me/home/{name}"})


def test_an_alert_is_created_changed_listed_shown_and_deleted(place: Place) -> None:
    there = in_collection(place, "work")
    (place.directory / "secret").write_text(f"{SECRET}\n")
    (place.directory / "slack").write_text(f"{SLACK}\n")

    created = done(
        there,
        *("alert", "create", "nightly", "--failed", "2", "--late", "5m", "--no-success", "3"),
        *("--expiring", "14d", "--paused", "--webhook", WEBHOOK, "--secret-file", "secret"),
        *("--slack", "@slack", "--tag", "team=billing"),
        *("--quiet", "22:00-07:00", "--zone", "Europe/Prague"),
    )
    changed = done(
        there,
        *("alert", "update", "nightly", "--failed", "none", "--late", "10m", "-o", "json"),
    )
    listed = done(there, "alert", "list").splitlines()
    disabled = done(there, "alert", "disable", "nightly")
    shown = done(there, "alert", "show", "nightly")
    enabled = done(there, "alert", "enable", "nightly")
    as_yaml = done(there, "alert", "show", "nightly", "-o", "yaml")
    deleted = done(there, "alert", "delete", "nightly", "--yes")

    assert created.startswith("Alert nightly is created.\n")
    assert "failed 2 in a row, late by PT5M, no success for 3 intervals, expiring" in created
    assert re.search(r"sends to +webhook https://hooks\.example\.com\S* \(signed\)\n", created)
    assert json.loads(changed)["properties"]["when"] == {
        "late": {"by": "PT10M"},
        "noSuccess": {"intervals": 3},
        "paused": True,
        "expiring": {"within": "P14D"},
    }
    assert json.loads(changed)["properties"]["sendTo"] == [
        {"type": "webhook", "uri": WEBHOOK, "signed": True},
        {"type": "slack", "host": "hooks.slack.com"},
    ]
    assert re.match(r"nightly +enabled +late by PT10M", listed[1])
    assert "webhook hooks.example.com, slack hooks.slack.com" in listed[1]
    assert (disabled, enabled) == ("Alert nightly is disabled.\n", "Alert nightly is enabled.\n")
    assert re.search(r"state +disabled\n", shown)
    assert re.search(r"jobs +with team=billing\n", shown)
    assert re.search(r"quiet +22:00-07:00 Europe/Prague\n", shown)
    assert "host: hooks.slack.com" in as_yaml
    assert deleted == "Alert nightly is deleted.\n"


def test_what_is_shown_can_be_created_again_where_no_secret_is_missing(place: Place) -> None:
    there = in_collection(place, "copies")
    done(there, "alert", "create", "one", "--failed", "1", "--webhook", WEBHOOK)
    shown = done(there, "alert", "show", "one", "-o", "yaml")

    copied = done(there, "alert", "create", "two", "-f", "-", "-o", "json", stdin=shown)

    assert json.loads(copied)["properties"]["sendTo"] == [{"type": "webhook", "uri": WEBHOOK}]


BAD: dict[str, tuple[tuple[str, ...], int, str]] = {
    "no name": (("create", "--failed", "1"), 2, "NAME: is missing"),
    "no condition": (("create", "new", "--webhook", WEBHOOK), 2, "--failed: is missing"),
    "nobody to tell": (("create", "new", "--failed", "1"), 2, "--webhook: is missing"),
    "one that exists": (
        ("create", "there", "--failed", "1", "--webhook", WEBHOOK),
        1,
        "the alert there exists; `foliot alert update` changes it.",
    ),
    "nothing to change": (("update", "there"), 2, "nothing to change"),
    "one that is not there": (("update", "gone", "--failed", "1"), 3, "'gone' cannot be found"),
    "a bad value": (
        ("update", "there", "--failed", "101"),
        1,
        "properties.when.failed.inARow: 101 is not valid; give a whole number from 1 to 100.",
    ),
    "another host": (
        ("update", "there", "--webhook", "https://evil.example/"),
        1,
        "send the secret again",
    ),
}


def test_what_cannot_be_done_is_said_with_its_exit_code(place: Place) -> None:
    there = in_collection(place, "refusals")
    signing = Place(there.directory, {**there.environ, "FOLIOT_WEBHOOK_SECRET": SECRET})
    done(signing, "alert", "create", "there", "--failed", "1", "--webhook", WEBHOOK)

    for name, (arguments, code, message) in BAD.items():
        ended = in_pipe(there, "alert", *arguments)

        assert (name, ended.returncode, ended.stdout) == (name, code, "")
        assert message in ended.stderr


def test_a_test_prints_the_outcome_of_each_destination_and_its_exit_code(tmp_path: Path) -> None:
    with site() as target, running(tmp_path / "foliot-data", NO_ENGINE="0") as sending:
        assert sending.token
        url = f"http://{sending.host}:{sending.port}"
        variables = {"FOLIOT_SERVER": url, "FOLIOT_TOKEN": sending.token}
        there = in_collection(Place(tmp_path, variables), "tests")
        signing = Place(there.directory, {**there.environ, "FOLIOT_WEBHOOK_SECRET": SECRET})
        slack = ("--slack", "http://127.0.0.1:9/hush")
        done(signing, "alert", "create", "all", "--failed", "1", "--webhook", target, *slack)

        one = done(there, "alert", "test", "all", "--destination", "0")
        both = in_pipe(there, "alert", "test", "all", "--output", "json")
        refused = in_pipe(
            there, "alert", "create", "mail", "--failed", "1", "--email", "a@b.example"
        )

    assert re.search(r"webhook \S+ +succeeded +The destination accepted the message\.", one)
    assert both.returncode == 6
    assert [each["outcome"] for each in json.loads(both.stdout)] == ["succeeded", "failed"]
    assert "1 of 2 test messages did not arrive." in both.stderr
    assert "hush" not in both.stdout + both.stderr
    assert refused.returncode == 1
    assert "set FOLIOT_SMTP_HOST first" in refused.stderr


def test_a_server_that_runs_no_jobs_cannot_test(place: Place) -> None:
    there = in_collection(place, "idle")
    done(there, "alert", "create", "one", "--failed", "1", "--webhook", WEBHOOK)

    ended = in_pipe(there, "alert", "test", "one")

    assert (ended.returncode, ended.stdout) == (1, "")
    assert "ask a node that runs jobs" in ended.stderr


def test_alerts_in_files_are_applied_exported_and_applied_again(place: Place) -> None:
    (place.directory / "alerts.yaml").write_text(FILE)

    plan = in_pipe(place, "diff", "-f", "alerts.yaml")
    applied = done(place, "apply", "-f", "alerts.yaml", "--yes")
    again = done(place, "apply", "-f", "alerts.yaml", "--yes")
    exported = done(place, "export", "--collection", "me/home/files")
    names = {"ALERT_NIGHTLY_WEBHOOK_SECRET": SECRET, "ALERT_NIGHTLY_SLACK": SLACK}
    (place.directory / "exported.yaml").write_text(exported)
    there = Place(place.directory, {**place.environ, **names})

    assert (plan.returncode, plan.stderr) == (8, "")
    assert "  + alert nightly\n  + alert paused\n" in plan.stdout
    assert "3 to create" in applied
    assert again.startswith("Nothing to do: ")
    assert "${env:ALERT_NIGHTLY_SLACK}" in exported
    assert "${env:ALERT_NIGHTLY_WEBHOOK_SECRET}" in exported
    assert done(there, "apply", "-f", "exported.yaml", "--yes").startswith("Nothing to do: ")


def test_a_changed_alert_is_told_field_by_field_without_secrets(place: Place) -> None:
    (place.directory / "alerts.yaml").write_text(FILE.replace("name: files", "name: changed"))
    done(place, "apply", "-f", "alerts.yaml", "--yes")
    moved = Place(place.directory, {**place.environ, "PLACE": "moved-hush"})

    plan = in_pipe(moved, "diff", "-f", "alerts.yaml", "-o", "json")
    applied = done(moved, "apply", "-f", "alerts.yaml", "--yes")
    pruned = FILE.replace("name: files", "name: changed").partition("  paused:")[0]
    (place.directory / "alerts.yaml").write_text(pruned)
    resent = done(moved, "apply", "-f", "alerts.yaml", "--yes", "--prune", "--resend-secrets")

    (change,) = json.loads(plan.stdout)
    assert (change["alert"], change["change"]) == ("nightly", "change")
    (field,) = change["fields"]
    assert field["new"][0]["uri"] == "https://hooks.example.com/${env:PLACE}"
    assert field["old"][0]["uri"] == "https://hooks.example.com/oncall"
    assert "moved-hush" not in plan.stdout
    assert "secrets are sent again" in applied
    assert "  ~ alert nightly\n      secrets are sent again; nothing else changes\n" in resent
    assert "  - alert paused\n" in resent


WRONG: dict[str, tuple[str, str]] = {
    "a name": ("1st: {when: {paused: true}, sendTo: [{type: slack, uri: '${env:SLACK}'}]}", "1st"),
    "a value": (
        "a: {when: {failed: {inARow: 0}}, sendTo: [{type: slack, uri: '${env:SLACK}'}]}",
        "alerts.yaml, alert a: when.failed.inARow: 0 is not valid; give a whole number from 1",
    ),
    "a secret": (
        "a: {when: {paused: true}, sendTo: [{type: slack, uri: '${env:PLACE}'}]}",
        "alerts.yaml, alert a: sendTo[0].uri: what ${env:PLACE} stands for is not valid; give one",
    ),
    "a variable": (
        "a: {when: {paused: true}, sendTo: [{type: slack, uri: '${env:NOT_SET}'}]}",
        "alert a: sendTo[0].uri: ${env:NOT_SET} has no value, set the variable NOT_SET",
    ),
    "an address": (
        "a: {when: {paused: true}, sendTo: [{type: slack}]}",
        "alerts.yaml, alert a: sendTo[0].uri: is missing; give an address",
    ),
}


def test_a_wrong_alert_in_a_file_is_refused_with_its_place_and_changes_nothing(
    place: Place,
) -> None:
    for name, (text, message) in WRONG.items():
        (place.directory / "alerts.yaml").write_text(
            f"collection: {{subscription: me, group: home, name: never}}\nalerts:\n  {text}\n"
        )

        ended = in_pipe(place, "apply", "-f", "alerts.yaml", "--yes")

        assert (name, ended.returncode) == (name, 1)
        assert message in ended.stderr
    assert "never" not in done(place, "collection", "list")
