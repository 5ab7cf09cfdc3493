"""Properties of jobs that the old service did not have: kept as they are sent, or refused."""

from base64 import b64encode
from typing import Any

import pytest

from foliot.core.limits import Limits
from tests.api.stored import secrets_of
from tests.support.api_client import COLLECTION, JOB, Client, a_collection, http_job
from tests.support.bodies import bus_job, in_error_action, queue_job, request_job, with_action

SECRET = f"whsec_{b64encode(b'k' * 24).decode()}"
REQUEST = "properties.action.request"
RETRY = "properties.action.retryPolicy"
ADDRESS = (
    'is not valid; give an absolute address such as "https://example.com/path", '
    "other characters percent-encoded."
)


def retrying(**policy: Any) -> dict[str, Any]:
    return with_action(http_job(), retryPolicy=policy)


def exponential(**policy: Any) -> dict[str, Any]:
    return retrying(retryType="exponential", **policy)


def expecting(**expect: Any) -> dict[str, Any]:
    return request_job(expect=expect)


def templated(job: dict[str, Any]) -> dict[str, Any]:
    return with_action(job, template=True)


def signed(secret: Any = SECRET, **request: Any) -> dict[str, Any]:
    return request_job(authentication={"type": "StandardWebhooks", "secret": secret}, **request)


KEPT: dict[str, dict[str, Any]] = {
    "growing intervals": exponential(),
    "from a second": exponential(retryInterval="PT1S", retryCount=20),
    "up to 18 months": exponential(retryInterval="00:00:01", maxRetryInterval="548.00:00:00"),
    "transient failures": retrying(retryType="fixed", retryOn="transient"),
    "any failure": retrying(retryOn="any"),
    "a status": expecting(status="302"),
    "statuses and a text": expecting(status=" 200-299, 404 ", bodyContains='"ok": true'),
    "a text of full length": expecting(bodyContains="x" * 1000),
    "placeholders": templated(
        request_job(
            uri="https://h/{{planned:%Y/%m}}?tag={{tag}}",
            headers={"X-Job": "{{job}}"},
            body='{"n": {{occurrence}}, "at": "{{previous}}"} {{{{',
        )
    ),
    "placeholders in a message": templated(queue_job(message="{{attempt}}")),
    "placeholders in a message of a bus": templated(bus_job(message="{{collection}}")),
    "no placeholders": with_action(request_job(body="{{ anything"), template=False),
    "a timeout": http_job(policy={"timeout": "PT10M"}),
    "a policy without fields": http_job(policy={}),
    "a policy of runs": http_job(
        policy={
            "overlap": "queue",
            "catchUp": "all",
            "catchUpWindow": "P366D",
            "startWithin": "PT59M",
            "jitter": "PT1S",
            "pauseAfter": 1000,
        }
    ),
    "other policies of runs": http_job(
        policy={"overlap": "skip", "catchUp": "none", "catchUpWindow": "00:01:00"}
    ),
    "in the error action": in_error_action(templated(expecting(status="500"))),
}


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
@pytest.mark.parametrize("version", ["2016-03-01", "2016-01-01", "2014-08-01-preview"])
def test_what_was_sent_comes_back_in_every_version(
    billing: Client, body: dict[str, Any], version: str
) -> None:
    query = f"api-version={version}"

    created = billing.put(JOB, body, query=query)

    assert created.status == 201, created.content
    shown = billing.get(JOB, query=query).json["properties"]
    assert {name: shown[name] for name in body["properties"]} == body["properties"]


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_a_patch_keeps_it_and_the_next_put_removes_it(
    billing: Client, body: dict[str, Any]
) -> None:
    before = billing.put(JOB, body).json["properties"]

    patched = billing.patch(JOB, {"properties": {"state": "disabled"}}).json["properties"]
    replaced = billing.put(JOB, http_job()).json["properties"]

    assert (patched["action"], patched.get("policy")) == (before["action"], before.get("policy"))
    assert replaced.keys() == {"action", "state", "status"}
    assert replaced["action"] == http_job()["properties"]["action"]


def test_words_are_read_in_any_letter_case(billing: Client) -> None:
    body = retrying(RetryType="EXPONENTIAL", RETRYON="Transient", MaxRetryInterval="PT1H")

    shown = billing.put(JOB, body).json["properties"]["action"]["retryPolicy"]

    assert shown == {
        "retryType": "exponential",
        "maxRetryInterval": "PT1H",
        "retryOn": "transient",
    }


def test_a_patch_changes_and_removes_single_properties(billing: Client) -> None:
    billing.put(JOB, expecting(status="404", bodyContains="gone"))

    patch = {"request": {"expect": {"status": None, "bodyContains": "here"}}, "template": True}
    shown = billing.patch(JOB, {"properties": {"action": patch, "policy": {"timeout": "PT5S"}}})

    action = shown.json["properties"]["action"]
    assert (action["request"]["expect"], action["template"]) == ({"bodyContains": "here"}, True)
    assert shown.json["properties"]["policy"] == {"timeout": "PT5S"}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    # Retries.
    "an unknown type": (
        retrying(retryType="linear"),
        f'{RETRY}.retryType: "linear" is not valid; give one of none, fixed, exponential.',
    ),
    "less than a second": (
        exponential(retryInterval="PT0.5S"),
        f'{RETRY}.retryInterval: "PT0.5S" is not valid; give 1 second to 18 months (548 days).',
    ),
    "less than 15 seconds at a fixed interval": (
        retrying(retryType="fixed", retryInterval="PT1S"),
        f'{RETRY}.retryInterval: "PT1S" is not valid; give 15 seconds to 18 months (548 days).',
    ),
    "more than 18 months": (
        exponential(maxRetryInterval="P549D"),
        f'{RETRY}.maxRetryInterval: "P549D" is not valid; give 1 second to 18 months (548 days).',
    ),
    "a limit below the interval": (
        exponential(retryInterval="PT2M", maxRetryInterval="PT1M"),
        f'{RETRY}.maxRetryInterval: "PT1M" is not valid; '
        "give the retryInterval (2 minutes) or more.",
    ),
    "a limit below the default interval": (
        exponential(maxRetryInterval="PT10S"),
        f'{RETRY}.maxRetryInterval: "PT10S" is not valid; '
        "give the retryInterval (30 seconds) or more.",
    ),
    "a limit of fixed intervals": (
        retrying(retryType="fixed", maxRetryInterval="PT1H"),
        f"{RETRY}.maxRetryInterval: belongs to the retryType exponential; "
        "give that, or leave it out.",
    ),
    "a limit without a type": (
        retrying(maxRetryInterval="PT1H"),
        f"{RETRY}.maxRetryInterval: belongs to the retryType exponential; "
        "give that, or leave it out.",
    ),
    "unknown failures": (
        retrying(retryOn="5xx"),
        f'{RETRY}.retryOn: "5xx" is not valid; give one of any, transient.',
    ),
    "a misspelt policy": (
        retrying(retryon="any", maxInterval="PT1H"),
        f"{RETRY}.maxInterval: is not known here; did you mean 'maxRetryInterval'?",
    ),
    # Expectations.
    "statuses that are none": (
        expecting(status="2xx"),
        f'{REQUEST}.expect.status: "2xx" is not valid; give up to 20 statuses or ranges from 200 '
        'to 999, such as "200-299,404".',
    ),
    "a number": (
        expecting(status=200),
        f"{REQUEST}.expect.status: a number is not valid; give a string.",
    ),
    "no text": (
        expecting(bodyContains=""),
        f"{REQUEST}.expect.bodyContains: has 0 characters; give 1 to 1000.",
    ),
    "a long text": (
        expecting(bodyContains="x" * 1001),
        f"{REQUEST}.expect.bodyContains: has 1001 characters; give 1 to 1000.",
    ),
    "nothing expected": (
        expecting(),
        f"{REQUEST}.expect: is empty; give status, bodyContains or both, or leave it out.",
    ),
    "a misspelt expectation": (
        expecting(statuses="200"),
        f"{REQUEST}.expect.statuses: is not known here; did you mean 'status'?",
    ),
    "a body that cannot come": (
        request_job(method="head", expect={"bodyContains": "ok"}),
        f"{REQUEST}.expect.bodyContains: cannot be met: a HEAD request has no body; leave it out.",
    ),
    "an expectation of a message": (
        queue_job(expect={"status": "201"}),
        "properties.action.queueMessage.expect: is not known here; the known properties are",
    ),
    # Placeholders.
    "braces in an address": (
        request_job(uri="https://h/{{tag}}"),
        f'{REQUEST}.uri: "https://h/{{{{tag}}}}" {ADDRESS}',
    ),
    "single braces": (
        templated(request_job(uri="https://h/{tag}")),
        f'{REQUEST}.uri: "https://h/x" {ADDRESS}'.replace("/x", "/{tag}"),
    ),
    "a placeholder as the host": (
        templated(request_job(uri="https://{{job}}/")),
        f"{REQUEST}.uri: has a placeholder outside of its path and query; write that part out.",
    ),
    "an unknown placeholder": (
        templated(request_job(body="{{plannd}}")),
        f'{REQUEST}.body: has an unknown placeholder "plannd"; did you mean {{{{planned}}}}?',
    ),
    "an unknown placeholder in a header": (
        templated(request_job(headers={"X-At": "{{now}}"})),
        f'{REQUEST}.headers.X-At: has an unknown placeholder "now"; the known ones are planned,',
    ),
    "an unknown placeholder in a message": (
        templated(queue_job(message="{{tags}}")),
        'properties.action.queueMessage.message: has an unknown placeholder "tags"; '
        "did you mean {{tag}}?",
    ),
    "an unknown directive": (
        templated(request_job(body="{{planned:%A}}")),
        f"{REQUEST}.body: the directive %A is not known; give one of %Y %y %m %d",
    ),
    "no boolean": (
        with_action(request_job(), template="yes"),
        'properties.action.template: "yes" is not valid; give true or false.',
    ),
    # Signatures.
    "a secret that cannot sign": (
        signed("hush"),
        f"{REQUEST}.authentication.secret: is not a signing secret; give whsec_ and, in base64,",
    ),
    "a secret for another type": (
        request_job(authentication={"type": "StandardWebhooks", "password": "hush"}),
        f"{REQUEST}.authentication.password: is not known here; the known properties are",
    ),
    "a header of the signature": (
        signed(headers={"Webhook-Id": "1"}),
        f"{REQUEST}.headers.Webhook-Id: cannot be set: it belongs to the signature; leave it out.",
    ),
    # The policy of the job.
    "a short timeout": (
        http_job(policy={"timeout": "PT0.9S"}),
        'properties.policy.timeout: "PT0.9S" is not valid; '
        "give 1 second to 600 seconds, the limit of this server.",
    ),
    "a long timeout": (
        http_job(policy={"timeout": "PT10M1S"}),
        'properties.policy.timeout: "PT10M1S" is not valid; '
        "give 1 second to 600 seconds, the limit of this server.",
    ),
    "a timeout that is no duration": (
        http_job(policy={"timeout": 30}),
        "properties.policy.timeout: ",
    ),
    "a misspelt timeout": (
        http_job(policy={"timeOuts": "PT30S"}),
        "properties.policy.timeOuts: is not known here; did you mean 'timeout'?",
    ),
    "an unknown overlap": (
        http_job(policy={"overlap": "never"}),
        'properties.policy.overlap: "never" is not valid; give one of allow, skip, queue.',
    ),
    "an unknown catch-up": (
        http_job(policy={"catchUp": True}),
        "properties.policy.catchUp: true is not valid; give one of latest, all, none.",
    ),
    "a short window": (
        http_job(policy={"catchUpWindow": "PT59S"}),
        'properties.policy.catchUpWindow: "PT59S" is not valid; give 1 minute to 366 days.',
    ),
    "a start within nothing": (
        http_job(policy={"startWithin": "PT0S"}),
        'properties.policy.startWithin: "PT0S" is not valid; give 1 second to 366 days.',
    ),
    "a long jitter": (
        http_job(policy={"jitter": "PT1H1S"}),
        'properties.policy.jitter: "PT1H1S" is not valid; give 1 second to 1 hour.',
    ),
    "a jitter as long as the interval": (
        http_job(recurrence={"frequency": "minute", "interval": 5}, policy={"jitter": "PT5M"}),
        'properties.policy.jitter: "PT5M" is not valid; '
        "give less than 5 minutes, the smallest gap between two occurrences.",
    ),
    "a jitter that lets every run expire": (
        http_job(policy={"jitter": "PT5M", "startWithin": "PT5M"}),
        'properties.policy.startWithin: "PT5M" is not valid; '
        "give more than the jitter (5 minutes).",
    ),
    "a pause after nothing": (
        http_job(policy={"pauseAfter": 0}),
        "properties.policy.pauseAfter: 0 is not valid; give a whole number from 1 to 1000.",
    ),
    "a pause after too much": (
        http_job(policy={"pauseAfter": 1001}),
        "properties.policy.pauseAfter: 1001 is not valid; give a whole number from 1 to 1000.",
    ),
    "a pause after a part": (
        http_job(policy={"pauseAfter": 1.5}),
        "properties.policy.pauseAfter: 1.5 is not valid; give a whole number from 1 to 1000.",
    ),
    "a pause after more than any number": (
        http_job(policy={"pauseAfter": 10**30}),
        f"properties.policy.pauseAfter: {10**30} is not valid; give a whole number from 1 to 1000.",
    ),
    "a pause after yes": (
        http_job(policy={"pauseAfter": True}),
        "properties.policy.pauseAfter: true is not valid; give a whole number from 1 to 1000.",
    ),
    "a window of more than all time": (
        http_job(policy={"catchUpWindow": "P999999999D"}),
        'properties.policy.catchUpWindow: "P999999999D" is not valid; give 1 minute to 366 days.',
    ),
    "a start within a negative time": (
        http_job(policy={"startWithin": "-PT5S"}),
        'properties.policy.startWithin: "-PT5S" is not valid; give ISO 8601 such as',
    ),
    "a jitter of nothing": (
        http_job(policy={"jitter": ""}),
        'properties.policy.jitter: "" is not valid; give ISO 8601 such as',
    ),
    "a policy that is no object": (http_job(policy="fast"), "properties.policy: "),
}


@pytest.mark.parametrize(("body", "message"), REFUSED.values(), ids=REFUSED)
def test_a_bad_value_is_refused_with_its_path_and_what_would_be_right(
    billing: Client, body: dict[str, Any], message: str
) -> None:
    reply = billing.put(JOB, body)

    assert (reply.status, reply.code) == (400, "BadRequest")
    assert reply.message.startswith(message)
    assert "hush" not in reply.message
    assert billing.get(JOB).status == 404


def test_an_operator_sets_the_longest_timeout(billing: Client) -> None:
    billing.with_limits(Limits(max_timeout_seconds=120))

    assert billing.put(JOB, http_job(policy={"timeout": "PT2M"})).status == 201
    assert billing.put(JOB, http_job(policy={"timeout": "PT3M"})).status == 400


def test_a_signing_secret_is_kept_and_never_shown(billing: Client) -> None:
    created = billing.put(JOB, signed(f"{SECRET} {SECRET}"))
    without_secret = {"type": "StandardWebhooks"}

    kept = billing.put(JOB, request_job(authentication=without_secret, body="x"))
    moved = billing.put(
        JOB, request_job(authentication=without_secret, uri="https://evil.example/")
    )

    assert created.json["properties"]["action"]["request"]["authentication"] == without_secret
    assert (kept.status, moved.status) == (200, 400)
    assert moved.message.endswith("send the secret again.")
    assert secrets_of(billing) == [f"{SECRET} {SECRET}"]
    assert SECRET not in f"{created.content}{kept.content}{moved.content}"


def test_another_place_in_the_path_needs_no_new_secret(billing: Client) -> None:
    billing.put(JOB, signed())

    body = request_job(
        uri="https://example.com/{{tag}}", authentication={"type": "StandardWebhooks"}
    )
    reply = billing.put(JOB, templated(body))

    assert reply.status == 200
    assert secrets_of(billing) == [SECRET]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        pytest.param(signed(), "does not allow HTTP authentication", id="signature"),
        pytest.param(
            exponential(retryInterval="PT1M"), "a retryInterval of 1 hour or more", id="interval"
        ),
        pytest.param(
            exponential(maxRetryInterval="PT30M"),
            "a maxRetryInterval of 1 hour or more",
            id="longest interval",
        ),
    ],
)
def test_the_free_plan_has_its_limits(client: Client, body: dict[str, Any], problem: str) -> None:
    client.put(COLLECTION, a_collection("Free"))

    reply = client.put(JOB, body)

    assert reply.status == 409
    assert problem in reply.message


def test_the_free_plan_allows_growing_intervals(client: Client) -> None:
    client.put(COLLECTION, a_collection("Free"))

    assert client.put(JOB, exponential()).status == 201
