"""The dashboard and the alert rules, as Grafana and Prometheus would read them."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import promql_parser
import yaml

from tests.deploy.files import DEPLOY

DASHBOARD = DEPLOY / "grafana" / "foliot.json"
RULES = DEPLOY / "prometheus" / "foliot-alerts.yaml"
TESTS_OF_RULES = DEPLOY / "prometheus" / "foliot-alerts.test.yaml"
# What Grafana fills in before it asks.
VARIABLES = {"$__rate_interval": "5m", "$job": ".+", "$collection": ".+"}
_LABEL_VALUES = re.compile(r"label_values\((\w+), (\w+)\)")


class Use(NamedTuple):
    """A metric that an expression names, and the labels that it asks of it."""

    metric: str
    labels: frozenset[str]


def panels() -> list[dict[str, Any]]:
    return json.loads(DASHBOARD.read_text())["panels"]


def variables() -> list[dict[str, Any]]:
    return json.loads(DASHBOARD.read_text())["templating"]["list"]


def expressions_of_panels() -> Iterator[tuple[str, str]]:
    for panel in panels():
        for target in panel.get("targets", []):
            text = target["expr"]
            for name, value in VARIABLES.items():
                text = text.replace(name, value)
            yield f"{panel['title']} {target['refId']}", text


def uses_of_variables() -> Iterator[tuple[str, Use]]:
    for variable in variables():
        if variable["type"] == "query":
            found = _LABEL_VALUES.fullmatch(variable["query"]["query"])
            assert found
            yield variable["name"], Use(found[1], frozenset({found[2]}))


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def uses(expression: str) -> list[Use]:
    """Return the metrics of an expression; each with the labels of its matchers and groupings."""
    found: list[Use] = []
    _collect(promql_parser.parse(expression), frozenset(), found)
    return found


def _collect(node: Any, grouped: frozenset[str], found: list[Use]) -> None:
    match node:
        case promql_parser.VectorSelector():
            own = {each.name for each in node.matchers.matchers}
            found.append(Use(node.name, grouped | own))
        case promql_parser.MatrixSelector():
            _collect(node.vector_selector, grouped, found)
        case promql_parser.AggregateExpr():
            labels = frozenset(node.modifier.labels) if node.modifier else frozenset[str]()
            _collect(node.expr, grouped | labels, found)
        case promql_parser.BinaryExpr():
            matching = node.modifier.matching if node.modifier else None
            labels = frozenset(matching.labels) if matching else frozenset[str]()
            _collect(node.lhs, grouped | labels, found)
            _collect(node.rhs, grouped | labels, found)
        case promql_parser.Call():
            for each in node.args:
                _collect(each, grouped, found)
        case promql_parser.ParenExpr() | promql_parser.SubqueryExpr() | promql_parser.UnaryExpr():
            _collect(node.expr, grouped, found)
        case promql_parser.NumberLiteral() | promql_parser.StringLiteral():
            pass
        case _:
            raise AssertionError(node)
