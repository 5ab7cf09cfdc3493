"""Send a test: of a stored job, of a form that is not saved, and why none is sent."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from foliot.app.engine_access import EngineAccess
from foliot.core.model.attempt import NotSent
from foliot.core.model.token import Role
from tests.portal.browser import COLLECTION, JOB, Browser, Shown
from tests.portal.filling import filled, read_form
from tests.portal.jobs import EDIT, NEW, SECRET, stored, with_job
from tests.support import bodies
from tests.support.own_loop_dispatcher import OwnLoopDispatcher

Pairs = list[tuple[str, str]]
URI = "properties__action__request__uri"
HTTP = {"properties__action__type": "Http"}


@pytest.fixture
def sender() -> Iterator[OwnLoopDispatcher]:
    opened = OwnLoopDispatcher()
    try:
        yield opened
    finally:
        opened.end()


@pytest.fixture
def visitor(tmp_path: Path, sender: OwnLoopDispatcher) -> Iterator[Browser]:
    """Return a browser of an Owner on a node that can send requests, with a collection."""
    with Browser(tmp_path, engine=EngineAccess(dispatcher=sender)) as browser:
        browser.sign_in()
        browser.api("PUT", "Billing", {"properties": {"sku": {"name": "Standard"}}})
        yield browser


def an_action(uri: str, **request: Any) -> dict[str, Any]:
    basic = {"type": "Basic", "username": "ann", "password": SECRET}
    given = {"uri": uri, "method": "POST", "body": "a body", "authentication": basic, **request}
    return {"type": "Http", "request": given}


def part_of_test(browser: Browser, path: str, pairs: Pairs) -> Shown:
    """Send a form as a script does."""
    headers = {"origin": f"http://{browser.host}", "hx-request": "true"}
    return browser.call("POST", path, urlencode(pairs).encode(), headers=headers)


def test_a_stored_job_is_tested_in_place(visitor: Browser, sender: OwnLoopDispatcher) -> None:
    with_job(visitor, action=an_action(sender.url))
    csrf = visitor.get(JOB).csrf

    part = part_of_test(visitor, f"{JOB}/test", [("csrf", csrf)])

    assert part.status == 200
    assert "<html" not in part.text
    assert "completed 200 OK" in part.words
    assert f"POST {sender.url}" in part.words
    assert "Authorization ••••••" in part.words
    assert '--user ann:"$PASSWORD"' in part.words
    assert "thanks" in part.words
    assert "Total" in part.words
    assert SECRET not in part.text
    assert visitor.rows("SELECT count(*) FROM history") == [(0,)]


def test_pages_say_what_a_test_does_before_it_is_sent(visitor: Browser) -> None:
    with_job(visitor)

    for path in (JOB, EDIT, NEW, "/jobs/new"):
        words = visitor.get(path).words
        assert "sends the real request or message once, with its password or key; " in words
        assert "history and counters stay as they are." in words


def test_a_test_without_its_secret_says_to_set_it(visitor: Browser) -> None:
    visitor.api("PUT", "Billing/jobs/Nightly", bodies.basic(password=None))
    csrf = visitor.get(JOB).csrf

    part = part_of_test(visitor, f"{JOB}/test", [("csrf", csrf)])

    assert "The password is missing: edit the job and set it." in part.words
    assert "send it again" not in part.words


def test_the_pages_of_changes_tell_who_sent_a_test(
    visitor: Browser, sender: OwnLoopDispatcher
) -> None:
    with_job(visitor, action=an_action(sender.url))
    form = filled(read_form(visitor.get(NEW).text, NEW), **HTTP, **{URI: sender.url})
    part_of_test(visitor, f"{NEW}/test", form)
    visitor.post(f"{JOB}/test")

    log = visitor.get("/audit?action=tested").words
    assert "tested Nightly job in Billing" in log
    assert "tested Billing collection of a job that was not saved" in log
    assert "sent a test of" in visitor.get(f"{JOB}/changes").words


def test_without_scripts_the_result_is_a_page(visitor: Browser, sender: OwnLoopDispatcher) -> None:
    with_job(visitor, action=an_action(sender.url))

    page = visitor.post(f"{JOB}/test")

    assert page.status == 200
    assert "<html" in page.text
    assert "completed 200 OK" in page.words


def test_a_form_is_tested_with_its_unsaved_values_and_the_stored_secret(
    visitor: Browser, sender: OwnLoopDispatcher
) -> None:
    with_job(visitor, action=an_action(sender.url))
    before = stored(visitor)
    form = filled(
        read_form(visitor.get(EDIT).text, EDIT), properties__action__request__body="another body"
    )

    part = part_of_test(visitor, f"{EDIT}/test", form)

    assert "completed 200 OK" in part.words
    assert "another body" in part.words
    assert sender.target is not None
    received = sender.target.received[-1]
    assert received.body == b"another body"
    assert received.header("authorization") is not None
    assert SECRET not in part.text
    assert stored(visitor) == before


def test_a_stored_secret_does_not_go_to_another_host(
    visitor: Browser, sender: OwnLoopDispatcher
) -> None:
    with_job(visitor, action=an_action(sender.url))
    elsewhere = sender.url.replace("127.0.0.1", "localhost")
    form = filled(read_form(visitor.get(EDIT).text, EDIT), **{URI: elsewhere})

    part = part_of_test(visitor, f"{EDIT}/test", form)

    assert "No test was sent: 1 problem." in part.words
    assert "Password" in part.words
    assert sender.requests == []


def test_without_scripts_the_form_keeps_its_values(
    visitor: Browser, sender: OwnLoopDispatcher
) -> None:
    with_job(visitor, action=an_action(sender.url))
    form = filled(
        read_form(visitor.get(EDIT).text, EDIT), properties__action__request__body="another body"
    )

    page = visitor.send(f"{EDIT}/test", form)

    assert page.status == 200
    assert "completed 200 OK" in page.words
    again = dict(read_form(page.text, EDIT))
    assert again["properties.action.request.body"] == "another body"


@pytest.mark.parametrize("name", ["", "Fresh"], ids=["no name yet", "with a name"])
def test_a_new_job_is_tested_before_it_is_created(
    visitor: Browser, sender: OwnLoopDispatcher, name: str
) -> None:
    form = filled(read_form(visitor.get(NEW).text, NEW), name=name, **HTTP, **{URI: sender.url})

    part = part_of_test(visitor, f"{NEW}/test", form)
    page = visitor.send(f"{NEW}/test", form)

    assert "completed 200 OK" in part.words
    assert "completed 200 OK" in page.words
    assert dict(read_form(page.text, NEW))["properties.action.request.uri"] == sender.url
    assert dict(read_form(page.text, NEW))["name"] == name
    assert visitor.api("GET", "Billing/jobs")["value"] == []


def test_a_new_job_is_tested_in_the_chosen_collection(
    visitor: Browser, sender: OwnLoopDispatcher
) -> None:
    address = "/jobs/new"
    form = read_form(visitor.get(address).text, address)
    chosen = filled(form, into="me/home/Billing", **HTTP, **{URI: sender.url})
    nowhere = filled(form, into="new", **HTTP, **{URI: sender.url})

    assert "completed 200 OK" in part_of_test(visitor, f"{address}/test", chosen).words
    assert "completed 200 OK" in visitor.send(f"{address}/test", chosen).words
    refused = part_of_test(visitor, f"{address}/test", nowhere)
    assert "choose one that exists" in refused.words
    assert len(sender.requests) == 2


def test_all_problems_of_a_form_are_listed_with_links(visitor: Browser) -> None:
    form = filled(
        read_form(visitor.get(NEW).text, NEW),
        properties__action__request__method="not a method",
        **{URI: "nowhere"},
    )

    part = part_of_test(visitor, f"{NEW}/test", form)
    page = visitor.send(f"{NEW}/test", form)

    assert part.status == 200
    assert page.status == 400
    for shown in (part, page):
        assert "No test was sent: 2 problems." in shown.words
        assert 'href="#properties.action.request.uri"' in shown.text


def test_a_refusal_says_why_no_test_was_sent(visitor: Browser, sender: OwnLoopDispatcher) -> None:
    with_job(visitor, action=an_action(sender.url))
    csrf = visitor.get(JOB).csrf

    sender.reply = NotSent("there is no process that sends requests")
    part = part_of_test(visitor, f"{JOB}/test", [("csrf", csrf)])
    assert "No test was sent. No attempt was made: there is no process" in part.words
    assert visitor.post(f"{JOB}/test").status == 503
    sender.reply = None

    visitor.api("PUT", "Billing", {"properties": {"state": "Disabled"}})
    part = part_of_test(visitor, f"{JOB}/test", [("csrf", csrf)])
    page = visitor.post(f"{JOB}/test")
    assert "No test was sent. " in part.words
    assert "Disabled" in part.words or "disabled" in part.words
    assert page.status == 409

    visitor.api("DELETE", "Billing")
    part = part_of_test(visitor, f"{JOB}/test", [("csrf", csrf)])
    assert part.status == 200
    assert "No test was sent." in part.words
    assert visitor.post(f"{JOB}/test").status == 404


def test_a_free_plan_limits_how_often_tests_are_sent(
    visitor: Browser, sender: OwnLoopDispatcher
) -> None:
    visitor.api("PUT", "Billing", {"properties": {"sku": {"name": "Free"}}})
    action = {"type": "Http", "request": {"uri": sender.url, "method": "GET"}}
    with_job(visitor, action=action)
    csrf = visitor.get(JOB).csrf

    parts = [part_of_test(visitor, f"{JOB}/test", [("csrf", csrf)]) for _ in range(30)]

    assert "completed 200 OK" in parts[0].words
    assert "No test was sent." in parts[-1].words


def test_readers_cannot_send_a_test(visitor: Browser, sender: OwnLoopDispatcher) -> None:
    with_job(visitor, action=an_action(sender.url))
    visitor.add_token("reader", Role.READER)
    visitor.sign_in("reader")
    csrf = visitor.get("/about").csrf

    for path in (f"{JOB}/test", f"{EDIT}/test", f"{NEW}/test", "/jobs/new/test"):
        assert visitor.post(path, csrf=csrf).status == 403
    assert visitor.post(f"{COLLECTION}/new/test", csrf=None).status == 403
    assert sender.requests == []


def test_a_node_without_an_engine_says_that_it_cannot_test(billing: Browser) -> None:
    with_job(billing)

    page = billing.post(f"{JOB}/test")

    assert page.status == 409
    assert "This node runs no jobs" in page.words
