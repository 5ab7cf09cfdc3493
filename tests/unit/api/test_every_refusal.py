"""All refusals of a body: each wrong value is named once, and nothing that is right."""

from typing import Any

import pytest

from foliot.api.wire.every_refusal import MOST_REFUSALS, body_refusals
from foliot.api.wire.job import Address, decode_job
from foliot.core.errors import Invalid, path_text
from foliot.core.json_text import Json
from foliot.core.limits import Limits
from tests.support.api_client import http_job
from tests.support.builders import a_key

QUEUE = {"storageAccount": "a", "queueName": "q", "sasToken": "s", "message": "m"}


def refused(body: Json, stored: Json = None) -> list[str]:
    def check(tried: Json) -> object:
        return decode_job(tried, Address(a_key()), Limits())

    found = body_refusals(body, check, stored).refusals
    return sorted(path_text(each.path) for each in found.values())


def job(action: Any, **properties: Any) -> Json:
    return {"properties": {"action": action, **properties}}


def request(**fields: Any) -> dict[str, Any]:
    return {"type": "Http", "request": {"uri": "http://h/", "method": "GET", **fields}}


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        pytest.param(http_job(), [], id="none"),
        pytest.param(5, [""], id="no object"),
        pytest.param({}, ["properties"], id="empty"),
        pytest.param({"properties": 5, "tag": 1}, ["properties", "tag"], id="no properties"),
        pytest.param(job(None), ["properties.action"], id="no action"),
        pytest.param(
            job({"type": "Foo", "request": {"uri": "x", "method": "GET"}}),
            ["properties.action.request.uri", "properties.action.type"],
            id="an unknown type",
        ),
        pytest.param(
            job({"type": "Foo", "queueMessage": QUEUE | {"message": 5}}),
            ["properties.action.queueMessage.message", "properties.action.type"],
            id="an unknown type of a queue",
        ),
        pytest.param(
            job(request(headers={"A": "b", "C": ["d"]}, authentication={"type": "Magic"})),
            [
                "properties.action.request.authentication.type",
                "properties.action.request.headers.C",
            ],
            id="a header and an authentication",
        ),
        pytest.param(
            job(
                request(), recurrence={"frequency": "week", "schedule": {"hours": [1, 99, 2, "x"]}}
            ),
            [
                "properties.recurrence.schedule.hours",
                "properties.recurrence.schedule.hours[3]",
            ],
            id="two of a list",
        ),
        pytest.param(
            job(request(), recurrence={"frequency": "day", "timeZone": "Mars/Base", "count": "x"}),
            ["properties.recurrence.count", "properties.recurrence.timeZone"],
            id="a calendar",
        ),
        pytest.param(
            job(request(), Recurrence={"FREQUENCY": "never"}, state="asleep"),
            ["properties.Recurrence.FREQUENCY", "properties.state"],
            id="in another letter case",
        ),
    ],
)
def test_each_wrong_value_is_named(body: Json, paths: list[str]) -> None:
    assert refused(body) == paths


def test_a_stored_value_stands_in_for_a_wrong_one() -> None:
    stored = http_job("http://stored.example/")
    tried: list[Json] = []

    def check(body: Json) -> None:
        tried.append(body)
        if body != stored:
            raise Invalid(("properties", "ACTION", "request", "uri"), "is wrong.")

    wrong: Any = {"properties": {"ACTION": {"request": {"uri": "nowhere"}}}}
    body_refusals(wrong, check, stored)

    assert tried[1] == {"properties": {"ACTION": {"request": {"uri": "http://stored.example/"}}}}


def test_only_so_many_refusals_are_collected() -> None:
    body: Json = {f"unknown{number}": 1 for number in range(50)} | http_job()

    assert len(refused(body)) == MOST_REFUSALS
