"""The page of one attempt: request, response, timing, and the run it belongs to."""

from typing import Any

import pytest

from foliot.core.instant import HOUR, SECOND, Instant, parse_instant
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.run import Trigger
from foliot.core.model.token import Role
from foliot.portal import urls
from tests.portal.browser import JOB, Browser, Shown
from tests.portal.jobs import SECRET, change, stored, with_job
from tests.support.builders import a_run, an_entry

RESPONSE = (
    "Http Action - Response from host 'api.example': 'ServiceUnavailable' Response Headers: "
    'Retry-After: 30\r\nContent-Type: application/json\r\n Body: {"error":"locked","codes":[1,2]}'
)
FAILED = AttemptStatus.FAILED


def recorded(browser: Browser, *entries: dict[str, Any]) -> list[HistoryEntry]:
    """Add attempts to the history of the job, and return them by their numbers."""
    job = stored(browser)

    def write(to: Any) -> Any:
        to.add_history(*(an_entry(job.id, **{"run_id": 7, **each}) for each in entries))
        return to.history(job.id)

    return sorted(change(browser, write), key=lambda each: each.number)


def shown(browser: Browser, entry: HistoryEntry) -> Shown:
    return browser.get(f"{JOB}/attempts/{entry.number}")


def test_an_attempt_is_shown_with_its_response(billing: Browser) -> None:
    with_job(billing)
    (entry,) = recorded(
        billing, {"status": FAILED, "message": RESPONSE, "status_code": 503, "reason": "HttpStatus"}
    )

    page = shown(billing, entry)

    assert page.status == 200
    assert "failed 503 ServiceUnavailable" in page.words
    assert "Retry-After 30" in page.words
    assert '{ "error": "locked", "codes": [ 1, 2 ] }' in page.words


@pytest.mark.parametrize(
    ("body", "line"),
    [
        pytest.param('{"error": {"message": "locked"}}', "locked", id="an error with a message"),
        pytest.param('{"title": "T", "detail": "D"}', "D", id="problem details"),
        pytest.param('{"error": ["a"]}', "", id="no text"),
        pytest.param("first\nsecond", "first", id="text"),
        pytest.param("x" * 400, "x" * 300 + "…", id="a long line"),
        pytest.param("[" * 5000, "[" * 300 + "…", id="no JSON"),
    ],
)
def test_the_first_line_of_the_reason_comes_from_the_body(
    billing: Browser, body: str, line: str
) -> None:
    with_job(billing)
    message = f"Http Action - Response from host 'h': 'OK' Response Headers:  Body: {body}"
    (entry,) = recorded(billing, {"message": message, "status": FAILED})

    text = shown(billing, entry).text

    found = text.split('class="reason">')[1].split("<")[0] if 'class="reason"' in text else ""
    assert found == line


@pytest.mark.parametrize(
    ("headers", "body", "words"),
    [
        pytest.param("Content-Length: 5000\r\n", "x" * 2048, "2,048 of 5,000 bytes", id="cut"),
        pytest.param("Content-Length: 2048\r\n", "x" * 2048, "", id="exactly as long"),
        pytest.param("", "x" * 2048, "The body may be longer", id="length unknown"),
        pytest.param(
            "Content-Length: 9\r\nContent-Encoding: gzip\r\n",
            "x" * 2048,
            "The body may be longer",
            id="length of a compressed body",
        ),
        pytest.param("Content-Length: 5000\r\n", "", "", id="no body, as after HEAD"),
        pytest.param("Content-Length: many\r\n", "short", "", id="a length that is none"),
    ],
)
def test_a_page_says_how_much_of_a_body_history_has(
    billing: Browser, headers: str, body: str, words: str
) -> None:
    with_job(billing)
    message = f"Http Action - Response from host 'h': 'OK' Response Headers: {headers} Body: {body}"
    (entry,) = recorded(billing, {"message": message, "status_code": 200})

    page = shown(billing, entry)

    assert words in page.words
    assert ("history keeps the first 2,048 bytes" in page.words) == bool(words)


def test_the_request_is_that_of_the_job_without_secrets(billing: Browser) -> None:
    action = {
        "type": "Https",
        "request": {
            "uri": f"https://api.example/report?sig={SECRET}&day=1",
            "method": "PUT",
            "headers": {"X-Api-Key": SECRET, "X-Team": "acme"},
            "body": "it's {{tag}} & more",
            "authentication": {"type": "Basic", "username": "ann", "password": SECRET},
        },
    }
    with_job(billing, action=action)
    (entry,) = recorded(billing, {"tag": "a-tag", "message": RESPONSE})

    page = shown(billing, entry)

    assert SECRET not in page.text
    assert "PUT https://api.example/report?sig=••••••&day=1" in page.words
    assert "X-Api-Key ••••••" in page.words
    assert "X-Team acme" in page.words
    assert "Authorization ••••••" in page.words
    assert "x-ms-execution-tag a-tag" in page.words
    assert '--user ann:"$PASSWORD"' in page.words
    assert "--header 'X-Api-Key: '\"$X_API_KEY\"" in page.words
    assert "report?sig='\"$SIG\"'&day=1'" in page.words
    assert "Set PASSWORD, X_API_KEY, SIG in the shell first" in page.words


def test_placeholders_of_the_request_are_filled_in_as_in_the_attempt(billing: Browser) -> None:
    request = {"uri": "https://api.example/{{tag}}", "method": "GET"}
    with_job(billing, action={"type": "Https", "request": request, "template": True})
    (entry,) = recorded(billing, {"tag": "a-tag", "message": RESPONSE})

    assert "GET https://api.example/a-tag" in shown(billing, entry).words


def test_a_page_says_whether_the_job_was_changed_since(billing: Browser) -> None:
    with_job(billing)
    later = (parse_instant("2026-01-11") - billing.clock.now()) // SECOND
    before, after = recorded(
        billing, {"second": -later, "message": RESPONSE}, {"second": later, "message": RESPONSE}
    )

    assert "after this attempt began: this is the request as the job is defined now" in (
        shown(billing, before).words
    )
    assert "The job has not been changed since this attempt." in shown(billing, after).words


def test_the_attempts_of_a_run_link_to_each_other(billing: Browser) -> None:
    with_job(billing)
    common = {"expected_at": Instant(0), "tag": "a-tag", "trigger": Trigger.SCHEDULE}
    first, second, repair, other = recorded(
        billing,
        {**common, "second": 1, "status": FAILED, "reason": "Timeout"},
        {**common, "second": 2, "status": FAILED, "outcome": RunOutcome.FAILED, "retry_count": 1},
        {**common, "second": 3, "is_error_action": True},
        {"second": 4, "run_id": 8, "outcome": RunOutcome.SUCCEEDED},
    )
    key = stored_key(billing)

    pages = [shown(billing, each) for each in (first, second, repair)]

    for page, here in zip(pages, (first, second, repair), strict=True):
        assert "Attempt 1 of 2" in page.words
        assert "Attempt 2 of 2" in page.words
        assert "Error action, attempt 1 of 1" in page.words
        for each in {first.number, second.number, repair.number} - {here.number}:
            assert f'href="{urls.attempt(key, "Nightly", each)}"' in page.text
        assert urls.attempt(key, "Nightly", other.number) not in page.text
    assert "Attempt 1 of 1" in shown(billing, other).words


def stored_key(browser: Browser) -> Any:
    return browser.run(browser.store.read(lambda reading: reading.collections("me")))[0].key


def test_a_failed_run_is_run_again_from_its_attempt(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "day"}, startTime="2026-02-01T00:00:00Z")
    failed, well = recorded(
        billing,
        {"status": FAILED, "outcome": RunOutcome.FAILED, "tag": "bad", "second": 1},
        {"outcome": RunOutcome.SUCCEEDED, "tag": "good", "second": 2, "run_id": 8},
    )

    assert "Rerun" in shown(billing, failed).words
    assert "Rerun" not in shown(billing, well).words

    page = billing.post(f"{JOB}/attempts/{failed.number}/rerun")
    assert "Run started." in page.words
    assert "rerun of" in page.words

    refused = billing.post(f"{JOB}/attempts/{well.number}/rerun")
    assert "Only a run that has failed can be run again." in refused.words


def test_readers_see_an_attempt_and_cannot_run_it_again(billing: Browser) -> None:
    with_job(billing)
    (entry,) = recorded(billing, {"status": FAILED, "outcome": RunOutcome.FAILED, "tag": "bad"})
    billing.add_token("reader", Role.READER)
    billing.sign_in("reader")

    page = shown(billing, entry)
    csrf = billing.get("/about").csrf

    assert page.status == 200
    assert "Rerun" not in page.words
    assert "Send a test" not in page.words
    assert billing.post(f"{JOB}/attempts/{entry.number}/rerun", csrf=csrf).status == 403


@pytest.mark.parametrize("number", ["0", "99", "x", "-1", "1.5", "9" * 19, "\uff11"])
def test_an_attempt_that_does_not_exist_is_not_found(billing: Browser, number: str) -> None:
    with_job(billing)
    recorded(billing, {})

    page = billing.get(f"{JOB}/attempts/{number}")

    assert page.status == 404
    assert "has no attempt" in page.words


def test_an_attempt_of_another_job_is_not_found(billing: Browser) -> None:
    with_job(billing)
    with_job(billing, "Other")
    (entry,) = recorded(billing, {})

    assert shown(billing, entry).status == 200
    assert billing.get(f"{JOB}/attempts/{entry.number}".replace("Nightly", "Other")).status == 404


def test_timings_are_drawn_as_bars(billing: Browser) -> None:
    with_job(billing)
    timed, untimed = recorded(
        billing,
        {"second": 1, "message": RESPONSE, "timings": "11000,34000,101000,152000,1520000"},
        {"second": 2, "message": RESPONSE},
    )

    page = shown(billing, timed)

    assert (
        "Name lookup 11 ms Connect 23 ms TLS handshake 67 ms Waiting for the first byte 51 ms "
        "Receiving 1.37 s Total 1.52 s"
    ) in page.words
    assert 'class="waiting" x="6.64" width="3.36"' in page.text
    assert "Name lookup" not in shown(billing, untimed).words


def test_an_open_connection_has_no_time_to_connect(billing: Browser) -> None:
    with_job(billing)
    (entry,) = recorded(billing, {"message": RESPONSE, "timings": ",,,812,830"})

    words = shown(billing, entry).words

    assert "Waiting for the first byte 0.8 ms Receiving 0.0 ms Total 0.8 ms" in words
    assert "Connect" not in words


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        pytest.param(
            {
                "status": FAILED,
                "message": "Http Action - Request to host 'h' failed: ConnectFailure No route.\nx",
            },
            "failed ConnectFailure No route.",
            id="no response",
        ),
        pytest.param(
            {
                "status": AttemptStatus.POSTPONED,
                "message": "Http Action - Skipped: 3 occurrences",
                "outcome": RunOutcome.SKIPPED,
                "skipped_count": 3,
                "run_id": None,
            },
            "postponed No attempt was made",
            id="skipped",
        ),
        pytest.param(
            {
                "message": "StorageQueue Action - Message to storage account 'a' queue 'q' "
                "succeeded: 'Created'",
                "status_code": 201,
            },
            "completed 201 Created",
            id="storage queue",
        ),
        pytest.param(
            {
                "status": FAILED,
                "status_code": 404,
                "message": "ServiceBusQueue Action - Message to queue 'q' of namespace 'n' "
                "failed: NotFound The queue does not exist.",
            },
            "failed NotFound (404) The queue does not exist.",
            id="service bus",
        ),
        pytest.param(
            {"message": "Something of another version"},
            "completed completed Something of another version",
            id="an unknown message",
        ),
    ],
)
def test_the_headline_tells_how_an_attempt_ended(
    billing: Browser, fields: dict[str, Any], words: str
) -> None:
    with_job(billing)
    (entry,) = recorded(billing, fields)

    assert words in shown(billing, entry).words


def test_messages_to_queues_are_shown_with_what_is_known(billing: Browser) -> None:
    queue = {"storageAccount": "acme", "queueName": "orders", "message": "hello"}
    with_job(
        billing, action={"type": "StorageQueue", "queueMessage": {**queue, "sasToken": SECRET}}
    )
    (entry,) = recorded(billing, {"tag": "a-tag"})

    page = shown(billing, entry)

    assert "storage account acme, queue orders" in page.words
    assert "hello" in page.words
    assert "As curl" not in page.words
    assert SECRET not in page.text

    bus = {
        "namespace": "ns",
        "queueName": "work",
        "message": "hello bus",
        "customMessageProperties": {"team": "acme"},
        "authentication": {"sasKey": SECRET, "sasKeyName": "key", "type": "sharedAccessKey"},
    }
    with_job(billing, action={"type": "ServiceBusQueue", "serviceBusQueueMessage": bus})

    page = shown(billing, entry)

    assert "namespace ns, work" in page.words
    assert "team acme" in page.words
    assert "x-ms-execution-tag a-tag" in page.words
    assert "hello bus" in page.words
    assert SECRET not in page.text


def test_a_removed_error_action_is_said_to_be_gone(billing: Browser) -> None:
    with_job(billing)
    (entry,) = recorded(billing, {"is_error_action": True})

    assert "The job has no error action any more" in shown(billing, entry).words


def test_lists_of_attempts_link_to_each_attempt(billing: Browser) -> None:
    with_job(billing)
    (entry,) = recorded(billing, {"outcome": RunOutcome.SUCCEEDED})

    for page in (JOB, f"{JOB}/runs", "/runs"):
        assert f'href="{JOB}/attempts/{entry.number}"' in billing.get(page).text


def test_a_hostile_response_is_only_text(billing: Browser) -> None:
    with_job(billing)
    message = (
        "Http Action - Response from host 'h': 'OK' Response Headers: X: <script>alert(1)</script>"
        '\r\n Body: <img src=x onerror=alert(1)>\u202e {"a": "</pre><script>"}'
    )
    (entry,) = recorded(billing, {"message": message})

    page = shown(billing, entry)

    assert "<script>alert" not in page.text
    assert "<img src=x" not in page.text
    assert "\u202e" not in page.text


def test_deeply_nested_json_does_not_blow_up_a_page(billing: Browser) -> None:
    with_job(billing)
    body = '["]",' * 250 + "1," * 250 + "1" + "]" * 250
    message = f"Http Action - Response from host 'h': 'OK' Response Headers:  Body: {body}"
    plain, nested = recorded(
        billing, {"second": 1, "message": "a note"}, {"second": 2, "message": message}
    )

    sizes = [len(shown(billing, each).text) for each in (plain, nested)]

    assert sizes[1] < sizes[0] + 10 * len(body)


def test_a_run_that_goes_on_says_when_its_next_attempt_is_due(billing: Browser) -> None:
    with_job(billing)
    job, due_at = stored(billing), Instant(billing.clock.now() + HOUR)
    change(billing, lambda to: to.add_run(a_run(job, attempt=2, due_at=due_at)))
    (run,) = billing.run(billing.store.read(lambda reading: reading.runs(job.id)))
    (entry,) = recorded(billing, {"status": FAILED, "run_id": run.id})

    assert "The next attempt is due in 1 h" in shown(billing, entry).words
