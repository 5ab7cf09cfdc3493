"""What is refused of a job: named by its path, with the value and what would be right."""

from typing import Any

import pytest

from foliot.core.limits import Limits
from tests.support.api_client import COLLECTION, JOB, JOBS, Client, a_collection, http_job
from tests.support.bodies import action_job, bus_job, daily, queue_job, request_job, topic_job

REQUEST = "properties.action.request"
QUEUE = "properties.action.queueMessage"
BUS = "properties.action.serviceBusQueueMessage"
TOPIC = "properties.action.serviceBusTopicMessage"
KINDS = "give one of Http, Https, StorageQueue, ServiceBusQueue, ServiceBusTopic."
AN_ADDRESS = 'give an absolute address such as "https://example.com/path"'


def without(body: dict[str, Any], name: str) -> dict[str, Any]:
    next(part for part in body["properties"]["action"].values() if isinstance(part, dict)).pop(name)
    return body


def with_retry(**policy: Any) -> dict[str, Any]:
    body = http_job()
    body["properties"]["action"]["retryPolicy"] = policy
    return body


def with_error(action: Any) -> dict[str, Any]:
    body = http_job()
    body["properties"]["action"]["errorAction"] = action
    return body


def with_kind(kind: Any) -> dict[str, Any]:
    body = http_job()
    body["properties"]["action"]["type"] = kind
    return body


def with_part(body: dict[str, Any], **part: Any) -> dict[str, Any]:
    body["properties"]["action"] |= part
    return body


REFUSED: dict[str, tuple[Any, str]] = {
    # What must be there.
    "no properties": ({}, "properties: is missing; give an object {...}."),
    "null for properties": ({"properties": None}, "properties: is missing; give an object {...}."),
    "no action": ({"properties": {}}, "properties.action: is missing; give an object {...}."),
    "no type": (
        action_job({"request": {}}),
        f"properties.action.type: is missing; {KINDS}",
    ),
    "no part": (
        action_job({"type": "Http"}),
        "properties.action.request: is missing; give an object {...}.",
    ),
    "no uri": (without(request_job(), "uri"), f"{REQUEST}.uri: is missing; give a string."),
    "no method": (
        without(request_job(), "method"),
        f"{REQUEST}.method: is missing; give a string.",
    ),
    "no storage account": (
        without(queue_job(), "storageAccount"),
        f"{QUEUE}.storageAccount: is missing; give a string.",
    ),
    "no storage queue": (
        without(queue_job(), "queueName"),
        f"{QUEUE}.queueName: is missing; give a string.",
    ),
    "no storage message": (
        without(queue_job(), "message"),
        f"{QUEUE}.message: is missing; give a string.",
    ),
    "no bus queue": (
        without(bus_job(), "queueName"),
        f"{BUS}.queueName: is missing; give a string.",
    ),
    "a message XML cannot carry": (
        queue_job(message="a\x08"),
        f"{QUEUE}.message: holds the character U+0008, which XML cannot carry; leave it out.",
    ),
    "an envelope XML cannot carry": (
        queue_job(message="\uffff", format="envelope"),
        f"{QUEUE}.message: holds the character U+FFFF, which XML cannot carry; leave it out.",
    ),
    "an envelope no queue could hold": (
        queue_job(message="&" * 12_000, format="envelope"),
        f"{QUEUE}.message: has 80280 bytes as it goes to the queue; "
        "give at most 65536, a queue's own limit.",
    ),
    "no namespace": (
        without(bus_job(), "namespace"),
        f"{BUS}.namespace: is missing; give a string.",
    ),
    "no bus message": (
        without(bus_job(), "message"),
        f"{BUS}.message: is missing; give a string.",
    ),
    "no topic": (
        without(topic_job(), "topicPath"),
        f"{TOPIC}.topicPath: is missing; give a string.",
    ),
    "no type of authentication": (
        request_job(authentication={}),
        f"{REQUEST}.authentication.type: is missing; "
        "give one of Basic, ClientCertificate, ActiveDirectoryOAuth, StandardWebhooks, "
        "NotSpecified.",
    ),
    # What belongs together.
    "unknown type": (
        with_kind("Ftp"),
        f'properties.action.type: "Ftp" is not valid; {KINDS}',
    ),
    "type that is no string": (
        with_kind(5),
        f"properties.action.type: 5 is not valid; {KINDS}",
    ),
    "message in a request": (
        with_part(request_job(), queueMessage={}),
        'properties.action.queueMessage: does not belong to an action of type "Http"; '
        "give request instead.",
    ),
    "topic in a bus queue": (
        with_part(bus_job(), serviceBusTopicMessage={}),
        "properties.action.serviceBusTopicMessage: "
        'does not belong to an action of type "ServiceBusQueue"; '
        "give serviceBusQueueMessage instead.",
    ),
    "request in a storage queue": (
        with_part(queue_job(), request={}),
        'properties.action.request: does not belong to an action of type "StorageQueue"; '
        "give queueMessage instead.",
    ),
    "error action of another type": (
        with_error({"type": "Http", "queueMessage": {}}),
        "properties.action.errorAction.queueMessage: "
        'does not belong to an action of type "Http"; give request instead.',
    ),
    "error action without a type": (
        with_error({}),
        f"properties.action.errorAction.type: is missing; {KINDS}",
    ),
    "error action that is none": (
        with_error(["x"]),
        "properties.action.errorAction: a list is not valid; give an object {...}.",
    ),
    # Requests.
    "relative uri": (
        request_job(uri="/path"),
        f'{REQUEST}.uri: "/path" is not valid; {AN_ADDRESS}.',
    ),
    "uri of another scheme": (
        request_job(uri="ftp://h/"),
        f'{REQUEST}.uri: "ftp://h/" is not valid; {AN_ADDRESS}.',
    ),
    "uri without a host": (
        request_job(uri="http:///x"),
        f'{REQUEST}.uri: "http:///x" is not valid; {AN_ADDRESS}.',
    ),
    "uri with a bad port": (
        request_job(uri="http://h:99999/"),
        f'{REQUEST}.uri: "http://h:99999/" is not valid; {AN_ADDRESS}.',
    ),
    "uri with port 0": (
        request_job(uri="http://h:0/"),
        f'{REQUEST}.uri: "http://h:0/" is not valid; {AN_ADDRESS}.',
    ),
    "uri with a broken IPv6 address": (
        request_job(uri="http://[::1/"),
        f'{REQUEST}.uri: "http://[::1/" is not valid; {AN_ADDRESS}.',
    ),
    "uri with a space": (
        request_job(uri="http://h/a b?secret"),
        f'{REQUEST}.uri: "http://h/a b" is not valid; '
        f"{AN_ADDRESS}, other characters percent-encoded.",
    ),
    "uri with a line break": (
        request_job(uri="http://h/\r\nx: y"),
        f'{REQUEST}.uri: "http://h/\\r\\nx: y" is not valid; {AN_ADDRESS}, other',
    ),
    "uri with a NUL": (
        request_job(uri="http://h/\0"),
        f"{REQUEST}.uri: holds a NUL character; leave it out.",
    ),
    "uri with a backslash": (
        request_job(uri="http://good.com\\@evil.com/"),
        f'{REQUEST}.uri: "(an address with a user)" is not valid; {AN_ADDRESS}, other',
    ),
    "empty uri": (request_job(uri=""), f'{REQUEST}.uri: "" is not valid; {AN_ADDRESS}.'),
    "uri that is no string": (
        request_job(uri=["http://h/?secret"]),
        f"{REQUEST}.uri: a list is not valid; give a string.",
    ),
    "empty method": (
        request_job(method=""),
        f'{REQUEST}.method: "" is not valid; give an HTTP method such as GET or POST.',
    ),
    "method of two words": (
        request_job(method="GET /"),
        f'{REQUEST}.method: "GET /" is not valid; give an HTTP method such as GET or POST.',
    ),
    "method with a line break": (
        request_job(method="GET\r\n"),
        f'{REQUEST}.method: "GET\\r\\n" is not valid; give an HTTP method',
    ),
    "header name with a space": (
        request_job(headers={"a b": "c"}),
        f"{REQUEST}.headers.a b: is not a header's name; give letters, digits and - only.",
    ),
    "empty header name": (
        request_job(headers={"": "c"}),
        f"{REQUEST}.headers.: is not a header's name; give letters, digits and - only.",
    ),
    "header name with a line break": (
        request_job(headers={"a\r\nb": "c"}),
        f"{REQUEST}.headers.a\r\nb: is not a header's name; give letters, digits and - only.",
    ),
    "header value with CR": (
        request_job(headers={"a": "b\rc"}),
        f"{REQUEST}.headers.a: has a line break or a control character in its value; leave it out.",
    ),
    "header value with LF": (
        request_job(headers={"a": "b\nc"}),
        f"{REQUEST}.headers.a: has a line break or a control character in its value; leave it out.",
    ),
    "header value with an escape": (
        request_job(headers={"a": "b\x1bc"}),
        f"{REQUEST}.headers.a: has a line break or a control character in its value; leave it out.",
    ),
    "header value with NUL": (
        request_job(headers={"a": "b\0c"}),
        f"{REQUEST}.headers.a: holds a NUL character; leave it out.",
    ),
    "header value that is a list": (
        request_job(headers={"a": ["b"]}),
        f"{REQUEST}.headers.a: a list is not valid; give a string.",
    ),
    "header value that is an object": (
        request_job(headers={"a": {"b": "c"}}),
        f"{REQUEST}.headers.a: an object is not valid; give a string.",
    ),
    "headers that are a list": (
        request_job(headers=[{"a": "b"}]),
        f"{REQUEST}.headers: a list is not valid; give an object of strings {{...}}.",
    ),
    "body that is an object": (
        request_job(body={"a": 1}),
        f"{REQUEST}.body: an object is not valid; give a string.",
    ),
    "body that is a boolean": (
        request_job(body=True),
        f"{REQUEST}.body: a boolean is not valid; give a string.",
    ),
    "body that is a number": (
        request_job(body=5),
        f"{REQUEST}.body: a number is not valid; give a string.",
    ),
    "body with a NUL": (
        request_job(body="a\0"),
        f"{REQUEST}.body: holds a NUL character; leave it out.",
    ),
    "unknown authentication": (
        request_job(authentication={"type": "Digest"}),
        f'{REQUEST}.authentication.type: "Digest" is not valid; '
        "give one of Basic, ClientCertificate, ActiveDirectoryOAuth, StandardWebhooks, "
        "NotSpecified.",
    ),
    "authentication that is a string": (
        request_job(authentication="Basic dTpw"),
        f"{REQUEST}.authentication: a string is not valid; give an object {{...}}.",
    ),
    "password that is a number": (
        request_job(authentication={"type": "Basic", "password": 12345}),
        f"{REQUEST}.authentication.password: a number is not valid; give a string.",
    ),
    "pfx that is no base64": (
        request_job(authentication={"type": "ClientCertificate", "pfx": "%%%"}),
        f"{REQUEST}.authentication.pfx: is not base64; give the PFX file encoded in base64.",
    ),
    "pfx that is no file": (
        request_job(authentication={"type": "ClientCertificate", "pfx": "AAAA"}),
        f"{REQUEST}.authentication.pfx: cannot be opened: "
        "the file is broken or the password is wrong; give both again.",
    ),
    # Messages.
    "unknown format": (
        queue_job(format="xml"),
        f'{QUEUE}.format: "xml" is not valid; give one of text, envelope.',
    ),
    "unknown transport": (
        bus_job(transportType="tcp"),
        f'{BUS}.transportType: "tcp" is not valid; give one of netMessaging, amqp, notSpecified.',
    ),
    "unknown bus authentication": (
        bus_job(authentication={"type": "Basic"}),
        f'{BUS}.authentication.type: "Basic" is not valid; '
        "give one of sharedAccessKey, notSpecified.",
    ),
    "custom property that is a list": (
        bus_job(customMessageProperties={"a": []}),
        f"{BUS}.customMessageProperties.a: a list is not valid; give a string.",
    ),
    "persistence that is no boolean": (
        bus_job(brokeredMessageProperties={"forcePersistence": "yes"}),
        f'{BUS}.brokeredMessageProperties.forcePersistence: "yes" is not valid; '
        "give true or false.",
    ),
    "enqueue time that is none": (
        bus_job(brokeredMessageProperties={"scheduledEnqueueTimeUtc": "soon"}),
        f'{BUS}.brokeredMessageProperties.scheduledEnqueueTimeUtc: "soon" is not a date-time;',
    ),
    "time to live that is none": (
        bus_job(brokeredMessageProperties={"timeToLive": "long"}),
        f'{BUS}.brokeredMessageProperties.timeToLive: "long" is not valid; give ISO 8601',
    ),
    # Retry policy.
    "unknown retry type": (
        with_retry(retryType="linear"),
        'properties.action.retryPolicy.retryType: "linear" is not valid; '
        "give one of none, fixed, exponential.",
    ),
    "retry interval under 15 seconds": (
        with_retry(retryInterval="PT14.9999999S"),
        'properties.action.retryPolicy.retryInterval: "PT14.9999999S" is not valid; '
        "give 15 seconds to 18 months (548 days).",
    ),
    "retry interval over 18 months": (
        with_retry(retryInterval="548.00:00:01"),
        'properties.action.retryPolicy.retryInterval: "548.00:00:01" is not valid; '
        "give 15 seconds to 18 months (548 days).",
    ),
    "retry interval that is a number": (
        with_retry(retryInterval=30),
        "properties.action.retryPolicy.retryInterval: 30 is not valid; give ISO 8601",
    ),
    "21 retries": (
        with_retry(retryCount=21),
        "properties.action.retryPolicy.retryCount: 21 is not valid; "
        "give a whole number from 0 to 20.",
    ),
    "negative retries": (
        with_retry(retryCount=-1),
        "properties.action.retryPolicy.retryCount: -1 is not valid; "
        "give a whole number from 0 to 20.",
    ),
    "half a retry": (
        with_retry(retryCount=1.5),
        "properties.action.retryPolicy.retryCount: 1.5 is not valid; give a whole number.",
    ),
    # State and calendar.
    "unknown state": (
        http_job(state="paused"),
        'properties.state: "paused" is not valid; give one of enabled, disabled.',
    ),
    "final state": (
        http_job(state="Completed"),
        'properties.state: "completed" is not valid; give one of enabled, disabled.',
    ),
    "state that is no string": (
        http_job(state=True),
        "properties.state: true is not valid; give one of enabled, disabled.",
    ),
    "start that is none": (
        http_job(startTime="tomorrow"),
        'properties.startTime: "tomorrow" is not a date-time; give ISO 8601',
    ),
    "start too far ahead": (
        http_job(startTime="2027-07-12T00:00:00.0000001Z"),
        'properties.startTime: "2027-07-12T00:00:00.0000001Z" is more than 18 months '
        "(548 days) ahead; give 2027-07-12T00:00:00Z or earlier.",
    ),
    "start too far ahead for a disabled job": (
        http_job(startTime="2028-01-01", state="disabled"),
        'properties.startTime: "2028-01-01T00:00:00Z" is more than 18 months',
    ),
    "end in the past": (
        http_job(recurrence=daily(endTime="2026-01-09T23:59:59.9999999Z")),
        'properties.recurrence.endTime: "2026-01-09T23:59:59.9999999Z" is in the past; '
        "give 2026-01-10T00:00:00Z or later, or leave it out.",
    ),
    "days of month in a week": (
        http_job(recurrence={"frequency": "week", "schedule": {"monthDays": [1]}}),
        "properties.recurrence.schedule.monthDays: "
        "Cannot set days of month with recurrence unit 'Week'. ",
    ),
    "unknown property of a recurrence": (
        http_job(recurrence=daily(intervall=5)),
        "properties.recurrence.intervall: is not known here; did you mean 'interval'?",
    ),
    "unknown property of a schedule": (
        http_job(recurrence=daily(schedule={"hourz": 5})),
        "properties.recurrence.schedule.hourz: is not known here; did you mean 'hours'?",
    ),
    "empty schedule": (
        http_job(recurrence=daily(schedule={})),
        "properties.recurrence.schedule: {} selects no time;",
    ),
    "empty list": (
        http_job(recurrence=daily(schedule={"hours": []})),
        "properties.recurrence.schedule.hours: [] is empty;",
    ),
    "no frequency": (
        http_job(recurrence={}),
        "properties.recurrence.frequency: is missing; give one of minute, hour,",
    ),
    "interval too long": (
        http_job(recurrence=daily(interval=549)),
        "properties.recurrence.interval: 549 is not valid; give a whole number from 1 to 548,",
    ),
    "negative count": (
        http_job(recurrence=daily(count=-1)),
        "properties.recurrence.count: -1 is not valid; give a whole number of at least 1,",
    ),
    "unknown time zone": (
        http_job(recurrence=daily(timeZone="Mars/Olympus")),
        'properties.recurrence.timeZone: "Mars/Olympus" is not',
    ),
    "schedule that never occurs": (
        http_job(recurrence={"frequency": "month", "schedule": {"months": [2], "monthDays": [30]}}),
        "properties.recurrence: this schedule never occurs: ",
    ),
    "schedule that never occurs, disabled": (
        http_job(
            recurrence={"frequency": "month", "schedule": {"months": [2], "monthDays": [30]}},
            state="disabled",
        ),
        "properties.recurrence: this schedule never occurs: ",
    ),
    "end before the first occurrence": (
        http_job(startTime="2026-02-01", recurrence=daily(endTime="2026-01-31")),
        "properties.recurrence.endTime: this schedule never occurs: ",
    ),
}


@pytest.mark.parametrize(("body", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_refusal_names_the_place_the_value_and_what_is_right(
    billing: Client, body: Any, message: str
) -> None:
    before = billing.state()

    put, posted = billing.put(JOB, body), billing.post(JOBS, body)

    assert (put.status, put.code) == (400, "BadRequest")
    assert put.message.startswith(message)
    assert (posted.status, posted.message) == (400, put.message)
    assert billing.state() == before


@pytest.mark.parametrize(
    "header",
    ["Host", "host", "Content-Length", "CONTENT-LENGTH", "Transfer-Encoding", "connection"],
)
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_headers_that_are_made_from_the_request_cannot_be_set(
    billing: Client, method: str, header: str
) -> None:
    billing.put(JOB, request_job())
    before = billing.state()

    reply = billing.call(method, JOB, request_job(headers={"Accept": "*/*", header: "1"}))

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message == (
        f"{REQUEST}.headers.{header}: cannot be set: it is made from the request; leave it out."
    )
    assert billing.state() == before


@pytest.mark.parametrize(
    "request_",
    [
        {"uri": "HTTPS://EXAMPLE.COM"},
        {"uri": "http://user:word@h:8080/a%20b;c?d=e&f#g"},
        {"uri": "http://[::1]:8080/"},
        {"uri": "http://10.0.0.1"},
        {"uri": "http://příklad.cz/ž"},
        {"method": "BREW"},
        {"method": "m-search"},
        {"headers": {"X-Tab": "a\tb", "X-Umlaut": "ä", "!#$%&'*+-.^_`|~09aZ": "x"}},
        {"headers": {"Authorization": "Bearer x", "Accept": "a", "accept": "b"}},
        {"body": "\r\n\t\x1b ä 🦉"},
    ],
    ids=[
        "upper-case",
        "everything",
        "IPv6",
        "IPv4",
        "not ASCII",
        "any method",
        "lower-case method",
        "headers",
        "credentials",
        "body",
    ],
)
def test_what_is_legal_comes_back_exactly_as_sent(
    billing: Client, request_: dict[str, Any]
) -> None:
    reply = billing.put(JOB, request_job(**request_))

    assert reply.status == 201
    shown = reply.json["properties"]["action"]["request"]
    assert {name: shown[name] for name in request_} == request_


def uri_of(length: int) -> str:
    return "http://h/".ljust(length, "x")


def headers_of(count: int, characters: int) -> dict[str, str]:
    names = [f"h{number:02}" for number in range(count)]
    each, rest = divmod(characters - 3 * count, count)
    return {name: "v" * (each + (rest if name == "h00" else 0)) for name in names}


def job_of(size: int) -> dict[str, Any]:
    """Return a job of so many bytes as compact JSON; a letter with an accent has two."""
    body = queue_job(message="é")
    overhead = len(
        '{"properties":{"action":{"type":"StorageQueue","queueMessage":{"storageAccount"'
    )
    overhead += len(':"acme","queueName":"orders","message":"é"}}}}') + 1
    body["properties"]["action"]["queueMessage"]["message"] += "x" * (size - overhead)
    return body


LIMITS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "uri": (
        request_job(uri=uri_of(2048)),
        request_job(uri=uri_of(2049)),
        f"{REQUEST}.uri: has 2049 characters; give at most 2048.",
    ),
    "number of headers": (
        request_job(headers=headers_of(50, 500)),
        request_job(headers=headers_of(51, 500)),
        f"{REQUEST}.headers: 51 headers are too many; give 50 at most.",
    ),
    "size of headers": (
        request_job(headers=headers_of(50, 4096)),
        request_job(headers=headers_of(50, 4097)),
        f"{REQUEST}.headers: have 4097 characters together; give at most 4096.",
    ),
    "body": (
        request_job(body="b" * 8192),
        request_job(body="b" * 8193),
        f"{REQUEST}.body: has 8193 characters; give at most 8192.",
    ),
    "job": (
        job_of(16384),
        job_of(16385),
        "the job has 16385 bytes as JSON; give at most 16384.",
    ),
}


@pytest.mark.parametrize(("good", "bad", "message"), LIMITS.values(), ids=LIMITS.keys())
def test_a_job_may_reach_a_limit_but_not_pass_it(
    billing: Client, good: dict[str, Any], bad: dict[str, Any], message: str
) -> None:
    at_the_limit = billing.put(JOB, good)
    before = billing.state()
    put, patched = billing.put(JOB, bad), billing.patch(JOB, bad)

    assert at_the_limit.status == 201
    assert (put.status, put.code, put.message) == (400, "BadRequest", message)
    assert patched.status == 400
    assert billing.state() == before


def test_white_space_does_not_count_towards_the_size_of_a_job(billing: Client) -> None:
    assert (
        billing.put(
            JOB,
            b" " * 20_000 + b'{"properties": {"action": {"type": "Http",'
            b'"request": {"uri": "http://h/", "method": "get"}}}}',
        ).status
        == 201
    )


def test_an_error_action_has_the_same_limits(billing: Client) -> None:
    error = request_job(body="b" * 8193)["properties"]["action"]

    reply = billing.put(JOB, with_error(error))

    assert reply.message == (
        "properties.action.errorAction.request.body: has 8193 characters; give at most 8192."
    )


@pytest.mark.parametrize(
    ("limits", "body"),
    [
        (Limits(max_uri_characters=20), request_job(uri=uri_of(21))),
        (Limits(max_headers=1), request_job(headers={"a": "b", "c": "d"})),
        (Limits(max_header_characters=3), request_job(headers={"ab": "cd"})),
        (Limits(max_body_characters=3), request_job(body="1234")),
        (Limits(max_job_bytes=50), http_job()),
    ],
    ids=["uri", "headers", "header characters", "body", "job"],
)
def test_an_operator_can_change_each_limit(tmp_path: Any, limits: Limits, body: Any) -> None:
    with Client(tmp_path, limits=limits) as client:
        client.put(COLLECTION, a_collection())

        assert client.put(JOB, body).status == 400
