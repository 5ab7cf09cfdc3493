"""CronJobs, workflows, cloud jobs and exports: what is unusual or wrong in them."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from foliot.core.errors import Invalid
from foliot.core.recurrence.zone import find_zone
from foliot.importers import (
    ImportOptions,
    ImportResult,
    read_cloud_jobs,
    read_cron_jobs,
    read_event_rules,
    read_exports,
    read_workflows,
)
from foliot.importers.windows_zones import WINDOWS_ZONES, iana_zone
from tests.unit.importers.support import (
    NOW,
    OPTIONS,
    json_source,
    request_of,
    retry_policy_of,
    text_source,
    the_job,
    the_reason,
)

CONTAINER = {"name": "c", "image": "curlimages/curl", "args": ["-f", "https://example.com/x"]}


def cron_job(container: Any = None, pod: Any = None, **spec: Any) -> dict[str, Any]:
    inner = {"containers": [container or CONTAINER], **(pod or {})}
    job = {"spec": {"template": {"spec": inner}}}
    return {
        "kind": "CronJob",
        "metadata": {"name": "j"},
        "spec": {"schedule": "0 9 * * *", "jobTemplate": job, **spec},
    }


def from_kubernetes(document: Any, **options: Any) -> ImportResult:
    return read_cron_jobs([json_source(document)], ImportOptions(now=NOW, **options))


def workflow(recurrence: Any = None, inputs: Any = None, **more: Any) -> dict[str, Any]:
    trigger = {"type": "Recurrence", "recurrence": {"frequency": "Day", **(recurrence or {})}}
    call = {"uri": "https://example.com/x", "method": "get", **(inputs or {})}
    return {
        "definition": {
            "triggers": {"R": trigger},
            "actions": {"H": {"type": "Http", "inputs": call}},
        },
        **more,
    }


def from_logic_app(document: Any) -> ImportResult:
    return read_workflows([json_source(document, "folder/flow.json")], OPTIONS)


def cloud_job(**fields: Any) -> dict[str, Any]:
    target = {"uri": "https://example.com/x"}
    return {"name": "a/jobs/j", "schedule": "0 9 * * *", "httpTarget": target, **fields}


def from_gcloud(**fields: Any) -> ImportResult:
    return read_cloud_jobs([json_source([cloud_job(**fields)])], OPTIONS)


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        pytest.param(cron_job(schedule="soon"), "has 1 field;", id="schedule"),
        pytest.param(cron_job(schedule=""), "schedule: is missing", id="no schedule"),
        pytest.param(cron_job(timeZone="Mars"), "not an IANA time zone", id="zone"),
        pytest.param(cron_job(concurrencyPolicy="Never"), '"Never" is not known', id="policy"),
        pytest.param(
            cron_job(pod={"initContainers": [CONTAINER]}), "has 2 containers", id="init container"
        ),
        pytest.param(
            cron_job({**CONTAINER, "args": [1]}),
            "a whole number is not valid; give a text",
            id="argument",
        ),
        pytest.param(
            cron_job({"name": "c", "image": "x/worker@sha256:1"}), "decides itself", id="image"
        ),
        pytest.param(
            cron_job({"name": "c", "command": ["python", "x.py"]}), "neither curl", id="program"
        ),
        pytest.param(
            cron_job({**CONTAINER, "env": [{"value": "x"}]}), "name: is missing", id="variable"
        ),
        pytest.param(
            cron_job(
                {
                    **CONTAINER,
                    "env": [{"name": "A", "value": "x" * 5000}],
                    "args": ["$(A)" * 5000],
                }
            ),
            "more than 100000 characters",
            id="growing argument",
        ),
    ],
)
def test_a_cron_job_without_a_request_is_left_out(document: Any, reason: str) -> None:
    assert reason in the_reason(from_kubernetes(document))


def test_a_list_of_cron_jobs_is_read_with_the_zone_of_the_option() -> None:
    result = from_kubernetes({"kind": "List", "items": [cron_job()]}, zone="Asia/Tokyo")

    recurrence: Any = the_job(result).properties["recurrence"]
    assert recurrence["timeZone"] == "Asia/Tokyo"
    assert result.collections[0].key.name == "default"


@pytest.mark.parametrize(
    "script",
    [
        pytest.param('curl -f -H "X-Token: $(TOKEN)" https://a.example', id="double quotes"),
        pytest.param("curl -f -H 'X-Token: $(TOKEN)' https://a.example", id="single quotes"),
        pytest.param('curl -f -H "X-Token: $TOKEN" https://a.example', id="by the shell"),
        pytest.param("curl -f -H X-Token:$(TOKEN) https://a.example", id="no quotes"),
    ],
)
def test_a_secret_in_a_command_of_a_shell_becomes_a_placeholder(script: str) -> None:
    source = {"secretKeyRef": {"name": "api", "key": "token"}}
    container = {
        "command": ["/bin/sh", "-c", script],
        "env": [{"name": "TOKEN", "valueFrom": source}],
    }

    request = request_of(the_job(from_kubernetes(cron_job(container))))

    assert request["headers"] == {"X-Token": "${env:TOKEN}"}


def test_a_shell_computes_what_only_looks_like_a_placeholder() -> None:
    container = {"command": ["sh", "-c", "curl -f https://a.example/${env:OTHER}"]}

    assert 'computes "${env:OTHER}"' in the_reason(from_kubernetes(cron_job(container)))


@pytest.mark.parametrize(
    ("taken_over", "is_noted"),
    [
        pytest.param(cron_job(), True, id="none"),
        pytest.param(cron_job(timeZone="Asia/Tokyo"), False, id="of the job"),
        pytest.param(cron_job(schedule="TZ=Asia/Tokyo 0 9 * * *"), False, id="in the schedule"),
    ],
)
def test_a_missing_zone_is_noted_only_if_a_job_that_is_taken_over_lacks_one(
    taken_over: Any,
    is_noted: bool,  # noqa: FBT001
) -> None:
    left_out = {**cron_job({"command": ["backup"]}), "metadata": {"name": "left-out"}}

    result = from_kubernetes({"kind": "List", "items": [taken_over, left_out]})

    assert any("without timeZone" in note for note in result.notes) == is_noted


def test_references_to_unknown_variables_stay_and_two_dollars_are_one() -> None:
    container = {**CONTAINER, "args": ["-f", "https://example.com/$$x?a=$(NO)"]}

    uri = request_of(the_job(from_kubernetes(cron_job(container))))["uri"]

    assert uri == "https://example.com/$x?a=$(NO)"


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        pytest.param(workflow({"frequency": "Second", "interval": 10}), "every 10 seconds", id="s"),
        pytest.param(workflow({"frequency": "Moon"}), '"Moon" is not known', id="frequency"),
        pytest.param(
            workflow({"timeZone": "Pacific Standrd Time"}),
            'did you mean "Pacific Standard Time"?',
            id="zone",
        ),
        pytest.param(workflow(inputs={"body": "@triggerBody()"}), "is computed by", id="body"),
        pytest.param(
            workflow(inputs={"uri": "@parameters('x')"}), '"x" of the workflow has no', id="value"
        ),
        pytest.param(
            workflow(inputs={"retryPolicy": {"type": "odd"}}), '"odd" is not known', id="retries"
        ),
        pytest.param(
            workflow(inputs={"retryPolicy": {"type": "fixed", "interval": "1 day"}}),
            "is not a duration",
            id="interval",
        ),
        pytest.param(
            {"triggers": {"a": {}, "b": {}}, "actions": {}}, "has 2 triggers", id="two triggers"
        ),
        pytest.param({"triggers": {"a": {"type": "Request"}}}, "of the type Request", id="trigger"),
        pytest.param(
            {"triggers": {"a": {"type": "Recurrence", "conditions": [{}]}}},
            "has conditions",
            id="conditions",
        ),
        pytest.param(
            {"triggers": {"a": {"type": "Recurrence"}}, "actions": {}}, "has 0 actions", id="none"
        ),
    ],
)
def test_a_workflow_without_a_counterpart_is_left_out(document: Any, reason: str) -> None:
    assert reason in the_reason(from_logic_app(document))


def test_a_workflow_is_named_after_its_file_and_runs_at_once_without_a_start() -> None:
    job = the_job(from_logic_app(workflow({"timeZone": "UTC", "schedule": {"hours": ["8", 20]}})))

    assert job.name == "flow"
    assert job.properties["recurrence"] == {
        "frequency": "day",
        "interval": 1,
        "schedule": {"hours": [8, 20]},
    }
    assert any("runs at once" in each for each in job.notes)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"type": "fixed", "interval": "P1D", "count": 1}, "PT24H", id="a day"),
        pytest.param({"type": "fixed", "interval": "PT1H1M1S"}, "PT3661S", id="all units"),
        pytest.param({"type": "exponential", "interval": "PT20S"}, "PT20S", id="exponential"),
    ],
)
def test_intervals_of_retries_are_taken_over(given: Any, expected: str) -> None:
    job = the_job(from_logic_app(workflow(inputs={"retryPolicy": given})))

    assert retry_policy_of(job)["retryInterval"] == expected


def test_a_client_certificate_becomes_two_placeholders() -> None:
    given = {"type": "ClientCertificate", "pfx": "MIIx", "password": "p"}

    job = the_job(from_logic_app(workflow(inputs={"authentication": given})))

    assert request_of(job)["authentication"] == {
        "type": "ClientCertificate",
        "pfx": "${env:FLOW_PFX}",
        "password": "${env:FLOW_PFX_PASSWORD}",
    }


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        pytest.param({"httpTarget": None}, "has no httpTarget", id="no target"),
        pytest.param({"name": ""}, "name: is missing", id="no name"),
        pytest.param({"attemptDeadline": "soon"}, 'such as "180s"', id="deadline"),
        pytest.param({"timeZone": "Mars"}, "not an IANA time zone", id="zone"),
        pytest.param(
            {"httpTarget": {"uri": "https://x", "body": "?"}}, "a text in base64", id="body"
        ),
        pytest.param({"retryConfig": {"retryCount": "x"}}, "a whole number", id="count"),
    ],
)
def test_a_cloud_job_that_is_wrong_is_left_out(fields: Any, reason: str) -> None:
    assert reason in the_reason(from_gcloud(**fields))


@pytest.mark.parametrize(
    ("schedule", "cron"),
    [
        ("every day 09:05", "5 9 * * *"),
        ("every Monday 9:00", "0 9 * * MON"),
        ("every mon, wed,friday 23:30", "30 23 * * MON,WED,FRI"),
    ],
)
def test_a_time_of_day_in_words_becomes_a_cron_expression(schedule: str, cron: str) -> None:
    job = the_job(from_gcloud(schedule=schedule, timeZone="Europe/Paris"))

    assert job.properties["recurrence"] == {"cron": cron, "timeZone": "Europe/Paris"}


@pytest.mark.parametrize(
    "schedule",
    [
        *(
            "every fooday 09:00",
            "every mon,day 09:00",
            "every monday of january 09:00",
            "every day 24:00",
        ),
        *("every 2 hours from 08:00 to 20:00", "first sunday of month 00:00", "every monday"),
    ],
)
def test_another_schedule_in_words_is_left_out_with_what_to_do(schedule: str) -> None:
    reason = the_reason(from_gcloud(schedule=schedule))

    assert reason.startswith(f'"{schedule}" is a schedule in words')
    assert 'write a cron expression, such as "0 9 * * MON-FRI".' in reason


def test_a_time_limit_of_retries_alone_is_noted() -> None:
    job = the_job(from_gcloud(retryConfig={"maxRetryDuration": "60s"}))

    assert any("maxRetryDuration without retryCount" in each for each in job.notes)


def test_every_windows_zone_has_an_iana_name_and_iana_names_stay() -> None:
    for zone in WINDOWS_ZONES.values():
        find_zone(zone)

    assert iana_zone("romance standard time") == "Europe/Paris"
    assert iana_zone("Europe/Paris") == "Europe/Paris"
    with pytest.raises(Invalid, match="is not a time zone of Windows"):
        iana_zone("Middle-earth")


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        pytest.param([{"id": "/x"}], "is not the id of a collection or job", id="another id"),
        pytest.param(
            {"value": [1]}, "value[0]: a whole number is not valid; give an object", id="a number"
        ),
        pytest.param({}, "id: is missing", id="nothing"),
    ],
)
def test_an_export_of_something_else_is_refused(document: Any, problem: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_exports([json_source(document)], OPTIONS)

    assert problem in str(refused.value)


def test_a_job_that_has_run_as_often_as_it_should_is_left_out() -> None:
    path = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c/jobs/j"
    properties = {"recurrence": {"frequency": "day", "count": 2}, "status": {"executionCount": 2}}

    result = read_exports([json_source({"id": path, "properties": properties})], OPTIONS)

    assert result.left_out[0].reason == "the job has run 2 times, as often as it should."


ONE_LINE = re.compile(r"file: [^\n]+")
READERS: list[Callable[..., ImportResult]] = [
    read_cloud_jobs,
    read_cron_jobs,
    read_event_rules,
    read_exports,
    read_workflows,
]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(b'{"a": ' * 5000, id="deep objects"),
        pytest.param(b"\0\0\0", id="NUL"),
        pytest.param(b"\xff\xfe", id="not UTF-8"),
        pytest.param(b"1", id="a number"),
        pytest.param(b'{"a": 1, "a": 2}', id="a name twice"),
        pytest.param(b'[[1], "x", null]', id="wrong types"),
        pytest.param(b'{"kind": 1, "items": 2, "value": [3], "triggers": 4}', id="odd fields"),
        pytest.param(b'{"Rules": [5], "Schedules": {}}', id="odd lists"),
        pytest.param(b'{"metadata": [], "spec": "x", "kind": "CronJob"}', id="odd objects"),
    ],
)
def test_hostile_input_is_refused_in_a_line_or_becomes_nothing(
    read: Callable[..., ImportResult], content: bytes
) -> None:
    assert outcome(read, content) == "nothing" or ONE_LINE.fullmatch(outcome(read, content))


def outcome(read: Callable[..., ImportResult], content: bytes) -> str:
    try:
        result = read([text_source(content)], OPTIONS)
    except Invalid as refused:
        return str(refused)
    return "something" if result.collections else "nothing"


def test_months_and_counts_of_a_recurrence_are_taken_over() -> None:
    given = {
        "frequency": "Month",
        "startTime": "2026-01-01T00:00:00Z",
        "endTime": "2026-12-31T00:00:00Z",
        "count": 3,
        "schedule": {"monthlyOccurrences": [{"day": "monday", "occurrence": 1}]},
        "timeZone": "Europe/Rome",
    }

    job = the_job(from_logic_app(workflow(given)))

    assert job.properties["recurrence"] == {
        "frequency": "month",
        "interval": 1,
        "count": 3,
        "endTime": "2026-12-31T00:00:00Z",
        "schedule": {"monthlyOccurrences": [{"day": "monday", "occurrence": 1}]},
        "timeZone": "Europe/Rome",
    }
    assert job.notes == ()


def test_parameters_of_a_workflow_may_be_lists_and_keep_their_type() -> None:
    document = workflow(inputs={"body": {"ids": "@parameters('ids')", "n": [1, None]}})
    document["definition"]["parameters"] = {"ids": {"type": "Array"}}
    document["parameters"] = {"ids": {"value": [1, 2]}}

    body = request_of(the_job(from_logic_app(document)))["body"]

    assert body == '{"ids": [1, 2], "n": [1, null]}'


def test_headers_may_be_numbers_and_flags() -> None:
    inputs = {"headers": {"X-Count": 3, "X-On": True, "Content-Type": "text/json"}, "body": {}}

    request = request_of(the_job(from_logic_app(workflow(inputs=inputs))))

    assert request["headers"] == {"X-Count": "3", "X-On": "true", "Content-Type": "text/json"}


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        pytest.param({"suspend": "yes"}, "suspend: a string is not valid; give true", id="flag"),
        pytest.param({"schedule": "0 9 * *\0 *"}, "holds a NUL character", id="NUL"),
    ],
)
def test_a_value_of_another_kind_leaves_a_cron_job_out(spec: Any, reason: str) -> None:
    assert reason in the_reason(from_kubernetes(cron_job(**spec)))


def test_an_export_goes_into_the_collection_that_is_named() -> None:
    path = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c"
    options = ImportOptions(now=NOW, subscription="me", group="home", collection="all")

    result = read_exports([json_source({"id": path})], options)

    assert [each.key.name for each in result.collections] == ["all"]


@pytest.mark.parametrize(
    ("uri", "written"),
    [
        pytest.param(
            "https://ann:pw@a.example/", "https://ann:${env:J_USER_PASSWORD}@a.example/", id="both"
        ),
        pytest.param(
            "https://token@a.example/", "https://${env:J_USER_PASSWORD}@a.example/", id="one"
        ),
        pytest.param(
            "https://a.example/?sig=1&x=2#token=3",
            "https://a.example/?sig=${env:J_SIG}&x=2#token=${env:J_TOKEN}",
            id="query",
        ),
        pytest.param("https://a.example/?sig=${env:A}&code=", None, id="nothing to hide"),
    ],
)
def test_credentials_in_an_exported_address_are_hidden(uri: str, written: str | None) -> None:
    path = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c/jobs/j"
    request = {"uri": uri, "method": "GET", "headers": {"X-Count": 3, "Cookie": "a=b"}}
    action = {"type": "https", "request": request}

    result = read_exports([json_source({"id": path, "properties": {"action": action}})], OPTIONS)

    found = request_of(the_job(result))
    assert found["uri"] == (written or uri)
    assert found["headers"] == {"X-Count": 3, "Cookie": "${env:J_COOKIE}"}


def test_retries_of_the_command_win_over_those_of_the_controller() -> None:
    container = {**CONTAINER, "args": ["-f", "--retry", "2", "https://example.com/x"]}

    job = the_job(from_kubernetes(cron_job(container)))

    assert retry_policy_of(job)["retryCount"] == 2


def test_names_that_no_job_can_have_are_changed_and_told() -> None:
    job = the_job(from_gcloud(name="projects/p/locations/l/jobs/1.nightly"))

    assert job.name == "job-1-nightly"
    assert job.notes[-1] == 'its name was "1.nightly"'
