from typing import Any

import pytest

from foliot.core.errors import Invalid
from foliot.importers import ImportResult, read_event_rules
from foliot.importers.aws_expressions import read_expression
from tests.unit.importers.support import NOW, OPTIONS, json_source, the_job, the_reason

DESTINATION = {
    "ApiDestinations": [
        {
            "ApiDestinationArn": "arn:aws:events:x:1:api-destination/d/1",
            "ConnectionArn": "arn:aws:events:x:1:connection/c/1",
            "InvocationEndpoint": "https://example.com/hook",
        }
    ]
}
CONNECTION = {
    "Connections": [
        {
            "Name": "c",
            "AuthorizationType": "BASIC",
            "AuthParameters": {"BasicAuthParameters": {"Username": "ann"}},
        }
    ]
}
TARGET = {"Id": "1", "Arn": "arn:aws:events:x:1:api-destination/d/1", "Input": "{}"}


def rule(target: Any = None, **fields: Any) -> dict[str, Any]:
    expression = {"ScheduleExpression": "rate(1 day)"}
    return {
        "Rules": [{"Name": "r", **expression, **fields, "Targets": [{**TARGET, **(target or {})}]}]
    }


def imported(*documents: Any) -> ImportResult:
    return read_event_rules([json_source(each) for each in documents], OPTIONS)


@pytest.mark.parametrize(
    ("expression", "cron"),
    [
        pytest.param("cron(0 9 * * ? *)", "0 9 * * *", id="every day"),
        pytest.param("cron(0/15 8-17 ? * MON-FRI *)", "0/15 8-17 * * MON-FRI", id="steps"),
        pytest.param("cron(0 9 ? * 1 *)", "0 9 * * SUN", id="1 is Sunday"),
        pytest.param("cron(0 9 ? * 2,4,6 *)", "0 9 * * MON,WED,FRI", id="a list"),
        pytest.param("cron(0 9 ? * 6-2 *)", "0 9 * * FRI,SAT,SUN,MON", id="past the end"),
        pytest.param("cron(0 9 ? * 2/2 *)", "0 9 * * MON,WED,FRI", id="every second"),
        pytest.param("cron(0 9 ? * L *)", "0 9 * * SAT", id="the last day of a week"),
        pytest.param("cron(0 9 ? * FRIL *)", "0 9 * * FRIL", id="the last Friday"),
        pytest.param("cron(0 9 ? * 3#1 *)", "0 9 * * TUE#1", id="the first Tuesday"),
        pytest.param("cron( 0 9 L FEB ? * )", "0 9 L FEB *", id="the last of February"),
    ],
)
def test_a_cron_expression_of_six_fields_becomes_one_of_five(expression: str, cron: str) -> None:
    found = read_expression(expression, None, NOW)

    assert found["recurrence"] == {"cron": cron}


@pytest.mark.parametrize(
    ("expression", "frequency", "interval"),
    [
        pytest.param("rate(1 minute)", "minute", 1, id="minute"),
        pytest.param("rate(6 hours)", "hour", 6, id="hours"),
        pytest.param("rate(7 days)", "day", 7, id="days"),
        pytest.param("rate(1440 minutes)", "hour", 24, id="many minutes"),
        pytest.param("rate(1001 minutes)", "minute", 1001, id="minutes that are no hours"),
        pytest.param("rate(2400 hours)", "day", 100, id="many hours"),
    ],
)
def test_a_rate_becomes_an_interval(expression: str, frequency: str, interval: int) -> None:
    found = read_expression(expression, None, NOW)

    assert found["recurrence"] == {"frequency": frequency, "interval": interval}


def test_years_become_a_start_and_an_end() -> None:
    found = read_expression("cron(0 9 * * ? 2026)", "Asia/Tokyo", NOW)

    assert found["startTime"] == "2026-01-01T00:00:00"
    assert found["recurrence"]["endTime"] == "2026-12-31T23:59:59"


@pytest.mark.parametrize(
    ("expression", "zone", "problem"),
    [
        pytest.param("every day", None, "is not an expression", id="prose"),
        pytest.param(f"cron({' ' * 1_000_000}x", None, "is not an expression", id="long"),
        pytest.param("rate(0 days)", None, "is not a rate", id="rate of nothing"),
        pytest.param("rate(5)", None, "is not a rate", id="rate without a unit"),
        pytest.param("cron(0 9 * * ?)", None, "has 5 fields", id="five fields"),
        pytest.param("cron(0 9 15W * ? *)", None, "no counterpart", id="nearest weekday"),
        pytest.param("cron(0 9 L-3 * ? *)", None, "no counterpart", id="before the last day"),
        pytest.param("cron(0 9 ? * 8 *)", None, "not a day of the week", id="day 8"),
        pytest.param("cron(0 9 ? * XYZ *)", None, "not a day of the week", id="day XYZ"),
        pytest.param("cron(0 99 * * ? *)", None, "not a valid hour", id="hour 99"),
        pytest.param("cron(0 9 * * ? 2026,2028)", None, "not one stretch", id="years apart"),
        pytest.param("at(2020-01-01T00:00:00)", None, "has passed", id="past"),
        pytest.param("at(soon)", None, "is not a date-time", id="at some time"),
        pytest.param("rate(1 day)", "Mars", "not an IANA time zone", id="zone"),
    ],
)
def test_an_expression_without_a_counterpart_is_refused(
    expression: str, zone: str | None, problem: str
) -> None:
    with pytest.raises(Invalid) as refused:
        read_expression(expression, zone, NOW)

    assert problem in str(refused.value)


@pytest.mark.parametrize(
    ("documents", "reason"),
    [
        pytest.param([rule()], "do not have the API destination", id="no destination"),
        pytest.param(
            [rule({"InputPath": "$.x"}), DESTINATION], "made from the event", id="input path"
        ),
        pytest.param([rule({"Arn": "x"}), DESTINATION], "no API destination", id="odd target"),
        pytest.param(
            [{"Rules": [{"Name": "r", "ScheduleExpression": "rate(1 day)"}]}],
            "no targets of the rule",
            id="no targets",
        ),
        pytest.param(
            [{"Schedules": [{"Name": "s", "State": "ENABLED"}]}], "get-schedule", id="summary only"
        ),
        pytest.param(
            [
                rule(),
                {
                    "ApiDestinationArn": "arn:aws:events:x:1:api-destination/d/1",
                    "InvocationEndpoint": "https://example.com/*",
                },
            ],
            "has no value in the target",
            id="a star without a value",
        ),
    ],
)
def test_an_entry_without_a_request_is_left_out(documents: list[Any], reason: str) -> None:
    assert reason in the_reason(imported(*documents))


def test_a_job_without_the_connection_of_its_destination_is_disabled() -> None:
    job = the_job(imported(rule(), DESTINATION))

    assert job.properties["state"] == "disabled"
    assert any("do not have the connection" in each for each in job.notes)


def test_a_schedule_may_be_a_document_of_its_own() -> None:
    schedule = {"Name": "s", "ScheduleExpression": "rate(1 day)", "Target": TARGET}

    job = the_job(imported(schedule, DESTINATION, CONNECTION))

    assert job.origin == "file.json, schedule s"


def test_targets_may_be_in_a_document_of_their_own() -> None:
    alone = {"Name": "r", "ScheduleExpression": "rate(1 day)"}

    job = the_job(imported(alone, {"Targets": [TARGET]}, DESTINATION, CONNECTION))

    assert (job.name, "state" in job.properties) == ("r", False)


def test_parameters_of_a_connection_are_added_to_a_request() -> None:
    parameters = {
        "QueryStringParameters": [
            {"Key": "v", "Value": "1"},
            {"Key": "pin", "IsValueSecret": True},
        ],
        "BodyParameters": [{"Key": "x", "Value": "1"}],
    }
    connection = {
        "Name": "c",
        "AuthorizationType": "API_KEY",
        "AuthParameters": {
            "ApiKeyAuthParameters": {"ApiKeyName": "X-Key"},
            "InvocationHttpParameters": parameters,
        },
    }

    job = the_job(imported(rule(), DESTINATION, connection))

    action: Any = job.properties["action"]
    assert action["request"]["uri"] == "https://example.com/hook?v=1&pin=${env:C_PIN}"
    assert action["request"]["headers"] == {
        "Content-Type": "application/json; charset=utf-8",
        "X-Key": "${env:C_X_KEY}",
    }
    assert any("adds fields to the body" in each for each in job.notes)


@pytest.mark.parametrize("minutes", [5, 200])
def test_a_flexible_window_becomes_a_jitter(minutes: int) -> None:
    window = {"Mode": "FLEXIBLE", "MaximumWindowInMinutes": minutes}

    job = the_job(imported(rule(FlexibleTimeWindow=window), DESTINATION, CONNECTION))

    policy: Any = job.properties["policy"]
    assert policy["jitter"] == f"PT{min(minutes, 60)}M"
