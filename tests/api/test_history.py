"""The history of a job: names that sort, newest first, by status, in pages."""

from typing import Any

import pytest

from foliot.core.instant import Instant, parse_instant
from foliot.core.model.history import AttemptStatus
from tests.api.test_lists import follow
from tests.support import builders
from tests.support.api_client import JOB, JOBS, Client, http_job

VERSION = "api-version=2016-03-01"
HISTORY = f"{JOB}/history"


@pytest.fixture
def nightly(billing: Client) -> Client:
    billing.put(JOB, http_job())
    return billing


def add_entries(client: Client, *rows: dict[str, Any], job: str = "Nightly") -> None:
    found = client.job(job).id
    entries = [builders.an_entry(found, **row) for row in rows]
    client.run(client.store.write(lambda tx: [tx.add_history(each) for each in entries]))


def messages(listing: Any) -> list[str]:
    return [each["properties"]["message"] for each in listing["value"]]


def test_an_entry_comes_back_in_the_shape_of_the_old_service(nightly: Client) -> None:
    add_entries(
        nightly,
        {
            "started_at": parse_instant("2016-03-30T20:39:53.8021951Z"),
            "ended_at": parse_instant("2016-03-30T20:39:53.8646988Z"),
            "expected_at": parse_instant("2016-03-30T20:39:52.6597062Z"),
            "status": AttemptStatus.FAILED,
            "message": "Http Action - Response from host 'h': 'OK' Body: \u00e9\r\n",
            "retry_count": 2,
            "repeat_count": 135,
        },
    )

    reply = nightly.get(HISTORY)

    name = "02519429304061978048:09223372036854775806"
    assert reply.content.decode() == (
        f'{{"value":[{{"id":"{JOB}/history/{name}",'
        '"type":"Microsoft.Scheduler/jobCollections/jobs/history",'
        f'"name":"Billing/Nightly/{name}","properties":{{'
        '"startTime":"2016-03-30T20:39:53.8021951Z","endTime":"2016-03-30T20:39:53.8646988Z",'
        '"expectedExecutionTime":"2016-03-30T20:39:52.6597062Z","status":"failed",'
        "\"message\":\"Http Action - Response from host 'h': 'OK' Body: é\\r\\n\","
        '"retryCount":2,"repeatCount":135,"actionName":"MainAction"}}],"nextLink":null}'
    )


@pytest.mark.parametrize(("is_error", "name"), [(False, "MainAction"), (True, "ErrorAction")])
def test_an_entry_tells_which_action_it_is_of(
    nightly: Client, name: str, *, is_error: bool
) -> None:
    add_entries(nightly, {"is_error_action": is_error})

    assert nightly.get(HISTORY).json["value"][0]["properties"]["actionName"] == name


def test_the_newest_comes_first_and_so_it_is_by_name(nightly: Client) -> None:
    add_entries(
        nightly,
        {"second": 5, "message": "b"},
        {"second": 9, "message": "a"},
        {"second": 1, "message": "d"},
        {"second": 5, "message": "b2"},
        {"started_at": Instant(builders.NOW + 5 * 10_000_000 - 1), "message": "c"},
    )

    listing = nightly.get(HISTORY).json

    names = [each["name"] for each in listing["value"]]
    assert messages(listing) == ["a", "b2", "b", "c", "d"]
    assert names == sorted(names)
    assert len(set(names)) == 5


def test_a_job_has_its_own_history_and_loses_it_with_itself(nightly: Client) -> None:
    nightly.put(f"{JOBS}/Other", http_job())
    add_entries(nightly, {"message": "mine"})
    add_entries(nightly, {"message": "other"}, job="Other")

    assert messages(nightly.get(HISTORY).json) == ["mine"]
    nightly.delete(JOB)
    nightly.put(JOB, http_job())
    assert messages(nightly.get(HISTORY).json) == []
    assert messages(nightly.get(f"{JOBS}/Other/history").json) == ["other"]


@pytest.mark.parametrize("status", list(AttemptStatus))
@pytest.mark.parametrize("form", ["status eq {}", "Status EQ '{}'", "state eq {}", "State eq '{}'"])
@pytest.mark.parametrize("spell", [str.lower, str.capitalize, str.upper])
def test_history_can_be_filtered_by_status(
    nightly: Client, status: AttemptStatus, form: str, spell: Any
) -> None:
    add_entries(nightly, *({"status": each, "message": each.value} for each in AttemptStatus))
    text = form.format(spell(status.value)).replace(" ", "%20")

    listing = nightly.get(HISTORY, query=f"{VERSION}&$filter={text}").json

    assert messages(listing) == [status.value]
    assert listing["value"][0]["properties"]["status"] == status.value


@pytest.mark.parametrize(
    "text", ["state eq enabled", "stat eq failed", "status eq faulted", "status ne failed", ""]
)
def test_another_filter_is_refused(nightly: Client, text: str) -> None:
    reply = nightly.get(HISTORY, query=f"{VERSION}&$filter={text.replace(' ', '%20')}")

    assert (reply.status, reply.code) == (400, "MissingOrInvalidRequiredQueryParameter")
    assert reply.message.endswith(
        "give one of status eq completed, status eq failed, status eq postponed."
    )


def test_history_comes_in_pages_that_stay_right_while_attempts_are_added(nightly: Client) -> None:
    add_entries(nightly, *({"second": each // 3, "message": str(each)} for each in range(250)))

    first = nightly.get(HISTORY).json
    add_entries(nightly, {"second": 1000, "message": "new"})
    second = follow(nightly, first["nextLink"])
    third = follow(nightly, second["nextLink"])

    pages = [messages(first), messages(second), messages(third)]
    assert [len(page) for page in pages] == [100, 100, 50]
    assert [each for page in pages for each in page] == [str(each) for each in range(249, -1, -1)]
    assert third["nextLink"] is None
    assert first["nextLink"].startswith(f"http://foliot.test:8080{HISTORY}?{VERSION}&$skiptoken=")


def test_top_and_skip_cap_history(nightly: Client) -> None:
    add_entries(nightly, *({"second": each, "message": str(each)} for each in range(120)))

    listing = nightly.get(HISTORY, query=f"{VERSION}&$top=3&$skip=2").json

    assert messages(listing) == ["117", "116", "115"]
    assert listing["nextLink"] is None


def test_a_filtered_history_goes_on_with_its_filter(nightly: Client) -> None:
    rows = ({"second": each, "status": list(AttemptStatus)[each % 2]} for each in range(240))
    add_entries(nightly, *rows)

    first = nightly.get(HISTORY, query=f"{VERSION}&$filter=status%20eq%20failed").json
    second = follow(nightly, first["nextLink"])

    shown = first["value"] + second["value"]
    assert (len(first["value"]), len(second["value"])) == (100, 20)
    assert {each["properties"]["status"] for each in shown} == {"failed"}


TOKENS = {
    "words": "abc",
    "one number": "02519429304061978048",
    "too short": "1:1",
    "too long": "9" * 21 + ":" + "0" * 20,
    "before the first year": "9" * 20 + ":" + "0" * 20,
    "below zero": "0" * 20 + ":" + "9" * 20,
    "other digits": "\u0663" * 20 + ":" + "0" * 20,
    "signs": "-2519429304061978048:+9223372036854775806",
    "empty": "",
}


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS.keys())
def test_a_link_that_someone_made_up_is_refused(nightly: Client, token: str) -> None:
    escaped = "".join(f"%{byte:02x}" for byte in token.encode())

    reply = nightly.get(HISTORY, query=f"{VERSION}&$skiptoken={escaped}")

    assert (reply.status, reply.code) == (400, "MissingOrInvalidRequiredQueryParameter")
    assert reply.message.endswith(" is not valid; take it from a nextLink.")
