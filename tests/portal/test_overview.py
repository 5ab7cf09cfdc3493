"""The overview."""

from typing import Any

from msgspec import structs

from foliot.core.instant import HOUR, SECOND, Instant
from foliot.core.model.history import AttemptStatus, RunOutcome
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
        failed = an_entry(bad.id, second=-120, status=AttemptStatus.FAILED, reason="Timeout")
        to.add_history(structs.replace(failed, outcome=RunOutcome.FAILED, host="api.example"))
        to.add_history(an_entry(bad.id, second=-60))
        to.add_history(an_entry(bad.id, second=-30, status=AttemptStatus.POSTPONED))

    change(billing, happen)
    billing.set_time("2026-01-10T00:00:03Z")

    shown = billing.get("/")

    assert "Running 1" in shown.words
    assert "Failed runs, last 24 hours 1" in shown.words
    assert "Attempts, last hour 2" in shown.words
    assert "alive Foliot 1.2.3, up since 2026-01-09 23:00:00 UTC 7 active" in shown.words
    assert "dead Foliot 1.2.3, up since 2026-01-09 23:00:00 UTC 0 not responding" in shown.words
    assert "standby" in shown.words
    assert "2 min ago: 1 attempt, 1 failed" in shown.words
    assert "soon Billing · Every 5 minutes" in shown.words
    assert "Timeout api.example · bad 1 2 min ago" in shown.words
    failures = "/runs?since=24h&amp;reason=Timeout&amp;host=api.example&amp;outcome=failed"
    assert f'href="{failures}"' in shown.text
    assert 'href="/runs?outcome=running">1<' in shown.text


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

    seen = [billing.get(path) for path in ("/", "/collections", "/timeline", "/tokens")]

    assert ["mine" in page.words for page in seen] == [True, False, True, False]
    assert not any("Other" in page.words or "theirs" in page.words for page in seen)
    assert "Throughput" not in seen[0].words
    assert OWNER not in seen[3].words
    assert billing.get("/collections/me/home/Other").status == 404
    assert billing.get("/timeline?of=me/home/other").status == 200
    refused = billing.post("/tokens", {"name": "x", "role": "Owner", "scope": "/"})
    assert refused.status == 403
    assert "only within the scope" in refused.words
