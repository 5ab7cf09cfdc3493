"""Retry policies and durations, in the notations that clients write and read."""

from typing import Any

import pytest

from tests.support.api_client import JOB, JOBS, Client, http_job
from tests.support.bodies import bus_job

PYTHON = "azsdk-python-mgmt-scheduler/2.0.0 Python/3.11.7 (Linux)"
DOT_NET = (
    "FxVersion/4.6.25211.01 Microsoft.Azure.Management.Scheduler.SchedulerManagementClient/2.0"
)
POWERSHELL = "AzurePowershell/v2.1.0 PSVersion/v5.1"


def with_retry(policy: Any, *, old_place: bool = False) -> dict[str, Any]:
    body = http_job()
    action = body["properties"]["action"]
    (action["request"] if old_place else action)["retryPolicy"] = policy
    return body


def shown(client: Client, user_agent: str | None = None) -> Any:
    headers = {} if user_agent is None else {"user-agent": user_agent}
    return client.get(JOB, headers=headers).json["properties"]["action"]


NOTATIONS: dict[str, tuple[str, str, str]] = {
    "seconds": ("PT30S", "PT30S", "00:00:30"),
    "time span": ("00:00:30", "PT30S", "00:00:30"),
    "days": ("P1D", "P1D", "1.00:00:00"),
    "days of old samples": ("PT1D", "P1D", "1.00:00:00"),
    "month": ("P1M", "P30D", "30.00:00:00"),
    "minutes": ("PT1M", "PT1M", "00:01:00"),
    "18 months": ("P18M", "P540D", "540.00:00:00"),
    "week": ("P1W", "P7D", "7.00:00:00"),
    "all units": ("P1DT2H3M4S", "P1DT2H3M4S", "1.02:03:04"),
    "fraction": ("PT20.5S", "PT20.5000000S", "00:00:20.5000000"),
    "time span with days": ("30.00:00:00", "P30D", "30.00:00:00"),
    "time span with all": ("1.02:03:04.5000000", "P1DT2H3M4.5000000S", "1.02:03:04.5000000"),
    "short hours": ("1:00", "PT1H", "01:00:00"),
    "shortest": ("00:00:15", "PT15S", "00:00:15"),
    "longest": ("P548D", "P548D", "548.00:00:00"),
    "lower case": ("pt1h", "PT1H", "01:00:00"),
}


@pytest.mark.parametrize(("given", "iso", "span"), NOTATIONS.values(), ids=NOTATIONS.keys())
def test_a_duration_comes_back_as_it_came_or_as_the_client_reads_it(
    billing: Client, given: str, iso: str, span: str
) -> None:
    created = billing.put(JOB, with_retry({"retryInterval": given}))

    assert created.status == 201
    assert shown(billing)["retryPolicy"] == {"retryInterval": given}
    assert shown(billing, "curl/8.5")["retryPolicy"] == {"retryInterval": given}
    assert shown(billing, PYTHON)["retryPolicy"] == {"retryInterval": iso}
    assert shown(billing, DOT_NET)["retryPolicy"] == {"retryInterval": span}
    assert shown(billing, POWERSHELL)["retryPolicy"] == {"retryInterval": span}


def test_the_notation_of_the_client_is_in_every_answer(billing: Client) -> None:
    headers = {"user-agent": PYTHON}
    body = with_retry({"retryInterval": "01:00:00"})
    created = billing.put(JOB, body, headers=headers)
    answers = [
        created.json,
        billing.patch(JOB, {}, headers=headers).json,
        billing.get(JOBS, headers=headers).json["value"][0],
        billing.post(JOBS, body, headers=headers).json,
    ]

    intervals = [each["properties"]["action"]["retryPolicy"]["retryInterval"] for each in answers]
    assert intervals == ["PT1H"] * 4
    assert shown(billing)["retryPolicy"]["retryInterval"] == "01:00:00"


GO = "Go/go1.11.4 (amd64-linux) go-autorest/v10.15.4 Azure-SDK-For-Go/v21.3.0 scheduler/2016-03-01"
NODE = "Node/v8.11.1 ms-rest/2.3.6 ms-rest-azure/2.5.7 azure-arm-scheduler/4.0.0"
SPELLINGS = {
    None: "occurrence",
    "curl/8.5": "occurrence",
    DOT_NET: "occurrence",
    POWERSHELL: "occurrence",
    PYTHON: "Occurrence",
    GO: "Occurrence",
    NODE: "Occurrence",
}


@pytest.mark.parametrize("given", ["occurrence", "Occurrence", "OCCURRENCE"])
@pytest.mark.parametrize(("user_agent", "spelling"), SPELLINGS.items(), ids=str)
def test_the_number_of_a_weekday_is_spelt_as_the_client_reads_it(
    billing: Client, given: str, user_agent: str | None, spelling: str
) -> None:
    headers = {} if user_agent is None else {"user-agent": user_agent}
    days = [{"day": "monday", given: -1}, {"day": "friday"}]
    schedule = {"monthlyOccurrences": days, "hours": [1], "minutes": [0]}
    body = http_job(recurrence={"frequency": "month", "schedule": schedule})

    answers = [
        billing.put(JOB, body, headers=headers).json,
        billing.patch(JOB, {}, headers=headers).json,
        billing.get(JOB, headers=headers).json,
        billing.get(JOBS, headers=headers).json["value"][0],
        billing.post(JOBS, body, headers=headers).json,
    ]

    shown_days = [{"day": "monday", spelling: -1}, {"day": "friday"}]
    for answer in answers:
        schedule = answer["properties"]["recurrence"]["schedule"]
        assert schedule["monthlyOccurrences"] == shown_days


def test_terraform_reads_a_duration_as_it_wrote_it(billing: Client) -> None:
    billing.put(JOB, with_retry({"retryInterval": "00:05:00"}), headers={"user-agent": GO})

    assert shown(billing, GO)["retryPolicy"] == {"retryInterval": "00:05:00"}


def test_the_time_to_live_of_a_message_is_a_duration_like_any_other(billing: Client) -> None:
    billing.put(JOB, bus_job(brokeredMessageProperties={"timeToLive": "00:00:01"}))

    lives = [
        shown(billing, agent)["serviceBusQueueMessage"]["brokeredMessageProperties"]["timeToLive"]
        for agent in (None, PYTHON, DOT_NET)
    ]

    assert lives == ["00:00:01", "PT1S", "00:00:01"]


def test_the_longest_time_to_live_is_that_of_dot_net(billing: Client) -> None:
    longest = "10675199.02:48:05.4775807"

    def put(live: str) -> int:
        return billing.put(JOB, bus_job(brokeredMessageProperties={"timeToLive": live})).status

    assert put(longest) == 201
    assert put("10675199.02:48:05.4775808") == 400
    assert put("99999999999999.00:00:00") == 400
    assert shown(billing, PYTHON)["serviceBusQueueMessage"]["brokeredMessageProperties"] == {
        "timeToLive": "P10675199DT2H48M5.4775807S"
    }


@pytest.mark.parametrize(
    "given",
    [
        "",
        "P",
        "PT",
        "30",
        "30s",
        "PT-30S",
        "-00:01:00",
        "24:00:00",
        "00:60:00",
        "00:00:60",
        "1 day",
        "P1.5D",
        "PT30S ",
        "PT" + "0" * 40 + "30S",
        "٣٠:00:00",
    ],
)
def test_what_is_no_duration_is_refused_with_both_notations(billing: Client, given: str) -> None:
    before = billing.state()

    reply = billing.put(JOB, with_retry({"retryInterval": given}))

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith("properties.action.retryPolicy.retryInterval: ")
    assert reply.message.endswith(
        'give ISO 8601 such as "PT30S" or "P1D", or [d.]hh:mm:ss such as "00:00:30".'
    )
    assert billing.state() == before


@pytest.mark.parametrize(
    ("given", "back"),
    [
        ({"retryType": "NONE"}, {"retryType": "none"}),
        ({"retryType": "Fixed"}, {"retryType": "fixed"}),
        ({"retryCount": 0}, {"retryCount": 0}),
        ({"retryCount": 20}, {"retryCount": 20}),
        ({"retryCount": 5.0}, {"retryCount": 5}),
        (
            {"retryCount": 2, "retryInterval": "PT1M", "retryType": "fixed"},
            {"retryType": "fixed", "retryInterval": "PT1M", "retryCount": 2},
        ),
    ],
    ids=["none", "fixed", "no retries", "most retries", "whole number", "all"],
)
@pytest.mark.parametrize("old_place", [False, True], ids=["in action", "in request"])
def test_a_retry_policy_is_read_from_both_places_and_shown_in_one(
    billing: Client, given: Any, back: Any, *, old_place: bool
) -> None:
    action = billing.put(JOB, with_retry(given, old_place=old_place)).json["properties"]["action"]

    assert list(action["retryPolicy"].items()) == list(back.items())
    assert "retryPolicy" not in action["request"]


def test_a_retry_policy_may_be_given_twice_if_it_is_the_same(billing: Client) -> None:
    body = with_retry({"retryCount": 1}, old_place=True)
    body["properties"] |= {"retryPolicy": {"retryCount": 1}}

    reply = billing.put(JOB, body)

    assert reply.json["properties"]["action"]["retryPolicy"] == {"retryCount": 1}


def test_two_different_retry_policies_are_refused(billing: Client) -> None:
    body = with_retry({"retryCount": 1}, old_place=True)
    body["properties"]["action"]["retryPolicy"] = {"retryCount": 2}

    reply = billing.put(JOB, body)

    assert (reply.status, reply.message) == (
        400,
        "properties.action.request.retryPolicy: "
        "is given twice with different values; give it once, in the action.",
    )


ERROR = with_retry({"retryCount": 2})["properties"]["action"]
TWICE: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "the same policy": (
        {"retryPolicy": {"retryCount": 1}},
        {"retryPolicy": {"RETRYCOUNT": 1}},
        200,
    ),
    "another policy": ({"retryPolicy": {"retryCount": 1}}, {"retryPolicy": {"retryCount": 2}}, 400),
    "the same error action": ({"errorAction": ERROR}, {"erroraction": ERROR}, 200),
    "another error action": (
        {"errorAction": ERROR},
        {"errorAction": ERROR | {"type": "Https"}},
        400,
    ),
}


@pytest.mark.parametrize(("inside", "beside", "status"), TWICE.values(), ids=TWICE.keys())
@pytest.mark.parametrize("method", ["PUT", "PATCH", "POST"])
def test_what_is_given_twice_must_be_the_same(
    billing: Client, method: str, inside: dict[str, Any], beside: dict[str, Any], status: int
) -> None:
    billing.put(JOB, http_job())
    body = http_job(**beside)
    body["properties"]["action"] |= inside
    before = billing.state()

    reply = billing.call(method, JOBS if method == "POST" else JOB, body)

    assert reply.status == (201 if method == "POST" and status == 200 else status)
    if status == 400:
        assert reply.message.endswith("different values; give it once, in the action.")
        assert billing.state() == before


def test_an_error_action_may_stand_beside_the_action(billing: Client) -> None:
    error = with_retry({"retryCount": 2})["properties"]["action"]

    reply = billing.put(JOB, http_job(errorAction=error))

    assert reply.json["properties"]["action"]["errorAction"]["retryPolicy"] == {"retryCount": 2}


def test_an_error_action_has_a_retry_policy_of_its_own(billing: Client) -> None:
    body = with_retry({"retryCount": 1})
    error = with_retry({"retryCount": 2}, old_place=True)["properties"]["action"]
    body["properties"]["action"]["errorAction"] = error

    action = billing.put(JOB, body).json["properties"]["action"]

    assert action["retryPolicy"] == {"retryCount": 1}
    assert action["errorAction"]["retryPolicy"] == {"retryCount": 2}


@pytest.mark.parametrize(
    ("patch", "policy"),
    [
        ({"retryCount": 5}, {"retryType": "fixed", "retryInterval": "PT1M", "retryCount": 5}),
        ({"retryInterval": None}, {"retryType": "fixed", "retryCount": 2}),
        (None, None),
    ],
    ids=["one value", "null inside", "null"],
)
@pytest.mark.parametrize("old_place", [False, True], ids=["in action", "in request"])
def test_a_patch_reaches_the_retry_policy_through_both_places(
    billing: Client, patch: Any, policy: Any, *, old_place: bool
) -> None:
    given = {"retryType": "fixed", "retryInterval": "PT1M", "retryCount": 2}
    billing.put(JOB, with_retry(given))

    place = {"request": {"retryPolicy": patch}} if old_place else {"retryPolicy": patch}
    reply = billing.patch(JOB, {"properties": {"action": place}})

    assert reply.json["properties"]["action"].get("retryPolicy") == policy
