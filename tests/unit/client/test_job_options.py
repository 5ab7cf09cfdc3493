from typing import Any

import pytest

from foliot.client.job_files import (
    exported,
    left_out,
    merged,
    one_patch,
    read_job,
    without_answered,
)
from foliot.client.job_options import JobOptions, JobSecrets, fill_in, job_changes
from foliot.core.errors import Invalid
from foliot.core.instant import parse_instant
from foliot.core.secret import Secret

NOW = parse_instant("2026-11-17T19:10:05Z")


def changes(secrets: JobSecrets | None = None, **options: Any) -> Any:
    found = job_changes(JobOptions(**options), secrets or JobSecrets(), NOW)
    return found.get("properties", {})


def test_an_interval_replaces_every_other_rule() -> None:
    assert changes(every="5m")["recurrence"] == {
        "frequency": "minute",
        "interval": 5,
        "cron": None,
        "schedule": None,
    }


def test_a_cron_expression_replaces_every_other_rule() -> None:
    found = changes(cron="30 7 * * *", zone="Europe/Prague", count=3, until="2027-01-01")

    assert found["recurrence"] == {
        "cron": "30 7 * * *",
        "frequency": None,
        "interval": None,
        "schedule": None,
        "timeZone": "Europe/Prague",
        "count": 3,
        "endTime": "2026-12-31T23:00:00Z",
    }


def test_days_off_are_dates_and_calendars() -> None:
    found = changes(exclude=["2026-12-25"], exclude_calendar=["holidays"], exclude_then="next")

    assert found["recurrence"] == {
        "exclude": {"dates": ["2026-12-25"], "calendars": ["holidays"], "then": "next"}
    }


def test_a_request_has_what_the_options_say() -> None:
    found = changes(
        http=("post", "https://example.com/a"),
        header=["Content-Type: text/plain", "X-Time:12:30"],
        body="hello",
        retry="5x30s",
        retry_on="transient",
        template=True,
    )

    assert found["action"] == {
        "type": "https",
        "request": {
            "uri": "https://example.com/a",
            "method": "POST",
            "headers": {"Content-Type": "text/plain", "X-Time": "12:30"},
            "body": "hello",
        },
        "retryPolicy": {
            "retryType": "fixed",
            "retryInterval": "PT30S",
            "retryCount": 5,
            "retryOn": "transient",
        },
        "template": True,
    }


def test_the_type_of_an_action_is_that_of_its_address() -> None:
    assert changes(url="HTTP://example.com")["action"]["type"] == "http"
    assert changes(url="https://example.com")["action"]["type"] == "https"


def test_a_job_signs_in_with_a_password_or_a_certificate() -> None:
    password, pfx = Secret("hunter2"), Secret("cGZ4")

    basic = changes(JobSecrets(password), basic="robot")["action"]["request"]["authentication"]
    certificate = changes(JobSecrets(password, pfx))["action"]["request"]["authentication"]

    assert basic == {"type": "Basic", "username": "robot", "password": "hunter2"}
    assert certificate == {"type": "ClientCertificate", "pfx": "cGZ4", "password": "hunter2"}


def test_policies_are_periods_words_and_numbers() -> None:
    found = changes(
        overlap="skip",
        catch_up="all",
        catch_up_window="6h",
        start_within="10m",
        jitter="90s",
        timeout="5m",
        pause_after=5,
        disabled=True,
    )

    assert found == {
        "policy": {
            "overlap": "skip",
            "catchUp": "all",
            "catchUpWindow": "PT6H",
            "startWithin": "PT10M",
            "jitter": "PT1M30S",
            "timeout": "PT5M",
            "pauseAfter": 5,
        },
        "state": "disabled",
    }


def test_no_options_change_nothing() -> None:
    assert job_changes(JobOptions(), JobSecrets(), NOW) == {}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"every": "1m", "cron": "* * * * *"}, "--cron: cannot stand beside --every"),
        ({"url": "http://a", "http": ("GET", "http://a")}, "--http: cannot stand beside --url"),
        ({"header": ["no colon"]}, '--header: "no colon" is not valid'),
        ({"at": "soon"}, '--at: "soon" is not valid'),
        ({"zone": "Mars"}, '--zone: "Mars" is not a time zone'),
        ({"jitter": "long"}, '--jitter: "long" is not valid'),
        ({"retry": "often"}, '--retry: "often" is not valid'),
        ({"every": "30s"}, '--every: "30s" is not valid'),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else "",
)
def test_a_refusal_names_the_option(options: dict[str, Any], message: str) -> None:
    with pytest.raises(Invalid) as refused:
        changes(**options)

    assert str(refused.value).startswith(message)


def test_two_ways_to_sign_in_are_refused() -> None:
    with pytest.raises(Invalid, match="--cert: cannot stand beside --basic"):
        changes(JobSecrets(Secret("a"), Secret("b")), basic="robot")


def test_a_new_job_with_a_cron_expression_does_not_run_at_once() -> None:
    body = {"properties": {"recurrence": {"cron": "* * * * *"}, "action": {"request": {}}}}

    fill_in(body, NOW)

    assert body["properties"]["startTime"] == "2026-11-17T19:10:05Z"
    assert body["properties"]["action"]["request"] == {"method": "GET"}


def test_a_new_request_with_a_body_is_a_post_unless_it_says_otherwise() -> None:
    body: Any = {"properties": {"action": {"request": {"body": "hello"}}}}
    other: Any = {"properties": {"action": {"request": {"body": "hello", "method": "PUT"}}}}

    fill_in(body, NOW)
    fill_in(other, NOW)
    fill_in({}, NOW)

    assert body["properties"] == {"action": {"request": {"body": "hello", "method": "POST"}}}
    assert other["properties"]["action"]["request"]["method"] == "PUT"


JSON = b'{"name": "c/j", "properties": {"action": {"type": "http"}, "status": {}}}'
YAML = b"name: c/j\nproperties:\n  action: {type: http}\n  startTime: 2026-03-01\n  state: on\n"


def test_a_job_is_read_from_json_and_from_yaml() -> None:
    assert read_job(JSON)["name"] == "c/j"
    assert read_job(YAML) == {
        "name": "c/j",
        "properties": {"action": {"type": "http"}, "startTime": "2026-03-01", "state": "on"},
    }


def test_properties_alone_are_a_job_too() -> None:
    assert read_job(b"action: {type: http}") == {"properties": {"action": {"type": "http"}}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"- a\n- b\n", "give a job"),
        (b'{"a": 1, "a": 2}', 'the name "a" twice'),
        (b"a: [", "the text is not YAML"),
        (b"a: !!python/object:os.system {}", "give plain values only"),
        (b"a: 1\n---\na: 2\n", "has 2 documents"),
        (b"", "give a job"),
    ],
)
def test_a_file_that_is_no_job_is_refused(text: bytes, message: str) -> None:
    with pytest.raises(Invalid, match=message):
        read_job(text)


def test_what_only_answers_have_is_not_sent() -> None:
    assert without_answered(read_job(JSON)) == {"properties": {"action": {"type": "http"}}}
    assert exported(read_job(JSON)) == {"name": "j", "properties": {"action": {"type": "http"}}}


def test_secrets_that_an_export_lacks_are_named() -> None:
    request = {"authentication": {"type": "Basic", "username": "me"}}
    queue = {"queueName": "q", "storageAccount": "a"}
    bus = {"authentication": {"type": "sharedAccessKey", "sasKeyName": "n"}, "topicPath": "t"}
    error = {"queueMessage": queue, "serviceBusTopicMessage": bus}
    action: Any = {"request": request, "errorAction": error}

    assert list(left_out({"action": action})) == [
        "properties.action.request.authentication.password",
        "properties.action.errorAction.queueMessage.sasToken",
        "properties.action.errorAction.serviceBusTopicMessage.authentication.sasKey",
    ]


def test_changes_are_merged_and_null_removes() -> None:
    base: Any = {"a": {"b": 1, "c": 2}, "d": [1]}

    assert merged(base, {"a": {"b": None, "e": {"f": None}}, "d": [2]}) == {
        "a": {"c": 2, "e": {}},
        "d": [2],
    }


def test_two_patches_become_one_that_still_removes() -> None:
    assert one_patch({"a": {"b": 1, "c": 2}}, {"a": {"b": None}, "d": 3}) == {
        "a": {"b": None, "c": 2},
        "d": 3,
    }
