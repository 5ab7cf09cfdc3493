"""Plans: what differs, what of it is shown, and what is sent to the server."""

from typing import Any

import pytest
from msgspec import structs

from foliot.cli.files.apply_plan import carry_out, contents_of
from foliot.cli.files.current import ServerCollection, ServerJob
from foliot.cli.files.decoded_files import FileCollection, decode_collections
from foliot.cli.files.exported import document_of, exported_collection
from foliot.cli.files.masking import HiddenPlaces
from foliot.cli.files.plan import (
    ChangeKind,
    CollectionPlan,
    Comparing,
    PlanOptions,
    plan_collection,
)
from foliot.cli.files.plan_text import plan_json, plan_lines
from foliot.cli.files.templates_out import template_with
from foliot.client.calls import FoliotClient
from foliot.client.connection import Connection, ServerAddress
from foliot.client.errors import Refused, Unreachable
from foliot.client.job_documents import TextOfFile, read_collections
from foliot.client.placeholders import fill_placeholders
from foliot.core.errors import Invalid
from foliot.core.ids import CollectionKey
from foliot.core.instant import parse_instant
from foliot.core.yaml_text import write_yaml
from foliot.importers.exported_jobs import ExportedJob, VariableNames
from foliot.importers.hidden_text import SecretPart
from foliot.serve.progress import ProgressLine

KEY = CollectionKey("s", "g", "c")
NOW = parse_instant("2026-01-10T00:00:00Z")
ACTION: dict[str, Any] = {
    "type": "Https",
    "request": {"uri": "https://example.com/", "method": "GET"},
}
JOB: dict[str, Any] = {
    "startTime": "2026-01-01T00:00:00Z",
    "recurrence": {"frequency": "day", "interval": 1},
    "action": ACTION,
}
# Nobody listens there: a plan of new jobs and of jobs whose calendar stays asks nothing.
NOWHERE = FoliotClient(Connection(ServerAddress("http://127.0.0.1:1")))


def files(jobs: Any, **sections: Any) -> FileCollection:
    key = {"subscription": "s", "group": "g", "name": "c", **sections.pop("collection", {})}
    text = write_yaml([{"collection": key, "jobs": jobs, **sections}])
    (found,) = decode_collections(read_collections([TextOfFile("f.yaml", text.encode())]))
    return found


def server(**jobs: ServerJob) -> ServerCollection:
    attributes: Any = {"sku": {"name": "Standard"}, "state": "Enabled"}
    return ServerCollection(key=KEY, exists=True, attributes=attributes, calendars={}, jobs=jobs)


def plan(wanted: FileCollection, current: ServerCollection, **options: bool) -> CollectionPlan:
    comparing = Comparing(NOWHERE, PlanOptions(**options), NOW, ProgressLine(""))
    return plan_collection(comparing, wanted, current)


def test_a_field_of_which_only_a_secret_differs_says_so() -> None:
    def with_code(code: str) -> Any:
        request = {**ACTION["request"], "uri": f"https://example.com/?code={code}"}
        return {**JOB, "action": {**ACTION, "request": request}}

    found = plan(
        files({"job": with_code("new")}), server(job=ServerJob("job", "enabled", with_code("old")))
    )

    (line,) = [each for each in plan_lines([found]) if "uri" in each]
    assert line.endswith('?code=***" -> "https://example.com/?code=***" (a secret in it differs)')


def test_an_equal_job_is_unchanged_and_another_is_told_field_by_field() -> None:
    request = {**ACTION["request"], "headers": {"A": "1"}}
    stored: Any = {**JOB, "action": {**ACTION, "request": request}}
    wanted = files({"same": JOB, "other": JOB})
    same = ServerJob("same", "enabled", JOB)

    found = plan(wanted, server(same=same, other=ServerJob("other", "enabled", stored)))

    assert found.unchanged == 1
    (other,) = found.jobs
    assert (other.name, other.kind) == ("other", ChangeKind.CHANGE)
    assert [(each.path, each.old, each.new) for each in other.fields] == [
        ("action.request.headers.A", "1", None)
    ]


@pytest.mark.parametrize("state", ["completed", "faulted"])
def test_a_job_that_has_ended_is_neither_started_again_nor_pruned(state: str) -> None:
    ended = ServerJob("a", state, JOB)

    same = plan(files({"a": JOB}), server(a=ended))
    without = plan(files({}), server(a=ended), prune=True)

    assert same.jobs == []
    assert without.jobs == []


def test_a_job_whose_time_has_passed_is_told_to_run_at_once() -> None:
    once = {"startTime": "2026-01-01T00:00:00Z", "action": ACTION}

    lines = plan_lines([plan(files({"a": once}), server())])

    assert "      next runs: 2026-01-10T00:00:00Z (its time has passed: it runs at once)" in lines


def test_new_calendars_count_for_the_next_runs_of_new_jobs() -> None:
    job = {**JOB, "recurrence": {"frequency": "day", "exclude": {"calendars": ["Off"]}}}
    wanted = files({"a": job}, calendars={"off": {"dates": ["2026-01-11/2026-01-12"]}})

    found: Any = plan_json([plan(wanted, server())])

    assert found[0] == {
        "collection": "s/g/c",
        "calendar": "off",
        "change": "create",
        "added": ["2026-01-11/2026-01-12"],
        "removed": [],
    }
    days = [each[:10] for each in found[1]["nextRuns"]]
    assert days == ["2026-01-13", "2026-01-14", "2026-01-15"]


def test_all_changes_of_a_collection_are_one_body() -> None:
    calendars = {"old": ("Old", ()), "same": ("same", ())}
    current = structs.replace(
        server(a=ServerJob("a", "enabled", JOB), b=ServerJob("b", "enabled", JOB)),
        calendars=calendars,
        alerts={"x": ServerJob("x", "enabled", {"when": {"paused": True}, "sendTo": []})},
    )
    wanted = files(
        {"a": {**JOB, "description": "changed"}, "c": JOB},
        collection={"tags": {"team": "web"}},
        calendars={"same": {"dates": []}, "new": {"dates": ["2030-01-01"]}},
        alerts={"y": {"when": {"paused": True}, "sendTo": [{"type": "email", "to": ["a@b.c"]}]}},
    )

    body: Any = contents_of(plan(wanted, current, prune=True))

    assert body["collection"]["tags"] == {"team": "web"}
    assert body["calendars"] == {"new": {"properties": {"dates": ["2030-01-01"]}}}
    assert list(body["jobs"]) == ["a", "c"]
    assert body["jobs"]["a"]["properties"]["description"] == "changed"
    assert list(body["alerts"]) == ["y"]
    assert body["delete"] == {"calendars": ["Old"], "jobs": ["b"], "alerts": ["x"]}


def test_a_plan_without_a_new_collection_sends_what_changes_alone() -> None:
    current = server(a=ServerJob("a", "enabled", JOB))

    body = contents_of(plan(files({"a": JOB, "b": JOB}), current))

    assert body == {"jobs": {"b": {"properties": JOB}}}


def answering(code: str, message: str) -> Any:
    """Return a client whose server refuses all changes."""

    class Refusing(FoliotClient):
        def apply_contents(self, key: CollectionKey, body: Any) -> Any:  # noqa: ARG002
            raise Refused(message, code)

    return Refusing(Connection(ServerAddress("http://127.0.0.1:1")))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("jobs.a.properties.action: no.", "c, job a: action: no."),
        ("jobs.a-b.properties.action: no.", "c, job a-b: action: no."),
        ("jobs.a: no.", "c, job a: no."),
        ("jobs: too many.", "c, jobs: too many."),
        ("collection.properties.sku: no.", "c, collection c: sku: no."),
        ("delete.jobs[0]: no.", "c, job old: no."),
        ("something else", "something else"),
    ],
)
def test_a_refusal_names_what_it_is_about(said: str, told: str) -> None:
    found = plan(
        files({"a": JOB, "a-b": JOB}), server(old=ServerJob("old", "enabled", JOB)), prune=True
    )

    with pytest.raises(Refused) as refused:
        carry_out(answering("BadRequest", said), found)

    assert str(refused.value) == told


def test_a_refusal_has_no_value_of_a_placeholder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIN", "hidden-pin")
    request = {**ACTION["request"], "headers": {"X-Pin": "${env:PIN}"}}
    found = plan(files({"a": {**JOB, "action": {**ACTION, "request": request}}}), server())

    with pytest.raises(Refused) as refused:
        carry_out(answering("BadRequest", "jobs.a.properties: 'hidden-pin' is wrong."), found)

    assert str(refused.value) == "c, job a: '${env:PIN}' is wrong."


def test_changes_that_are_too_large_are_told_with_what_to_do() -> None:
    found = plan(files({"a": JOB}), server())

    with pytest.raises(Refused, match="s/g/c: its changes are more than the server takes at once"):
        carry_out(answering("RequestEntityTooLarge", "The body is larger."), found)


@pytest.mark.parametrize("name", ["1a", "a b", "a" * 200])
def test_a_new_job_needs_a_valid_name_and_an_old_one_keeps_its_own(name: str) -> None:
    wanted = files({name: JOB})
    stored = ServerJob(name, "enabled", JOB)

    with pytest.raises(Invalid, match=r"f\.yaml, job"):
        plan(wanted, server())
    assert plan(wanted, server(**{name.lower(): stored})).unchanged == 1


def places(properties: Any) -> HiddenPlaces:
    return HiddenPlaces.of(fill_placeholders(properties, lambda *_: "s3cret" * 30))


def test_a_refusal_about_a_secret_does_not_show_it_even_cut_short() -> None:
    hidden = places({"recurrence": {"cron": "${env:A}"}})
    cut = f'"{("s3cret" * 30)[:80]}..." is not valid; give five fields.'

    told = hidden.refusal(Invalid(("properties", "recurrence", "cron"), cut))
    around = hidden.refusal(Invalid(("properties", "recurrence"), cut))
    beside = hidden.refusal(Invalid(("properties", "startTime"), "x is not valid; give y."))

    assert told.problem == "what ${env:A} stands for is not valid; give five fields."
    assert "s3cret" not in str(around)
    assert beside.problem == "x is not valid; give y."


def test_credentials_and_values_of_placeholders_are_not_shown() -> None:
    hidden = places({"action": {"request": {"headers": {"X-Pin": "${env:A}"}}}})
    request = ("action", "request")

    def shown(*path: str, value: str) -> Any:
        return hidden.shown((*request, *path), value, is_new=False)

    assert shown("headers", "X-Pin", value="old") == "(not shown)"
    assert shown("headers", "Authorization", value="Bearer x") == "***"
    assert shown("uri", value="https://a.b/?code=x&y=z") == "https://a.b/?code=***&y=z"
    assert shown("body", value="s3cret" * 30) == "${env:A}"
    assert shown("body", value="text") == "text"


def test_variables_of_an_export_differ_where_jobs_would_share_one() -> None:
    names, part = VariableNames(), SecretPart("password", "the password")
    keys = [KEY, CollectionKey("s", "g", "d"), CollectionKey("s", "h", "d")]

    def job(key: CollectionKey, name: str) -> ExportedJob:
        return ExportedJob(key=key, name=name, properties={})

    found = [names.name(job(key, "a-b"), part) for key in keys]
    twins = [names.name(job(KEY, name), part) for name in ("a_b", "A__b", "a--b")]
    again = names.name(job(KEY, "a-b"), part)

    assert found == ["A_B_PASSWORD", "D_A_B_PASSWORD", "S_H_D_A_B_PASSWORD"]
    assert twins == ["C_A_B_PASSWORD", "S_G_C_A_B_PASSWORD", "S_G_C_A_B_PASSWORD_2"]
    assert again == found[0]


def test_an_export_leaves_out_ended_jobs_and_asks_for_secrets_that_the_server_hides() -> None:
    signing = {"authentication": {"type": "StandardWebhooks"}, "body": "costs $${5} ${env:X}"}
    request = {**ACTION["request"], **signing}
    stored: Any = {**JOB, "action": {**ACTION, "request": request}}
    jobs = {
        "a": ServerJob("a", "disabled", stored),
        "b": ServerJob("b", "completed", JOB),
    }
    names = VariableNames()

    found = exported_collection(server(**jobs))
    document: Any = document_of(found, names)

    assert found.ended == ["b"]
    assert list(document["jobs"]) == ["a"]
    assert document["jobs"]["a"]["state"] == "disabled"
    written = document["jobs"]["a"]["action"]["request"]
    assert written["authentication"]["secret"] == "${env:A_SECRET}"  # noqa: S105  (a placeholder)
    assert fill_placeholders(written["body"], lambda *_: None) == signing["body"]
    assert list(names.meanings) == ["A_SECRET"]


def test_a_template_is_of_one_resource_group() -> None:
    other = ServerCollection(
        key=CollectionKey("s", "h", "c"), exists=True, attributes={}, calendars={}, jobs={}
    )
    both = [exported_collection(each) for each in (server(), other)]

    with pytest.raises(Invalid, match="one resource group"):
        template_with(both, VariableNames())


def test_a_certificate_that_the_file_leaves_out_is_the_one_that_the_server_has() -> None:
    kind = {"type": "ClientCertificate"}
    told = {**kind, "certificateThumbprint": "AB", "certificateSubjectName": "CN=a"}

    def with_authentication(authentication: Any) -> Any:
        request = {**ACTION["request"], "authentication": authentication}
        return {**JOB, "action": {**ACTION, "request": request}}

    found = plan(
        files({"a": with_authentication(kind)}),
        server(a=ServerJob("a", "enabled", with_authentication(told))),
    )

    assert (found.unchanged, found.jobs) == (1, [])


def test_a_job_with_rules_that_only_the_server_knows_is_a_change_with_next_runs() -> None:
    later: Any = {**JOB, "recurrence": {"frequency": "blue moon"}}

    # The server is asked for the next runs, and nobody answers here.
    with pytest.raises(Unreachable):
        plan(files({"a": JOB}), server(a=ServerJob("a", "enabled", later)))


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        pytest.param({"calendars": {"d": {"dates": "x"}}}, "calendar d: dates: ", id="calendar"),
        pytest.param({"collection": {"sku": {"name": "x"}}}, "collection: sku.name: ", id="plan"),
    ],
)
def test_a_wrong_calendar_or_attribute_is_refused_with_its_file(
    sections: Any, message: str
) -> None:
    with pytest.raises(Invalid) as refused:
        plan(files({}, **sections), server())

    assert str(refused.value).startswith(f"f.yaml, {message}")


def test_a_template_holds_so_many_resources() -> None:
    jobs = {f"j{number}": ServerJob(f"j{number}", "enabled", JOB) for number in range(800)}

    with pytest.raises(Invalid, match="holds 800 collections and jobs; there are 801"):
        template_with([exported_collection(server(**jobs))], VariableNames())
