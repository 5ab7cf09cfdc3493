"""Input of any kind that is no request: a 4xx that says what is wrong, and nothing changes."""

from typing import Any

import pytest

from tests.support.api_client import COLLECTION, JOB, JOBS, Client, http_job

VERSION = "api-version=2016-03-01"
TOO_DEEP = "the JSON is nested too deeply; give at most 64 levels."
TOO_LARGE = "the JSON holds a number that is too large; give less than 1e308."

BROKEN: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "the request has no body; give a JSON object {...}."),
    "white space": (b" \n", "the text is empty; give a JSON object {...}."),
    "half an object": (b'{"properties": {', "the text is not JSON: "),
    "a form": (b"a=b&c=d", "the text is not JSON: "),
    "two documents": (b"{}{}", "the text is not JSON: Extra data at line 1, column 3."),
    "single quotes": (b"{'a': 1}", "the text is not JSON: "),
    "a trailing comma": (b'{"a": 1,}', "the text is not JSON: "),
    "a NUL byte": (b'{"a": "\0"}', "the text is not JSON: Invalid control character"),
    "a NUL byte outside": (b"{}\0", "the text is not JSON: "),
    "invalid UTF-8": (b'{"a": "\xff"}', "the text is not UTF-8: byte 8 is invalid."),
    "a surrogate in UTF-8": (b'{"a": "\xed\xa0\x80"}', "the text is not UTF-8: byte 8"),
    "half a surrogate pair": (b'{"a": "\\ud800"}', "a string holds half of a surrogate pair"),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), "the text is not UTF-8: byte 1 is invalid."),
    "NaN": (b'{"a": NaN}', "the text is not JSON: NaN is not a JSON number."),
    "infinity": (b'{"a": -Infinity}', "the text is not JSON: -Infinity is not a JSON number."),
    "a number beyond all": (b'{"a": [-1e999]}', TOO_LARGE),
    "a number of 5000 digits": (
        b'{"a": ' + b"9" * 5000 + b"}",
        "the JSON holds a number with too many digits.",
    ),
    "a name twice": (
        b'{"properties": {}, "properties": {}}',
        'an object has the name "properties" twice; give it once.',
    ),
    "a name twice far inside": (
        b'{"a": [{"b": {"c": 1, "c": 2}}]}',
        'an object has the name "c" twice; give it once.',
    ),
    "65 levels": (b'{"a":' * 65 + b"1" + b"}" * 65, TOO_DEEP),
    "900 objects": (b'{"a":' * 900 + b"1" + b"}" * 900, TOO_DEEP),
    "100,000 objects": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, TOO_DEEP),
    "100,000 lists": (b"[" * 100_000 + b"]" * 100_000, TOO_DEEP),
    "a list": (b"[]", " is not valid; give an object {...}."),
    "a string": (b'"x"', " is not valid; give an object {...}."),
    "a number": (b"5", " is not valid; give an object {...}."),
    "null": (b"null", "null is not valid; give an object {...}."),
}


@pytest.mark.parametrize(("body", "message"), BROKEN.values(), ids=BROKEN.keys())
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", COLLECTION),
        ("PATCH", COLLECTION),
        ("PUT", JOB),
        ("PATCH", JOB),
        ("POST", JOBS),
    ],
)
def test_a_body_that_is_no_json_object_is_refused(
    billing: Client, method: str, path: str, body: bytes, message: str
) -> None:
    billing.put(JOB, http_job())
    before = billing.state()

    reply = billing.call(method, path, body)

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert message in reply.message
    assert billing.state() == before


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbf{}",
        b'{"type":' + b'{"a":' * 62 + b"1" + b"}" * 63 + b"\n",
        b'{"type": [' + b'{"b": [[]]},' * 100 + b"0]}",
    ],
    ids=["a byte order mark", "63 levels", "many objects side by side"],
)
def test_what_is_merely_odd_is_accepted(billing: Client, body: bytes) -> None:
    billing.put(JOB, http_job())

    assert billing.patch(JOB, body).status == 200


@pytest.mark.parametrize(
    ("recurrence", "place"),
    [
        ('{"frequency": "day", "interval": 1e300}', "interval"),
        ('{"frequency": "day", "interval": 99999999999999999999}', "interval"),
        ('{"frequency": "day", "count": 2147483648}', "count"),
        ('{"frequency": "day", "count": 99999999999999999999999}', "count"),
        ('{"frequency": "day", "count": -99999999999999999999999}', "count"),
        ('{"frequency": "day", "schedule": {"hours": [1e30]}}', "schedule.hours"),
        ('{"frequency": "month", "schedule": {"monthDays": -1e99}}', "schedule.monthDays"),
    ],
)
def test_a_huge_number_is_refused_where_it_stands(
    billing: Client, recurrence: str, place: str
) -> None:
    action = '{"type": "Http", "request": {"uri": "http://h/", "method": "get"}}'
    body = f'{{"properties": {{"action": {action}, "recurrence": {recurrence}}}}}'
    before = billing.state()

    reply = billing.put(JOB, body.encode())

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith(f"properties.recurrence.{place}")
    assert billing.state() == before


def test_a_huge_number_in_what_is_ignored_does_no_harm(billing: Client) -> None:
    body = http_job(status=[10**30, 10**400, -(10**30), 1e300])

    assert billing.put(JOB, body).status == 201
    assert billing.patch(JOB, {"properties": {"status": 10**400}}).status == 200


def test_the_largest_count_is_that_of_the_clients(billing: Client) -> None:
    recurrence = {"frequency": "day", "count": 2**31 - 1}

    reply = billing.put(JOB, http_job(recurrence=recurrence))

    assert reply.json["properties"]["recurrence"]["count"] == 2**31 - 1


TWICE: dict[str, tuple[Any, str]] = {
    "top": ({"properties": {}, "Properties": {}}, "Properties"),
    "state": ({"properties": {"state": "enabled", "STATE": "disabled"}}, "properties.STATE"),
    "action": ({"properties": {"action": {}, "Action": {}}}, "properties.Action"),
    "uri": (
        {"properties": {"action": {"request": {"uri": "http://a/", "URI": "http://b/"}}}},
        "properties.action.request.URI",
    ),
    "schedule": (
        {"properties": {"recurrence": {"schedule": {"minute": 1, "minutes": 2}}}},
        "properties.recurrence.schedule.minutes",
    ),
}


@pytest.mark.parametrize(("patch", "path"), TWICE.values(), ids=TWICE.keys())
def test_a_name_twice_in_different_letter_case_is_refused_in_a_patch_too(
    billing: Client, patch: Any, path: str
) -> None:
    recurrence = {"frequency": "hour", "schedule": {"minutes": [0]}}
    billing.put(JOB, http_job(recurrence=recurrence))
    before = billing.state()

    reply = billing.patch(JOB, patch)

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith(f"{path}: is given twice")
    assert billing.state() == before


def test_a_body_of_more_than_a_mebibyte_is_refused(billing: Client) -> None:
    billing.put(JOB, http_job())
    before = billing.state()

    replies = [billing.put(JOB, b" " * (2**20 + 1)), billing.patch(JOB, b" " * (2**20 + 1))]

    for reply in replies:
        assert (reply.status, reply.code) == (413, "RequestEntityTooLarge")
    assert billing.put(JOB, b" " * 2**20).status == 400
    assert billing.state() == before


def test_a_large_body_is_refused_by_its_declared_length_before_it_is_read(billing: Client) -> None:
    reply = billing.put(JOB, b"{}", headers={"content-length": str(5 * 2**20)})

    assert reply.status == 413


def test_a_large_body_without_a_declared_length_is_refused(billing: Client) -> None:
    reply = billing.put(JOB, b" " * (2**20 + 1), headers={"content-length": ""})

    assert reply.status == 413


@pytest.mark.parametrize(
    "query",
    [
        f"{VERSION}&$top=%ff",
        f"{VERSION}&%ed%a0%80=1",
        f"{VERSION}&$top=1&$TOP=2",
        f"{VERSION}&{VERSION}",
    ],
    ids=["invalid UTF-8", "a surrogate", "a parameter twice", "the version twice"],
)
def test_a_query_that_cannot_be_read_is_refused(billing: Client, query: str) -> None:
    reply = billing.get(JOBS, query=query)

    assert (reply.status, reply.code) == (400, "MissingOrInvalidRequiredQueryParameter")
