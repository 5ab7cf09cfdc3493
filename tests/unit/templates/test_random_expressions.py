"""Random templates: whatever they hold, they are evaluated or refused, never anything else."""

from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from foliot.core.errors import Invalid
from foliot.templates import parse_template
from foliot.templates.context_functions import CONTEXT_FUNCTIONS
from foliot.templates.functions.table import FUNCTIONS, REFUSED_FUNCTIONS
from tests.support.templates import a_resource, a_template, read, read_with

NAMES = sorted([*FUNCTIONS, *CONTEXT_FUNCTIONS, *REFUSED_FUNCTIONS, "if", "ns.f", "other"])
LITERALS = st.one_of(
    st.integers(-(2**65), 2**65).map(str),
    st.integers(-3, 30).map(str),
    st.text("ab0'{}:,/%\\\"[]PTDMyHÄß😀\0\ud800 ", max_size=8).map(
        lambda text: "'" + text.replace("'", "''") + "'"
    ),
    st.sampled_from(["'a'", "'Microsoft.X/y'", "'list'", "'p'", "'loop'", "'Full'", "'P1D'"]),
)


def calls(arguments: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    listed = st.lists(arguments, max_size=4).map(", ".join)
    call = st.tuples(st.sampled_from(NAMES), listed).map(lambda each: f"{each[0]}({each[1]})")
    suffix = st.one_of(st.just(""), st.sampled_from([".a", ".name", "[0]", "['a']", ".properties"]))
    return st.tuples(call, suffix).map("".join)


EXPRESSIONS = st.recursive(LITERALS, calls, max_leaves=12).map(lambda text: f"[{text}]")
VALUES = st.recursive(
    st.one_of(EXPRESSIONS, st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
BOUNDED = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
FUNCTION = {
    "namespace": "ns",
    "members": {"f": {"output": {"type": "string", "value": "[newGuid()]"}}},
}


@BOUNDED
@given(property_=VALUES, default=EXPRESSIONS, variable=VALUES, output=VALUES)
@example("[utcNow('\ud800')]", "[utcNow('\ud800')]", "[string(1)]", "[reference('c')]")
def test_random_expressions_are_evaluated_or_refused(
    property_: Any, default: str, variable: Any, output: Any
) -> None:
    document = a_template(
        a_resource(copy={"name": "loop", "count": 1}, properties={"a": property_}),
        parameters={"p": {"type": "string", "defaultValue": default}},
        variables={"list": variable, "a": "[variables('list')]"},
        functions=[FUNCTION],
        outputs={"o": {"type": "object", "value": output}},
    )
    with suppress(Invalid):
        read(document).outputs(lambda _: {"properties": {"name": "x"}})


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), EXPRESSIONS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    *("type", "name", "apiVersion", "copy", "count", "input", "value", "resources"),
                    *("condition", "dependsOn", "properties", "template", "parameters", "outputs"),
                    *("variables", "functions", "namespace", "members", "output", "defaultValue"),
                ]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=20,
)


@BOUNDED
@given(document=JSON, parameters=JSON)
def test_random_documents_are_read_or_refused(document: Any, parameters: Any) -> None:
    with suppress(Invalid):
        read(document, parameters)


@BOUNDED
@given(resource=JSON)
def test_random_resources_are_read_or_refused(resource: Any) -> None:
    whole = a_resource(properties={})
    if isinstance(resource, dict):
        whole |= resource
    with suppress(Invalid):
        read_with(a_template(whole, a_resource("d", dependsOn=["c"])), {})


@BOUNDED
@given(text=st.text('{}[]":,/*\\ \n01ae\ufeff', max_size=40))
def test_random_texts_are_parsed_or_refused(text: str) -> None:
    with suppress(Invalid):
        parse_template(text.encode())
