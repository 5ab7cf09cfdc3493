"""Jobs as they come back: order, letter case, what is kept and what is left out."""

from typing import Any

import pytest

from tests.support.api_client import COLLECTION, JOB, JOBS, Client, http_job
from tests.support.bodies import action_job, bus_job, daily, queue_job, request_job, topic_job
from tests.support.certificates import a_pfx

STATUS = (
    '"status":{"nextExecutionTime":"2026-01-10T00:00:00Z",'
    '"executionCount":0,"failureCount":0,"faultedCount":0}'
)
PFX = a_pfx("client", "p")
HTTP_AUTH = ("request", "authentication", "type")
BUS_AUTH = ("serviceBusQueueMessage", "authentication", "type")
TRANSPORT = ("serviceBusQueueMessage", "transportType")
HTTPS = {"type": "hTTPS", "request": {"uri": "http://h/", "method": "x"}}
BROKERED = {
    "viaPartitionKey": "v",
    "to": "t",
    "timeToLive": "PT1H",
    "sessionId": "s",
    "scheduledEnqueueTimeUtc": "2026-02-01T01:00:00+01:00",
    "replyToSessionId": "rs",
    "replyTo": "r",
    "partitionKey": "p",
    "messageId": "m",
    "label": "l",
    "forcePersistence": True,
    "correlationId": "c",
    "contentType": "ct",
}


def resource(properties: str) -> str:
    return (
        f'{{"id":"{JOB}","type":"Microsoft.Scheduler/jobCollections/jobs",'
        f'"name":"Billing/Nightly","properties":{{{properties}}}}}'
    )


def action_of(client: Client, body: dict[str, Any]) -> Any:
    reply = client.put(JOB, body)
    assert reply.status in (200, 201), reply.content
    assert client.get(JOB).content == reply.content
    return reply.json["properties"]["action"]


def test_a_minimal_job_comes_back_with_its_state_and_status_only(billing: Client) -> None:
    body = action_job({"type": "Http", "request": {"method": "get", "uri": "http://h/"}})

    reply = billing.put(JOB, body)

    assert reply.content.decode() == resource(
        '"action":{"request":{"uri":"http://h/","method":"get"},"type":"Http"},"state":"enabled",'
        + STATUS
    )
    assert billing.get(JOB).content == reply.content
    assert billing.get(JOBS).content == b'{"value":[' + reply.content + b'],"nextLink":null}'


def test_all_properties_of_a_job_come_back_in_order(billing: Client) -> None:
    properties = {
        "status": {"executionCount": 99},
        "state": "ENABLED",
        "recurrence": {
            "timeZone": "Europe/Prague",
            "schedule": {
                "months": [1, 2],
                "monthlyOccurrences": [{"occurrence": 2, "day": "MONDAY"}, {"day": "Friday"}],
                "monthDays": [9, -1],
                "hours": [8],
                "minutes": [30, 0],
            },
            "interval": 1,
            "endTime": "2027-01-01T00:00:00Z",
            "count": 5,
            "frequency": "Month",
        },
        "action": {
            "errorAction": {
                "retryPolicy": {"retryType": "NONE"},
                "type": "STORAGEQUEUE",
                "queueMessage": {
                    "format": "ENVELOPE",
                    "message": "m",
                    "sasToken": "t",
                    "queueName": "q",
                    "storageAccount": "a",
                },
            },
            "retryPolicy": {"retryCount": 2, "retryInterval": "00:01:00", "retryType": "FIXED"},
            "type": "HTTPS",
            "request": {
                "authentication": {"type": "BASIC", "password": "p", "username": "u"},
                "body": "b",
                "headers": {"X-b": "1", "x-A": "2"},
                "method": "PoSt",
                "uri": "HTTP://Example.com/A?b",
            },
        },
        "startTime": "2026-01-12T00:00:00.1234567Z",
    }

    reply = billing.put(JOB, {"properties": properties})

    assert reply.content.decode() == resource(
        '"startTime":"2026-01-12T00:00:00.1234567Z",'
        '"action":{"request":{"uri":"HTTP://Example.com/A?b","method":"PoSt",'
        '"headers":{"X-b":"1","x-A":"2"},"body":"b",'
        '"authentication":{"username":"u","type":"Basic"}},"type":"Https",'
        '"retryPolicy":{"retryType":"fixed","retryInterval":"00:01:00","retryCount":2},'
        '"errorAction":{"queueMessage":{"storageAccount":"a","queueName":"q","message":"m",'
        '"format":"envelope"},"type":"StorageQueue","retryPolicy":{"retryType":"none"}}},'
        '"recurrence":{"frequency":"month","count":5,"endTime":"2027-01-01T00:00:00Z",'
        '"interval":1,"schedule":{"minutes":[30,0],"hours":[8],"monthDays":[9,-1],'
        '"monthlyOccurrences":[{"day":"monday","occurrence":2},{"day":"friday"}],'
        '"months":[1,2]},"timeZone":"Europe/Prague"},'
        '"state":"enabled","status":{"nextExecutionTime":"2026-02-09T07:00:00Z",'
        '"executionCount":0,"failureCount":0,"faultedCount":0}'
    )


@pytest.mark.parametrize(
    ("job", "part", "entity", "kind"),
    [
        (bus_job, "serviceBusQueueMessage", '"queueName":"orders"', "ServiceBusQueue"),
        (topic_job, "serviceBusTopicMessage", '"topicPath":"news"', "ServiceBusTopic"),
    ],
    ids=["queue", "topic"],
)
def test_all_properties_of_a_service_bus_message_come_back_in_order(
    billing: Client, job: Any, part: str, entity: str, kind: str
) -> None:
    body = job(
        customMessageProperties={"b": "1", "a": 2, "c": False, "d": None},
        brokeredMessageProperties=BROKERED,
        message="hello",
        authentication={"type": "SHAREDACCESSKEY", "sasKeyName": "n", "sasKey": "k"},
        transportType="NETMESSAGING",
    )

    reply = billing.put(JOB, body)

    assert reply.content.decode() == resource(
        f'"action":{{"{part}":{{{entity},"namespace":"acme","transportType":"netMessaging",'
        '"authentication":{"sasKeyName":"n","type":"sharedAccessKey"},"message":"hello",'
        '"brokeredMessageProperties":{"contentType":"ct","correlationId":"c",'
        '"forcePersistence":true,"label":"l","messageId":"m","partitionKey":"p","replyTo":"r",'
        '"replyToSessionId":"rs","scheduledEnqueueTimeUtc":"2026-02-01T00:00:00Z",'
        '"sessionId":"s","timeToLive":"PT1H","to":"t","viaPartitionKey":"v"},'
        f'"customMessageProperties":{{"b":"1","a":"2","c":"false"}}}},"type":"{kind}"}},'
        f'"state":"enabled",{STATUS}'
    )


@pytest.mark.parametrize(
    "job", [request_job, queue_job, bus_job, topic_job], ids=["http", "storage", "queue", "topic"]
)
def test_property_names_are_read_in_any_letter_case(billing: Client, job: Any) -> None:
    expected = action_of(billing, job())

    for spell in (str.upper, str.lower, str.swapcase):
        assert action_of(billing, respelt(job(), spell)) == expected


def respelt(value: Any, spell: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {spell(name): respelt(each, spell) for name, each in value.items()}


@pytest.mark.parametrize(
    ("body", "place", "shown"),
    [
        (http_job(), ("type",), "Http"),
        (action_job(HTTPS), ("type",), "Https"),
        (
            request_job(
                authentication={
                    "type": "activedirectoryOAUTH",
                    "tenant": "t",
                    "audience": "a",
                    "clientId": "c",
                }
            ),
            HTTP_AUTH,
            "ActiveDirectoryOAuth",
        ),
        (
            request_job(
                authentication={"type": "clientCERTIFICATE", "pfx": PFX.text, "password": "p"}
            ),
            HTTP_AUTH,
            "ClientCertificate",
        ),
        (
            request_job(authentication={"type": "bAsIc", "username": "ann"}),
            HTTP_AUTH,
            "Basic",
        ),
        (request_job(authentication={"type": "NOTspecified"}), HTTP_AUTH, "NotSpecified"),
        (bus_job(transportType="AMQP"), TRANSPORT, "amqp"),
        (bus_job(transportType="netmessaging"), TRANSPORT, "netMessaging"),
        (bus_job(transportType="NotSpecified"), TRANSPORT, "notSpecified"),
        (bus_job(authentication={"type": "SharedAccessKey"}), BUS_AUTH, "sharedAccessKey"),
        (bus_job(authentication={"type": "NotSpecified"}), BUS_AUTH, "notSpecified"),
        (queue_job(format="Text"), ("queueMessage", "format"), "text"),
    ],
    ids=[
        "Http",
        "Https",
        "OAuth",
        "certificate",
        "Basic",
        "NotSpecified",
        "amqp",
        "netMessaging",
        "no transport",
        "shared key",
        "no bus authentication",
        "format",
    ],
)
def test_the_words_of_an_action_come_back_in_the_letter_case_of_the_contract(
    billing: Client, body: dict[str, Any], place: tuple[str, ...], shown: str
) -> None:
    found = action_of(billing, body)
    for name in place:
        found = found[name]

    assert found == shown


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("MINUTE", "minute"),
        ("Hour", "hour"),
        ("day", "day"),
        ("WeEk", "week"),
        ("Month", "month"),
        ("Year", "year"),
        ("Daily", "day"),
        ("weekly", "week"),
        ("MONTHLY", "month"),
    ],
)
def test_frequencies_come_back_in_lower_case(billing: Client, given: str, shown: str) -> None:
    reply = billing.put(JOB, http_job(recurrence={"frequency": given}))

    assert reply.json["properties"]["recurrence"] == {"frequency": shown, "interval": 1}


def test_weekdays_come_back_in_lower_case_in_the_order_given_and_once(billing: Client) -> None:
    schedule = {"weekDays": ["SUNDAY", "Monday", "sunday"], "hour": 5, "minute": [1, 0, 1]}

    reply = billing.put(JOB, http_job(recurrence={"frequency": "week", "schedule": schedule}))

    assert reply.json["properties"]["recurrence"]["schedule"] == {
        "minutes": [1, 0],
        "hours": [5],
        "weekDays": ["sunday", "monday"],
    }


@pytest.mark.parametrize("state", ["enabled", "Enabled", "DISABLED", "disabled"])
def test_the_state_of_a_job_comes_back_in_lower_case(billing: Client, state: str) -> None:
    reply = billing.put(JOB, http_job(state=state))

    assert reply.json["properties"]["state"] == state.lower()


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("2026-01-10T00:00:00Z", "2026-01-10T00:00:00Z"),
        ("2026-01-10T00:00:00.1200000Z", "2026-01-10T00:00:00.12Z"),
        ("2026-01-10T00:00:00.0000001Z", "2026-01-10T00:00:00.0000001Z"),
        ("2026-01-10T00:00:00.9049999999999999Z", "2026-01-10T00:00:00.905Z"),
        ("2026-01-10T02:00:00+02:00", "2026-01-10T00:00:00Z"),
        ("2026-01-10T00:00:00", "2026-01-10T00:00:00Z"),
        ("2026-01-10", "2026-01-10T00:00:00Z"),
        ("2015-07-13T00:00:00Z", "2015-07-13T00:00:00Z"),
    ],
)
def test_a_start_comes_back_as_an_instant_of_100_ns(
    billing: Client, given: str, shown: str
) -> None:
    reply = billing.put(JOB, http_job(startTime=given))

    assert reply.json["properties"]["startTime"] == shown


def test_times_without_an_offset_are_local_where_the_job_has_a_time_zone(billing: Client) -> None:
    recurrence = daily(timeZone="Europe/Prague", endTime="2026-07-01")

    reply = billing.put(JOB, http_job(startTime="2026-01-20T08:00", recurrence=recurrence))

    properties = reply.json["properties"]
    assert properties["startTime"] == "2026-01-20T07:00:00Z"
    assert properties["recurrence"]["endTime"] == "2026-06-30T22:00:00Z"
    assert properties["recurrence"]["timeZone"] == "Europe/Prague"
    assert properties["status"]["nextExecutionTime"] == "2026-01-20T07:00:00Z"


def test_the_same_job_sent_back_with_its_instants_leaves_the_local_calendar_alone(
    billing: Client,
) -> None:
    recurrence = daily(timeZone="Europe/Prague")
    created = billing.put(JOB, http_job(startTime="2026-01-20T08:00", recurrence=recurrence))
    before = billing.job()

    billing.clock.set("2026-01-11T00:00:00Z")
    again = billing.put(JOB, created.json)

    assert again.content == created.content
    assert billing.job() == before


def test_null_is_the_same_as_absent(billing: Client) -> None:
    request = {"uri": "http://h/", "method": "get", "headers": None, "body": None}
    action = {"type": "Http", "request": request | {"authentication": None}}
    action |= {"retryPolicy": None, "errorAction": None, "queueMessage": None}
    body = action_job(action, startTime=None, recurrence=None, state=None, status=None)

    reply = billing.put(JOB, body | {"id": None, "name": None, "type": None})

    assert reply.json["properties"]["action"] == {
        "request": {"uri": "http://h/", "method": "get"},
        "type": "Http",
    }
    assert b"null" not in reply.content


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (request_job(headers={}, body=""), {"headers": {}, "body": ""}),
        (request_job(headers={"X-Empty": ""}), {"headers": {"X-Empty": ""}}),
        (
            request_job(authentication={"type": "Basic", "username": ""}),
            {"authentication": {"username": "", "type": "Basic"}},
        ),
        (queue_job(message="", queueName=""), {"message": "", "queueName": ""}),
        (
            bus_job(
                message="",
                authentication={},
                brokeredMessageProperties={},
                customMessageProperties={},
            ),
            {
                "message": "",
                "authentication": {},
                "brokeredMessageProperties": {},
                "customMessageProperties": {},
            },
        ),
        (
            bus_job(brokeredMessageProperties={"label": ""}, customMessageProperties={"": ""}),
            {"brokeredMessageProperties": {"label": ""}, "customMessageProperties": {"": ""}},
        ),
    ],
    ids=["http", "header", "authentication", "storage queue", "bus objects", "bus strings"],
)
def test_empty_objects_and_strings_are_kept(
    billing: Client, body: dict[str, Any], part: dict[str, Any]
) -> None:
    shown = next(iter(action_of(billing, body).values()))

    assert {name: shown[name] for name in part} == part


def test_an_empty_retry_policy_is_kept(billing: Client) -> None:
    body = http_job()
    body["properties"]["action"]["retryPolicy"] = {}

    assert action_of(billing, body)["retryPolicy"] == {}


def test_numbers_and_booleans_become_strings_where_strings_are_meant(billing: Client) -> None:
    headers = {"a": 5, "b": True, "c": 1.5, "d": False, "e": None, "f": "x"}

    shown = action_of(billing, request_job(headers=headers))["request"]["headers"]

    assert shown == {"a": "5", "b": "true", "c": "1.5", "d": "false", "f": "x"}


def test_what_only_an_answer_tells_may_be_sent_back_and_is_not_stored(billing: Client) -> None:
    body = request_job(httpAuthentication={"type": "none"})
    body |= {"type": "nonsense"}
    body["properties"] |= {"status": {"executionCount": 7, "colour": "red"}}

    reply = billing.put(JOB, body)

    assert reply.status == 201
    assert not any(word in reply.content for word in (b"red", b"nonsense", b"httpAuth"))
    assert reply.json["properties"]["status"]["executionCount"] == 0


def test_a_disabled_job_has_no_status_before_its_first_run(billing: Client) -> None:
    reply = billing.put(JOB, http_job(state="disabled"))

    assert "status" not in reply.json["properties"]


def test_a_disabled_job_that_has_run_has_a_status_without_a_next_time(billing: Client) -> None:
    billing.put(JOB, http_job(recurrence=daily()))
    ran_at = billing.clock.now()
    billing.alter_job(
        execution_count=3, failure_count=2, faulted_count=1, last_execution_at=ran_at, occurrence=3
    )

    enabled = billing.get(JOB)
    disabled = billing.patch(JOB, {"properties": {"state": "disabled"}})

    assert enabled.content.endswith(
        b'"status":{"lastExecutionTime":"2026-01-10T00:00:00Z",'
        b'"nextExecutionTime":"2026-01-10T00:00:00Z",'
        b'"executionCount":3,"failureCount":2,"faultedCount":1}}}'
    )
    assert disabled.content.endswith(
        b'"status":{"lastExecutionTime":"2026-01-10T00:00:00Z",'
        b'"executionCount":3,"failureCount":2,"faultedCount":1}}}'
    )


def test_the_next_time_is_not_shown_while_the_collection_stands_still(billing: Client) -> None:
    billing.put(JOB, http_job(recurrence=daily()))
    billing.post(f"{COLLECTION}/disable")

    status = billing.get(JOB).json["properties"]["status"]

    assert status == {"executionCount": 0, "failureCount": 0, "faultedCount": 0}


@pytest.mark.parametrize(
    "body",
    [
        {"id": JOB, "name": "Billing/Nightly"},
        {"id": JOB.upper(), "name": "NIGHTLY"},
        {"id": "", "name": ""},
    ],
    ids=["as shown", "another letter case", "empty"],
)
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_body_may_repeat_the_identity_of_its_job(
    billing: Client, method: str, body: dict[str, Any]
) -> None:
    billing.put(JOB, http_job())

    assert billing.call(method, JOB, http_job() | body).status == 200


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"name": "Other"}, "name"),
        ({"name": "Other/Nightly"}, "name"),
        ({"name": "Billing/Other"}, "name"),
        ({"name": "Billing"}, "name"),
        ({"id": f"{JOBS}/Other"}, "id"),
        ({"id": JOB.replace("Billing", "Other")}, "id"),
        ({"id": COLLECTION}, "id"),
        ({"id": 7}, "id"),
        ({"id": JOB.replace("/Prod/", "/Test/")}, "id"),
    ],
    ids=[
        "another name",
        "another collection's",
        "another job's",
        "the collection's",
        "another id",
        "id in another collection",
        "id of the collection",
        "number",
        "id in another group",
    ],
)
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_body_may_not_contradict_the_address_of_its_job(
    billing: Client, method: str, body: dict[str, Any], path: str
) -> None:
    billing.put(JOB, http_job())
    before = billing.state()

    reply = billing.call(method, JOB, http_job() | body)

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith(f"{path}: ")
    assert billing.state() == before
