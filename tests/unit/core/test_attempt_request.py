"""The request of an attempt."""

from typing import Any

import pytest
from msgspec.structs import replace

from foliot.api.wire.json_reader import Properties
from foliot.api.wire.schedule import decode_recurrence
from foliot.core.instant import SECOND
from foliot.core.limits import Limits
from foliot.core.model.action import Action, ActionKind, Duration, HttpRequest, QueueMessage
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.model.job import Definition
from foliot.core.model.policy import Policy
from foliot.core.model.reason import Reason
from foliot.core.model.run import DueRun, Phase
from foliot.core.recurrence import Recurrence
from foliot.core.rules.attempt_request import attempt_request
from tests.support.builders import NOW, a_collection, a_job, a_run

REQUEST = HttpRequest(uri="http://h/{{occurrence}}", method="POST", body="{{previous}}")


def recurring(**fields: Any) -> Recurrence | None:
    return decode_recurrence(Properties({"recurrence": {"frequency": "minute", **fields}}))


def a_due_run(
    part: Any = REQUEST, *, kind: ActionKind = ActionKind.HTTP, job: Any = None, **run: Any
) -> DueRun:
    action = Action(kind=kind, part=part, template=True)
    definition = Definition(**{"action": action, **(job or {})})
    found = a_job(a_collection().id, definition=definition)
    return DueRun(a_run(found, **{"occurrence": 3, **run}), found, a_collection())


def requested(due: DueRun, **limits: int) -> AttemptRequest:
    found = attempt_request(due, "id", Limits(**limits))
    assert isinstance(found, AttemptRequest)
    return found


def part_of(due: DueRun) -> HttpRequest:
    part = requested(due).action.part
    assert isinstance(part, HttpRequest)
    return part


@pytest.mark.parametrize(
    ("job", "second", "previous"),
    [
        pytest.param({"recurrence": recurring()}, 120, "2026-01-10T00:01:00Z", id="third"),
        pytest.param({"recurrence": recurring()}, 0, "", id="first"),
        pytest.param(
            {"recurrence": recurring(timeZone="Europe/Prague")},
            *(60, "2026-01-10T01:00:00+01:00"),
            id="in the zone of the job",
        ),
        pytest.param({}, 0, "", id="once"),
    ],
)
def test_the_previous_time_is_that_of_the_calendar(job: Any, second: int, previous: str) -> None:
    found = part_of(a_due_run(job=job, second=second))

    assert (found.uri, found.body or "") == ("http://h/3", previous)


def test_without_a_template_a_text_stays_as_it_is() -> None:
    due = a_due_run()
    definition = due.job.definition
    plain = replace(definition, action=replace(definition.action, template=None))

    found = attempt_request(replace(due, job=replace(due.job, definition=plain)), "id", Limits())

    assert isinstance(found, AttemptRequest)
    assert found.action.part == REQUEST


def test_the_error_action_has_a_template_of_its_own() -> None:
    error = Action(kind=ActionKind.HTTP, part=REQUEST)
    due = a_due_run(phase=Phase.ERROR)
    main = replace(due.job.definition.action, error_action=error)
    job = replace(due.job, definition=replace(due.job.definition, action=main))

    assert part_of(replace(due, job=job)) == REQUEST


@pytest.mark.parametrize(
    ("part", "limits", "problem"),
    [
        pytest.param(
            HttpRequest(uri="http://h/{{tag}}{{tag}}", method="GET"),
            {"max_uri_characters": 72},
            "request.uri: has 73 characters; give at most 72.",
            id="address",
        ),
        pytest.param(
            HttpRequest(uri="http://h/", method="GET", headers={"A": "{{tag}}"}),
            {"max_header_characters": 32},
            "request.headers: have 33 characters together; give at most 32.",
            id="headers",
        ),
        pytest.param(
            HttpRequest(uri="http://h/", method="GET", body="{{tag}}"),
            {"max_body_characters": 31},
            "request.body: has 32 characters; give at most 31.",
            id="body",
        ),
        pytest.param(
            HttpRequest(uri="http://h/", method="GET", body="{{retired}}"),
            {},
            'has an unknown placeholder "retired"; the known ones are planned,',
            id="a placeholder of another version",
        ),
    ],
)
def test_a_text_that_becomes_too_long_is_a_failure(part: Any, limits: Any, problem: str) -> None:
    found = attempt_request(
        a_due_run(part, kind=ActionKind.HTTPS, tag="t" * 32), "i", Limits(**limits)
    )

    assert isinstance(found, Outcome)
    assert (found.succeeded, found.reason) == (False, Reason.INVALID_REQUEST)
    assert found.message.startswith(
        "Http Action - Request to host 'h' failed: InvalidRequest "
        "The placeholders cannot be filled in: "
    )
    assert problem in found.message


def test_a_text_that_was_longer_than_the_limit_before_may_stay_so() -> None:
    part = HttpRequest(uri="http://h/", method="GET", body="{{attempt}}" + "x" * 50)

    assert requested(a_due_run(part), max_body_characters=10)


def test_a_message_is_filled_in() -> None:
    part = QueueMessage(storage_account="a", queue_name="q", message="{{job}} {{collection}}")

    found = requested(a_due_run(part, kind=ActionKind.STORAGE_QUEUE)).action.part

    assert found == replace(part, message="Nightly Billing")


@pytest.mark.parametrize(
    ("policy", "seconds"),
    [
        (None, None),
        (Policy(), None),
        (Policy(timeout=Duration("PT1.5S", SECOND * 3 // 2)), 1.5),
    ],
    ids=["no policy", "no timeout", "a timeout"],
)
def test_the_timeout_of_a_job_goes_with_its_requests(
    policy: Policy | None, seconds: float | None
) -> None:
    assert requested(a_due_run(job={"policy": policy})).timeout_seconds == seconds


def test_a_request_has_the_facts_of_its_run() -> None:
    found = requested(a_due_run(tag="t"))

    assert (found.tag, found.request_id, found.expected_at, found.job) == (
        "t",
        "id",
        NOW,
        "Nightly",
    )
