"""What Prometheus is told, and who else may hear it."""

import re
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from foliot.core.errors import Unauthenticated, Unavailable
from foliot.core.model.token import Role
from tests.support.api_client import COLLECTION, JOBS, Client, Reply, http_job

REFERENCE = Path(__file__).parents[2] / "docs/reference/metrics.md"


def samples(reply: Reply) -> dict[str, float]:
    """Return the figures without labels, as a scraper reads them."""
    return {
        sample.name: sample.value
        for family in text_string_to_metric_families(reply.content.decode())
        for sample in family.samples
        if not sample.labels
    }


def test_figures_come_in_the_text_format_of_prometheus(client: Client) -> None:
    reply = client.get("/metrics", query="")

    assert reply.status == 200
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert f'version="{metadata.version("foliot")}"' in reply.content.decode()
    found = samples(reply)
    assert found["foliot_attempts_in_flight"] == found["foliot_attempts_waiting"] == 0
    assert found["process_resident_memory_bytes"] > 0
    assert found["process_cpu_seconds_total"] > 0
    assert found["process_open_fds"] > 0
    assert "foliot_engine_last_round_timestamp_seconds" not in found


def test_every_kind_of_action_is_there_from_the_beginning(client: Client) -> None:
    text = client.get("/metrics").content.decode()

    for kind in ("Http", "Https", "StorageQueue", "ServiceBusQueue", "ServiceBusTopic"):
        assert f'foliot_attempt_lateness_seconds_count{{action="{kind}"}} 0.0' in text
        for outcome in ("completed", "failed"):
            assert f'foliot_attempts_total{{action="{kind}",outcome="{outcome}"}} 0.0' in text


def test_what_is_due_and_not_claimed_is_the_backlog(billing: Client) -> None:
    for name in ("one", "two"):
        billing.put(f"{JOBS}/{name}", http_job())
    billing.put(f"{JOBS}/later", http_job(startTime="2026-01-11"))
    billing.put(f"{JOBS}/off", http_job(state="disabled"))
    billing.post(f"{JOBS}/off/run")

    assert samples(billing.get("/metrics"))["foliot_due_backlog"] == 3

    billing.clock.set("2026-01-12T00:00:00Z")
    assert samples(billing.get("/metrics"))["foliot_due_backlog"] == 4

    billing.post(f"{COLLECTION}/disable")
    assert samples(billing.get("/metrics"))["foliot_due_backlog"] == 0


@pytest.mark.parametrize("role", list(Role))
def test_any_role_may_read_the_figures(client: Client, role: Role) -> None:
    client.principal(role)

    assert client.get("/metrics").status == 200


@pytest.mark.parametrize(
    "scope",
    [{"subscription": "s"}, {"subscription": "s", "group": "g", "collection": "c"}],
    ids=["subscription", "collection"],
)
def test_a_token_with_a_scope_may_not(client: Client, scope: dict[str, str]) -> None:
    client.principal(Role.OWNER, **scope)

    reply = client.get("/metrics")

    assert (reply.status, reply.code) == (403, "AuthorizationFailed")
    assert "a token without a scope" in reply.message


def test_without_a_token_nothing_is_told(client: Client) -> None:
    async def refuse(*_: object) -> Any:
        raise Unauthenticated("Who are you?")

    client.authenticator.authenticate = refuse

    assert client.get("/metrics").status == 401


def test_the_figures_can_be_read_and_nothing_else(client: Client) -> None:
    assert client.call("HEAD", "/metrics").content == b""
    reply = client.post("/metrics")
    assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD")


def test_without_the_store_there_is_no_backlog_but_all_else(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(_: Callable[[Any], Any]) -> Any:
        raise Unavailable("The store is away.")

    monkeypatch.setattr(client.store, "read", away)

    found = samples(client.get("/metrics"))

    assert "foliot_due_backlog" not in found
    assert "foliot_attempts_in_flight" in found


def test_the_reference_names_every_figure_and_no_other(client: Client) -> None:
    client.metrics.looked(client.clock.now())
    text = client.get("/metrics").content.decode()

    told = set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE))
    named = set(re.findall(r"\b(?:foliot|process)_[a-z_]+", REFERENCE.read_text()))

    assert {name.removesuffix("_bucket") for name in named} == told
