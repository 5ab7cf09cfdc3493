"""The overview and the calendar."""

from typing import Any

import pytest
from msgspec import structs

from foliot.core.instant import HOUR, SECOND, Instant, parse_instant
from foliot.core.model.history import AttemptStatus
from foliot.core.model.node import Node
from foliot.core.model.token import Role
from foliot.ports.store import Transaction
from tests.portal.browser import OWNER, Browser
from tests.portal.jobs import change, stored, with_job
from tests.support.api_client import http_job
from tests.support.builders import NOW, a_lease, a_run, an_entry


def a_node(name: str, **fields: Any) -> Node:
    node = Node(
        id=name, name=name, version="1.2.3", started_at=Instant(NOW - HOUR), seen_at=Instant(NOW)
    )
    return structs.replace(node, **fields)


def test_the_overview_shows_running_failed_and_due_jobs(billing: Browser) -> None:
    with_job(billing, "soon", recurrence={"frequency": "minute", "interval": 5})
    with_job(billing, "bad", recurrence={"frequency": "day"})
    soon, bad = stored(billing, "soon"), stored(billing, "bad")

    def happen(to: Transaction) -> None:
        to.add_run(a_run(soon, lease=a_lease(node="the-node")))
        to.save_node(a_node("alive", in_flight=7))
        to.save_node(a_node("dead", seen_at=Instant(NOW - 60 * SECOND)))
        to.save_node(a_node("idle", has_engine=False))
        to.add_history(an_entry(bad.id, second=-120, status=AttemptStatus.FAILED))
        to.add_history(an_entry(bad.id, second=-60))
        to.add_history(an_entry(bad.id, second=-30, status=AttemptStatus.POSTPONED))

    change(billing, happen)
    billing.set_time("2026-01-10T00:00:03Z")

    shown = billing.get("/")

    assert "Running 1" in shown.words
    assert "Failed attempts, last 24 hours 1" in shown.words
    assert "Attempts, last hour 2" in shown.words
    assert "alive Foliot 1.2.3, up since 2026-01-09 23:00:00 UTC 7 active" in shown.words
    assert "dead Foliot 1.2.3, up since 2026-01-09 23:00:00 UTC 0 not responding" in shown.words
    assert "standby" in shown.words
    assert "2 min ago: 1 attempt, 1 failed" in shown.words
    assert "soon Billing · Every 5 minutes" in shown.words


def test_refreshing_an_unchanged_overview_returns_no_content(billing: Browser) -> None:
    with_job(billing)
    mark = billing.get("/").text.split("/live?seen=")[1].split('"')[0]

    assert billing.part(f"/live?seen={mark}").status == 204
    billing.set_time("2026-01-10T00:01:00Z")
    assert billing.part(f"/live?seen={mark}").status == 200


def test_a_token_with_a_scope_sees_only_that_scope(billing: Browser) -> None:
    with_job(billing, "mine", recurrence={"frequency": "hour"})
    billing.api("PUT", "Other", {})
    billing.api("PUT", "Other/jobs/theirs", http_job(recurrence={"frequency": "hour"}))
    scope = {"subscription": "me", "group": "home", "collection": "billing"}
    billing.add_token("scoped", Role.OWNER, scope=scope)
    billing.sign_in("scoped")

    seen = [billing.get(path) for path in ("/", "/collections", "/calendar", "/tokens")]

    assert ["mine" in page.words for page in seen] == [True, False, False, False]
    assert not any("Other" in page.words or "theirs" in page.words for page in seen)
    assert "Throughput" not in seen[0].words
    assert OWNER not in seen[3].words
    assert billing.get("/collections/me/home/Other").status == 404
    assert billing.get("/calendar?of=me/home/other").status == 200
    refused = billing.post("/tokens", {"name": "x", "role": "Owner", "scope": "/"})
    assert refused.status == 403
    assert "only within the scope" in refused.words


def test_the_calendar_counts_runs_by_hour_and_lists_them(billing: Browser) -> None:
    with_job(billing, "minutely", recurrence={"frequency": "minute", "interval": 10})
    with_job(
        billing,
        "daily",
        recurrence={"frequency": "day", "schedule": {"hours": [5], "minutes": [0]}},
    )
    billing.set_time("2026-01-10T00:30:00Z")
    five = parse_instant("2026-01-10T05:00:00Z")

    shown = billing.get("/calendar")
    hour = billing.get(f"/calendar?at={five}")
    collection = billing.get("/calendar?of=me/home/billing")

    assert "Sat 10 Jan 05:00, 7 runs" in shown.text
    assert "Sat 10 Jan 06:00, 6 runs" in shown.text
    assert "Hour from 2026-01-10 05:00:00 UTC 2 jobs" in hour.words
    assert "daily Billing 2026-01-10 05:00:00 UTC 1" in hour.words
    assert "minutely Billing 2026-01-10 05:00:00 UTC 6" in hour.words
    assert 'value="me/home/Billing" selected' in collection.text
    assert "daily" in billing.get(f"/calendar?of=me/home/billing&at={five}").words
    assert "No scheduled runs" in billing.get("/calendar?of=me/home/none").words
    assert billing.get("/calendar?at=1").status == 200
    assert billing.get("/calendar?at=x").status == 200


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        pytest.param("Asia/Tokyo", 'Sat 10 Jan 14:00, 1 run"', id="a zone"),
        pytest.param("Nowhere/At_all", 'Sat 10 Jan 05:00, 1 run"', id="none there is"),
    ],
)
def test_the_calendar_is_drawn_in_the_zone_of_the_viewer(
    billing: Browser, zone: str, words: str
) -> None:
    rule = {"frequency": "day", "schedule": {"hours": [5], "minutes": [0]}}
    with_job(billing, recurrence=rule)
    billing.cookies["foliot-zone"] = zone

    assert words in billing.get("/calendar").text
