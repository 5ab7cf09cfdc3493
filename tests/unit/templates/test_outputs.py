"""Outputs, which are evaluated after the resources are deployed."""

from typing import Any

import pytest

from foliot.core.errors import Invalid
from tests.support.builders import SUBSCRIPTION
from tests.support.templates import COLLECTION_ID, a_resource, a_template, read

STORED: dict[str, dict[str, Any]] = {
    f"{COLLECTION_ID}/c": {"location": "here", "properties": {"state": "Enabled"}},
    f"{COLLECTION_ID}/old": {"location": "there", "properties": {"state": "Disabled"}},
}


def outputs_of(outputs: Any) -> dict[str, Any]:
    resource = a_resource(location="here", properties={"sku": "Free"})
    return read(a_template(resource, outputs=outputs)).outputs(STORED.get)


VALUES: dict[str, tuple[dict[str, Any], Any]] = {
    "a value": (
        {"type": "string", "value": "[concat('a', 'b')]"},
        {"type": "String", "value": "ab"},
    ),
    "an object": (
        {"type": "object", "value": {"a": "[add(1, 1)]"}},
        {"type": "Object", "value": {"a": 2}},
    ),
    "what was deployed": (
        {"type": "string", "value": "[reference('c').state]"},
        {"type": "String", "value": "Enabled"},
    ),
    "what was deployed, in full": (
        {"type": "string", "value": "[reference('c', '2016-03-01', 'Full').resourceId]"},
        {"type": "String", "value": f"{COLLECTION_ID}/c"},
    ),
    "the location of what was deployed": (
        {"type": "string", "value": "[reference('c', '2016-03-01', 'Full').location]"},
        {"type": "String", "value": "here"},
    ),
    "what was there": (
        {"type": "string", "value": f"[reference('{COLLECTION_ID}/old').state]"},
        {"type": "String", "value": "Disabled"},
    ),
    "what was there, in full": (
        {"type": "object", "value": f"[reference('{COLLECTION_ID}/old', '1', 'Full')]"},
        {
            "type": "Object",
            "value": {
                "location": "there",
                "properties": {"state": "Disabled"},
                "subscriptionId": SUBSCRIPTION,
                "resourceGroupName": "Prod",
                "resourceId": f"{COLLECTION_ID}/old",
            },
        },
    ),
    "a loop": (
        {"type": "array", "copy": {"count": 2, "input": "[copyIndex()]"}},
        {"type": "Array", "value": [0, 1]},
    ),
    "a secure value": ({"type": "securestring", "value": "x"}, {"type": "SecureString"}),
    "a condition that is true": (
        {"type": "int", "condition": "[equals(1, 1)]", "value": 5},
        {"type": "Int", "value": 5},
    ),
}


@pytest.mark.parametrize(("output", "shown"), VALUES.values(), ids=VALUES)
def test_an_output_is_evaluated(output: dict[str, Any], shown: Any) -> None:
    assert outputs_of({"o": output}) == {"o": shown}


def test_an_output_whose_condition_is_false_is_left_out() -> None:
    output = {"type": "string", "condition": False, "value": "[nonsense()]"}

    assert outputs_of({"o": output}) == {}


def test_outputs_can_be_evaluated_again() -> None:
    document = a_template(
        a_resource(), outputs={"o": {"type": "object", "value": "[reference('c')]"}}
    )
    template = read(document)

    for state in ("Enabled", "Disabled"):
        assert template.outputs(lambda _, state=state: {"properties": {"state": state}}) == {
            "o": {"type": "Object", "value": {"state": state}}
        }


def test_an_output_may_use_the_output_of_a_nested_deployment() -> None:
    inner = a_template(
        a_resource(), outputs={"o": {"type": "string", "value": "[reference('c').state]"}}
    )
    nested = a_resource("n", "Microsoft.Resources/deployments", properties={"template": inner})
    output = {"type": "string", "value": "[reference('n').outputs.o.value]"}
    template = read(a_template(nested, outputs={"o": output}))

    found = template.outputs(lambda _: {"properties": {"state": "Enabled"}})

    assert found == {"o": {"type": "String", "value": "Enabled"}}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a wrong type": (
        {"type": "int", "value": "a"},
        "outputs.o: a string is not valid; give a whole number.",
    ),
    "a wrong expression": (
        {"type": "string", "value": "[concat()]"},
        "outputs.o.value: concat() takes 1 or more arguments; it is given 0.",
    ),
    "no value": ({"type": "string"}, "outputs.o: needs either a value or a copy loop."),
    "an unknown element": (
        {"type": "string", "valeu": ""},
        "outputs.o.valeu: is not known here; did you mean 'value'?",
    ),
    "a wrong condition": (
        {"type": "string", "value": "", "condition": "yes"},
        "outputs.o.condition: a string is not valid; give true or false.",
    ),
    "a secure parameter": (
        {"type": "string", "value": "[concat('x', variables('v'))]"},
        "outputs.o: would show the secure parameter 'secret'; give it a secure type.",
    ),
}


@pytest.mark.parametrize(("output", "problem"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_output_is_refused_before_anything_is_deployed(
    output: dict[str, Any], problem: str
) -> None:
    document = a_template(
        outputs={"o": output},
        parameters={"secret": {"type": "securestring"}},
        variables={"v": "[parameters('secret')]"},
    )

    with pytest.raises(Invalid) as refusal:
        read(document, {"secret": {"value": "hunter2"}})

    assert str(refusal.value) == problem


def test_a_reference_to_nothing_is_refused_after_the_deployment() -> None:
    with pytest.raises(Invalid, match=r'outputs\.o\.value: there is no resource "x"'):
        outputs_of({"o": {"type": "object", "value": "[reference('x')]"}})
