"""The dashboard and the alert rules name metrics and labels that a server has."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from foliot.core.model.attempt import Outcome
from foliot.core.model.node import Node
from tests.api.conftest import billing, client
from tests.deploy import monitoring
from tests.deploy.monitoring import Use, uses
from tests.support.api_client import Client
from tests.support.served_engine import ServedEngine

__all__ = ["billing", "client"]

REFERENCE = Path(__file__).parents[2] / "docs/reference/metrics.md"
# Prometheus adds them to every series.
OF_PROMETHEUS = frozenset({"job", "instance"})
PROMTOOL = shutil.which("promtool")


@pytest.fixture
def scraped(billing: Client) -> dict[str, frozenset[str]]:
    """Return all metrics of a server that has run jobs and has a problem, with their labels."""
    served = ServedEngine(billing)
    served.targets.answer = lambda request: Outcome(succeeded=request.job != "j", message="told")
    served.put()
    served.advance_to("2026-01-10T01:00:00Z")
    billing.metrics.looked(billing.clock.now())
    billing.health.report("store", "cannot be written")
    now = billing.clock.now()
    node = Node(id="n", name="a", version="1", started_at=now, seen_at=now)
    billing.run(billing.store.write(lambda to: to.save_node(node)))
    text = billing.get("/metrics").content.decode()
    return {
        sample.name: frozenset(sample.labels) | OF_PROMETHEUS
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    } | {"up": OF_PROMETHEUS}


def missing(found: list[Use], scraped: dict[str, frozenset[str]]) -> list[str]:
    return [
        f"{use.metric}: {sorted(use.labels - scraped.get(use.metric, frozenset()))}"
        for use in found
        if use.metric not in scraped or not use.labels <= scraped[use.metric]
    ]


def test_every_expression_of_the_dashboard_asks_for_what_is_there(
    scraped: dict[str, frozenset[str]],
) -> None:
    expressions = dict(monitoring.expressions_of_panels())
    wrong = {name: missing(uses(text), scraped) for name, text in expressions.items()}
    wrong |= {name: missing([use], scraped) for name, use in monitoring.uses_of_variables()}

    assert {name: found for name, found in wrong.items() if found} == {}
    assert len(expressions) > 30


def test_every_alert_asks_for_what_is_there(scraped: dict[str, frozenset[str]]) -> None:
    wrong = {rule["alert"]: missing(uses(rule["expr"]), scraped) for rule in monitoring.rules()}

    assert {name: found for name, found in wrong.items() if found} == {}


def test_the_dashboard_shows_every_metric_of_foliot(scraped: dict[str, frozenset[str]]) -> None:
    used = {use.metric for _, text in monitoring.expressions_of_panels() for use in uses(text)}
    parts = re.compile(r"_(bucket|count|sum)$")

    families = {parts.sub("", name) for name in scraped if name.startswith("foliot_")}

    assert families - {parts.sub("", name) for name in used} == {"foliot_collection_attempts_total"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a{b="c"}', [Use("a", frozenset({"b"}))]),
        ("sum by (x) (rate(a[5m]))", [Use("a", frozenset({"x"}))]),
        ("-a", [Use("a", frozenset())]),
        (
            'a{b="c"} and on (d) max_over_time((e + f)[5m:])',
            [Use("a", frozenset("bd")), Use("e", frozenset("d")), Use("f", frozenset("d"))],
        ),
    ],
    ids=["matcher", "grouping", "sign", "matching and subquery"],
)
def test_labels_are_found_wherever_an_expression_has_them(text: str, expected: list[Use]) -> None:
    assert uses(text) == expected


def test_a_metric_or_a_label_that_is_missing_is_noticed() -> None:
    scraped = {"a": frozenset({"b"})}

    assert missing(uses('a{b="1"}'), scraped) == []
    assert missing(uses('a{c="1"}'), scraped) == ["a: ['c']"]
    assert missing(uses("z"), scraped) == ["z: []"]


def test_panels_have_ids_of_their_own_and_do_not_overlap() -> None:
    panels = monitoring.panels()
    taken = [
        (place["x"] + x, place["y"] + y)
        for place in (panel["gridPos"] for panel in panels)
        for x in range(place["w"])
        for y in range(place["h"])
    ]

    assert len({panel["id"] for panel in panels}) == len(panels)
    assert len(set(taken)) == len(taken)
    assert max(x for x, _ in taken) == 23
    assert {row["title"] for row in panels if row["type"] == "row"} == {
        *("Overview", "Lateness", "Failures", "Collections", "Queue", "Database", "Nodes", "Alerts")
    }


def test_the_dashboard_uses_the_data_source_that_is_chosen() -> None:
    sources = [panel["datasource"] for panel in monitoring.panels() if panel["type"] != "row"]
    sources += [
        each["datasource"] for panel in monitoring.panels() for each in panel.get("targets", [])
    ]

    assert {each["uid"] for each in sources} == {"${datasource}"}


def test_the_reference_has_a_line_for_each_alert() -> None:
    named = set(re.findall(r"^\| `(Foliot\w+)`", REFERENCE.read_text(), re.MULTILINE))

    assert named == {rule["alert"] for rule in monitoring.rules()}


def test_every_alert_says_how_urgent_it_is_and_what_is_wrong() -> None:
    for rule in monitoring.rules():
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"]["summary"].endswith(".")


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["check", "rules", str(monitoring.RULES)], id="they are valid"),
        pytest.param(
            ["test", "rules", str(monitoring.TESTS_OF_RULES)], id="they fire as they should"
        ),
    ],
)
def test_prometheus_finds_nothing_wrong_with_the_rules(words: list[str]) -> None:
    done = subprocess.run(  # noqa: S603  (Prometheus' own, on files of ours)
        [str(PROMTOOL), *words], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
