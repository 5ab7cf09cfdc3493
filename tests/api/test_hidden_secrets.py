"""Secrets are in no answer; they, and what may hold one, in no refusal and no log line."""

# ruff: noqa: S106  (the secrets are made up)

import json
import logging
from typing import Any

import pytest

from tests.support.api_client import COLLECTION, JOB, JOBS, Client
from tests.support.bodies import (
    action_job,
    basic,
    bus_job,
    certificate,
    in_error_action,
    oauth,
    queue_job,
    request_job,
    topic_job,
    webhooks,
)
from tests.support.certificates import a_pfx

# A marker in every field that holds a secret, or may.
MARKED_SECRET = "whsec_m4rk/webhooks" + "A" * 19
NEVER_SHOWN = [
    *("m4rk-password", "m4rk-secret", "m4rk-pfxword", "m4rk-sastoken", "m4rk-saskey"),
    "m4rk/webhooks",
]
SHOWN_TO_READERS = ["m4rk-header", "m4rk-query", "m4rk-body", "m4rk-message", "m4rk-custom"]
MARKED_PFX = a_pfx("marked", "m4rk-pfxword")


def marked_jobs() -> dict[str, dict[str, Any]]:
    sender = {"uri": "https://h.example/?sig=m4rk-query", "headers": {"X-Key": "m4rk-header"}}
    marked_basic = request_job(
        **sender,
        body="m4rk-body",
        authentication={"type": "Basic", "username": "u", "password": "m4rk-password"},
    )
    marked_queue = queue_job(sasToken="m4rk-sastoken", message="m4rk-message")
    key = {"type": "sharedAccessKey", "sasKeyName": "n", "sasKey": "m4rk-saskey"}
    custom = {"a": "m4rk-custom"}
    jobs = {
        "Basic": marked_basic,
        "OAuth": oauth("https://h.example/?sig=m4rk-query", secret="m4rk-secret"),
        "Webhooks": webhooks("https://h.example/?sig=m4rk-query", secret=MARKED_SECRET),
        "Certificate": certificate(pfx=MARKED_PFX.text, password="m4rk-pfxword"),
        "Storage": marked_queue,
        "Bus": bus_job(authentication=key, message="m4rk-message", customMessageProperties=custom),
        "Topic": topic_job(authentication=key, customMessageProperties=custom),
    }
    return jobs | {f"Error{name}": in_error_action(job) for name, job in jobs.items()}


def test_no_answer_shows_a_secret_and_no_log_line_any_marker(
    billing: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answers = []
    for name, job in marked_jobs().items():
        path = f"{JOBS}/{name}"
        created = billing.put(path, job)
        assert created.status == 201, created.content
        answers += [
            created,
            billing.put(path, job),
            billing.patch(path, {"properties": {"state": "disabled"}}),
            billing.get(path),
            billing.post(JOBS, job),
            billing.post(f"{path}/run"),
            billing.get(f"{path}/history"),
        ]
    answers += [
        billing.get(JOBS),
        billing.get(JOBS, query="api-version=2016-03-01&$filter=state eq disabled"),
        billing.get(COLLECTION),
        billing.get(COLLECTION, query="api-version=2016-03-01&sig=m4rk-query"),
    ]

    text = "\n".join(answer.content.decode() for answer in answers)
    assert all(answer.status in (200, 201) for answer in answers)
    assert not [marker for marker in NEVER_SHOWN if marker in text]
    assert MARKED_PFX.text not in text
    assert all(marker in text for marker in SHOWN_TO_READERS)
    log = log_of(caplog)
    assert all(event in log for event in ("Job created", "Run requested", "Request answered"))
    assert "m4rk" not in log


def broken(job: dict[str, Any]) -> list[Any]:
    """Return what may go wrong with a job: one thing at a time, the markers left in place."""
    text = json.dumps(job)
    bodies: list[Any] = [text[:-3].encode(), (text + text).encode(), [job], text]
    bodies += [
        {"properties": job["properties"] | change}
        for change in (
            {"state": "more"},
            {"startTime": "soon"},
            {"recurrence": {"frequency": "sometimes"}},
            {"recurrence": [job]},
        )
    ]
    action = job["properties"]["action"]
    part = next(name for name, value in action.items() if isinstance(value, dict))
    bodies += [
        {"properties": job["properties"] | {"action": change}}
        for change in (
            [action],
            json.dumps(action),
            action | {"type": "Ftp"},
            action | {"retryPolicy": {"retryCount": 99}},
            action | {part: json.dumps(action[part])},
            action | {part: [action[part]]},
            action | {part: {}},
            action | {"errorAction": json.dumps(action)},
            action | {"queueMessage": action[part], "request": action[part]},
        )
    ]
    for name, value in action[part].items():
        for wrong in ([value], {"a": value}, f"{json.dumps(value)}\0", [[value]]):
            fields = action[part] | {name: wrong}
            bodies.append(action_job(action | {part: fields}))
        if isinstance(value, dict):
            for inner, held in value.items():
                for wrong in ([held], {"a": held}, f"{held}\r\n\0"):
                    fields = action[part] | {name: value | {inner: wrong}}
                    bodies.append(action_job(action | {part: fields}))
    return bodies


@pytest.mark.parametrize("name", marked_jobs())
def test_no_refusal_shows_any_marker(
    billing: Client, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    caplog.set_level(logging.DEBUG)
    job = marked_jobs()[name]
    billing.put(JOB, job)
    before = billing.state()

    replies = [
        reply
        for body in broken(job)
        for reply in (billing.put(JOB, body), billing.put(f"{JOBS}/1", body))
    ]

    assert {reply.status for reply in replies} == {400}
    assert not [reply.message for reply in replies if "m4rk" in reply.message]
    assert not [reply.message for reply in replies if MARKED_PFX.text[:40] in reply.message]
    assert "m4rk" not in log_of(caplog)
    assert billing.state() == before


def test_neither_a_quota_nor_a_conflict_shows_any_marker(billing: Client) -> None:
    job = marked_jobs()["ErrorBasic"]
    billing.put(COLLECTION, {"properties": {"quota": {"maxJobCount": 1}}})
    billing.put(JOB, job)

    free = billing.put(COLLECTION, {"properties": {"sku": {"name": "Free"}}})
    full = billing.put(f"{JOBS}/Second", job)
    moved = billing.patch(
        JOB,
        {"properties": {"action": {"errorAction": {"request": {"uri": "http://m4rk-moved/"}}}}},
    )

    assert (free.status, full.status, moved.status) == (409, 409, 400)
    assert b"m4rk" not in free.content + full.content + moved.content


def test_a_failure_of_the_server_shows_nothing_of_its_cause(
    billing: Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    cause = RuntimeError("m4rk-password in a message")

    async def fail(*_: Any, **__: Any) -> Any:
        raise cause

    monkeypatch.setattr(billing.store, "write", fail)

    reply = billing.put(JOB, basic(password="m4rk-password"))

    assert (reply.status, reply.code) == (500, "InternalError")
    assert b"m4rk" not in reply.content
    assert "RuntimeError" in log_of(caplog)
    assert "m4rk" not in log_of(caplog)


def log_of(caplog: pytest.LogCaptureFixture) -> str:
    return "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
