"""Variables, their loops, and functions of the template."""

from typing import Any

import pytest

from foliot.core.errors import Invalid
from tests.support.templates import a_template, evaluated, read

VARIABLES: dict[str, Any] = {
    "plain": "a",
    "Nested": {"list": ["[variables('PLAIN')]", 2], "text": "[toUpper(variables('plain'))]"},
    "copy": [
        {"name": "hours", "count": 3, "input": "[add(8, copyIndex('hours'))]"},
        {
            "name": "objects",
            "count": "[length(variables('hours'))]",
            "input": {"h": "[variables('hours')[copyIndex('objects')]]"},
        },
    ],
    "withLoop": {
        "kept": 1,
        "copy": [{"name": "names", "count": 2, "input": "[concat('n', copyIndex('names', 1))]"}],
    },
    "unused": "[nonsense(",
}
VALUES: dict[str, tuple[str, Any]] = {
    "a variable in another letter case": ("[variables('PLAIN')]", "a"),
    "nested values": ("[variables('nested')]", {"list": ["a", 2], "text": "A"}),
    "a loop": ("[variables('hours')]", [8, 9, 10]),
    "a loop over a loop": ("[variables('objects')]", [{"h": 8}, {"h": 9}, {"h": 10}]),
    "a loop inside an object": ("[variables('withLoop')]", {"kept": 1, "names": ["n1", "n2"]}),
}


@pytest.mark.parametrize(("expression", "value"), VALUES.values(), ids=VALUES)
def test_a_variable_is_evaluated_when_it_is_used(expression: str, value: Any) -> None:
    assert evaluated(expression, variables=VARIABLES) == value


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a cycle": (
        {"x": "[variables('b')]", "b": "[concat(variables('x'))]"},
        "variables.x: depends on itself: variables.x -> variables.b -> variables.x.",
    ),
    "a misspelt name": (
        {"x": "[variables('nmae')]", "name": 1},
        "variables.x: variables has no \"nmae\"; did you mean 'name'?",
    ),
    "an error inside": (
        {"x": {"a": ["[add(1)]"]}},
        "variables.x.a[0]: add() takes 2 arguments; it is given 1.",
    ),
    "two names": (
        {"x": 1, "X": 2},
        "variables.X: is given twice; give it once.",
    ),
    "a loop with the name of a variable": (
        {"x": 1, "copy": [{"name": "x", "count": 1, "input": 0}]},
        "variables.x: is given twice; give it once.",
    ),
    "a loop without an input": (
        {"x": {"copy": [{"name": "a", "count": 1}]}},
        "variables.x.copy[0].input: is missing; a loop has name, count and input.",
    ),
    "a misspelt element of a loop": (
        {"copy": [{"name": "x", "cuont": 1, "input": 0}]},
        "variables.copy[0].cuont: is not known here; did you mean 'count'?",
    ),
    "iterations that are no number": (
        {"copy": [{"name": "x", "count": "5", "input": 0}]},
        "variables.copy[0].count: a string is not valid; give a whole number from 0 to 800.",
    ),
    "too many iterations": (
        {"copy": [{"name": "x", "count": 10000, "input": 0}]},
        "variables.copy[0].count: 10000 is not valid; give a whole number from 0 to 800.",
    ),
    "a reference": (
        {"x": "[reference('c')]"},
        "variables.x: reference() is only allowed in the properties of a resource and an output.",
    ),
}


@pytest.mark.parametrize(("variables", "problem"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_variable_is_refused(variables: dict[str, Any], problem: str) -> None:
    with pytest.raises(Invalid) as refusal:
        evaluated("[variables('x')]", variables=variables)

    assert str(refusal.value) == problem


FUNCTIONS = [
    {
        "namespace": "contoso",
        "members": {
            "uniqueName": {
                "parameters": [{"name": "prefix", "type": "string"}],
                "output": {
                    "type": "string",
                    "value": "[concat(toLower(parameters('Prefix')), 'x')]",
                },
            },
            "sum": {
                "parameters": [{"name": "a", "type": "int"}, {"name": "b", "type": "int"}],
                "output": {"type": "int", "value": "[add(parameters('a'), parameters('b'))]"},
            },
            "outer": {"output": {"type": "string", "value": "[parameters('p')]"}},
            "calls": {"output": {"type": "int", "value": "[contoso.sum(1, 2)]"}},
            "wrong": {"output": {"type": "int", "value": "text"}},
        },
    }
]


def test_a_function_of_the_template_is_called() -> None:
    assert evaluated("[contoso.uniqueName('AB')]", functions=FUNCTIONS) == "abx"
    assert evaluated("[Contoso.SUM(2, 3)]", functions=FUNCTIONS) == 5


FUNCTION_REFUSED = {
    "contoso.sum(1)": "resources[0].properties.it: contoso.sum() takes 2 arguments; it is given 1.",
    "contoso.sum(1, 'a')": (
        "resources[0].properties.it: parameter 'b' of contoso.sum() is wrong; give a whole number."
    ),
    "contoso.summe(1, 2)": (
        'resources[0].properties.it: there is no function "contoso.summe"; '
        "did you mean 'contoso.sum'?"
    ),
    "contoso.outer()": (
        "functions[0].members.outer.output.value: "
        'the function has no parameter "p"; it sees only its own.'
    ),
    "contoso.calls()": (
        "functions[0].members.calls.output.value: "
        "a function of the template cannot call another one."
    ),
    "contoso.wrong()": "functions[0].members.wrong.output.value: does not give a whole number.",
}


@pytest.mark.parametrize(("call", "problem"), FUNCTION_REFUSED.items(), ids=FUNCTION_REFUSED)
def test_a_wrong_call_of_a_function_of_the_template_is_refused(call: str, problem: str) -> None:
    parameters = {"p": {"type": "string", "defaultValue": ""}}

    with pytest.raises(Invalid) as refusal:
        evaluated(f"[{call}]", functions=FUNCTIONS, parameters=parameters)

    assert str(refusal.value) == problem


def test_two_functions_of_one_name_are_refused() -> None:
    with pytest.raises(Invalid, match=r"functions\[1\]\.members\.uniqueName: is defined twice"):
        read(a_template(functions=FUNCTIONS * 2))
