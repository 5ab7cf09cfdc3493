"""Parameters: types, defaults, allowed values, bounds, and values that are given."""

from typing import Any

import pytest

from foliot.core.errors import Invalid
from tests.support.templates import a_resource, a_template, read

TYPED: dict[str, tuple[str, Any, str]] = {
    "string": ("string", "a", "String"),
    "int": ("int", -5, "Int"),
    "bool": ("BOOL", False, "Bool"),
    "object": ("Object", {"a": [1]}, "Object"),
    "array": ("array", [1, "a"], "Array"),
}


def with_parameter(**declaration: Any) -> dict[str, Any]:
    return a_template(parameters={"p": {"type": "string", **declaration}})


@pytest.mark.parametrize(("written", "value", "shown"), TYPED.values(), ids=TYPED)
def test_a_given_value_is_in_force(written: str, value: Any, shown: str) -> None:
    template = read(with_parameter(type=written), {"p": {"value": value}})

    assert template.parameters == {"p": {"type": shown, "value": value}}


@pytest.mark.parametrize("written", ["securestring", "SecureString"])
def test_a_secure_value_is_used_but_not_shown(written: str) -> None:
    resource = a_resource(properties={"password": "[parameters('P')]"})
    document = with_parameter(type=written) | {"resources": [resource]}

    template = read(document, {"P": {"value": "hunter2"}})

    assert template.parameters == {"p": {"type": "SecureString"}}
    assert template.resources[0].body["properties"] == {"password": "hunter2"}


def test_a_default_may_use_functions_and_other_parameters() -> None:
    parameters = {
        "b": {"type": "string", "defaultValue": "[concat(parameters('a'), '-plan')]"},
        "a": {"type": "string", "defaultValue": "[toUpper('x')]"},
        "list": {"type": "array", "defaultValue": ["[parameters('b')]"]},
    }

    template = read(a_template(parameters=parameters), {"a": {"value": None}})

    assert template.parameters == {
        "b": {"type": "String", "value": "X-plan"},
        "a": {"type": "String", "value": "X"},
        "list": {"type": "Array", "value": ["X-plan"]},
    }


def test_a_value_that_depends_on_a_secure_one_is_not_shown() -> None:
    parameters = {
        "key": {"type": "secureObject"},
        "url": {"type": "string", "defaultValue": "[concat('x', parameters('key').k)]"},
    }

    template = read(a_template(parameters=parameters), {"key": {"value": {"k": "hunter2"}}})

    assert template.parameters == {"key": {"type": "SecureObject"}, "url": {"type": "String"}}


def test_a_given_value_is_no_expression() -> None:
    template = read(with_parameter(), {"p": {"value": "[concat('a')]"}})

    assert template.parameters == {"p": {"type": "String", "value": "[concat('a')]"}}


@pytest.mark.parametrize(
    "given",
    [
        {"$schema": "x", "contentVersion": "1.0.0.0", "parameters": {"p": {"value": "a"}}},
        {"parameters": {"p": {"value": "a"}}},
    ],
    ids=["with a schema", "without a schema"],
)
def test_a_parameter_file_is_accepted(given: Any) -> None:
    assert read(with_parameter(), given).parameters["p"] == {"type": "String", "value": "a"}


def test_a_parameter_may_be_called_parameters() -> None:
    template = read(
        a_template(parameters={"parameters": {"type": "string"}}), {"parameters": {"value": "a"}}
    )

    assert template.parameters["parameters"] == {"type": "String", "value": "a"}


ACCEPTED: dict[str, tuple[dict[str, Any], Any]] = {
    "an allowed value in another letter case": ({"allowedValues": ["Standard"]}, "standard"),
    "an array of allowed values": ({"type": "array", "allowedValues": ["a", "b"]}, ["b"]),
    "an allowed array": ({"type": "array", "allowedValues": [["a"], ["b"]]}, ["b"]),
    "the least number": ({"type": "int", "minValue": 1, "maxValue": 3}, 1),
    "the longest string": ({"maxLength": 3}, "abc"),
    "the shortest array": ({"type": "array", "minLength": 1}, [0]),
}


@pytest.mark.parametrize(("declaration", "value"), ACCEPTED.values(), ids=ACCEPTED)
def test_a_value_within_its_bounds_is_accepted(declaration: dict[str, Any], value: Any) -> None:
    template = read(with_parameter(**declaration), {"p": {"value": value}})

    assert template.parameters["p"] == {
        "type": declaration.get("type", "string").capitalize(),
        "value": value,
    }


REFUSED: dict[str, tuple[dict[str, Any], Any, str]] = {
    "missing": ({}, {}, "parameters.p: has no value and no default; give a string."),
    "null": (
        {},
        {"p": {"value": None}},
        "parameters.p: has no value and no default; give a string.",
    ),
    "unknown": (
        {"defaultValue": ""},
        {"q": {"value": 1}},
        "parameters.q: is given, but the template does not declare it; leave it out.",
    ),
    "given twice": (
        {},
        {"p": {"value": "a"}, "P": {"value": "b"}},
        "parameters.P: is given twice; give it once.",
    ),
    "no value element": (
        {},
        {"p": {"valeu": 1}},
        "parameters.p.valeu: is not known here; did you mean 'value'?",
    ),
    "not an object": ({}, {"p": "a"}, 'parameters.p: a string is not valid; give {"value": ...}.'),
    "a key vault": (
        {},
        {"p": {"reference": {"keyVault": {"id": "x"}, "secretName": "y"}}},
        "parameters.p.reference: is not supported: Foliot reads no key vault; "
        "give the secret as a value.",
    ),
    "a number for a string": (
        {},
        {"p": {"value": 5}},
        "parameters.p.value: 5 is not valid; give a string.",
    ),
    "a string for a number": (
        {"type": "int"},
        {"p": {"value": "5"}},
        'parameters.p.value: "5" is not valid; give a whole number.',
    ),
    "a huge number": (
        {"type": "int"},
        {"p": {"value": 2**63}},
        "parameters.p.value: 9223372036854775808 is not valid; give a whole number.",
    ),
    "a number for a boolean": (
        {"type": "bool"},
        {"p": {"value": 1}},
        "parameters.p.value: 1 is not valid; give true or false.",
    ),
    "a secure value of a wrong type": (
        {"type": "secureObject"},
        {"p": {"value": "hunter2"}},
        "parameters.p.value: the value is not valid; give an object {...}.",
    ),
    "not allowed": (
        {"allowedValues": ["Free", "Standard"]},
        {"p": {"value": "Premium"}},
        'parameters.p.value: "Premium" is not valid; give one of Free, Standard.',
    ),
    "a secure value that is not allowed": (
        {"type": "securestring", "allowedValues": ["hunter1"]},
        {"p": {"value": "hunter2"}},
        "parameters.p.value: the value is not valid; give one of its allowed values.",
    ),
    "too small": (
        {"type": "int", "minValue": 1},
        {"p": {"value": 0}},
        "parameters.p.value: 0 is not valid; give a number of at least 1.",
    ),
    "too long": (
        {"type": "securestring", "minLength": 1, "maxLength": 3},
        {"p": {"value": "hunter2"}},
        "parameters.p.value: the value is not valid; give a length of at least 1 and of at most 3.",
    ),
    "no type": (
        {"type": None},
        {},
        "parameters.p.type: is missing; "
        "give string, securestring, int, bool, object, secureObject or array.",
    ),
    "an unknown type": (
        {"type": "text"},
        {},
        'parameters.p.type: "text" is not valid; '
        "give string, securestring, int, bool, object, secureObject or array.",
    ),
    "an unknown element": (
        {"defaultValeu": "a"},
        {},
        "parameters.p.defaultValeu: is not known here; did you mean 'defaultValue'?",
    ),
    "a bound that is no number": (
        {"maxLength": "3"},
        {"p": {"value": "a"}},
        'parameters.p.maxLength: "3" is not valid; give a whole number.',
    ),
    "allowed values that are no array": (
        {"allowedValues": "a"},
        {"p": {"value": "a"}},
        "parameters.p.allowedValues: a string is not valid; give an array [...].",
    ),
    "a default of a wrong type": (
        {"defaultValue": 5},
        {},
        "parameters.p: 5 is not valid; give a string.",
    ),
    "a default that uses itself": (
        {"defaultValue": "[parameters('p')]"},
        {},
        "parameters.p: depends on itself: parameters.p -> parameters.p.",
    ),
    "a default that uses a variable": (
        {"defaultValue": "[variables('v')]"},
        {},
        "parameters.p.defaultValue: "
        "variables() is not allowed in the default value of a parameter.",
    ),
    "a default that refers to a resource": (
        {"defaultValue": "[reference('c')]"},
        {},
        "parameters.p.defaultValue: reference() is only allowed in the properties of a resource "
        "and an output.",
    ),
}


@pytest.mark.parametrize(("declaration", "given", "problem"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_parameter_is_refused(
    declaration: dict[str, Any], given: Any, problem: str
) -> None:
    with pytest.raises(Invalid) as refusal:
        read(with_parameter(**declaration), given)

    assert str(refusal.value) == problem


def test_a_misspelt_parameter_is_answered_with_the_right_name() -> None:
    document = a_template(parameters={"jobName": {"type": "string", "defaultValue": ""}})

    with pytest.raises(Invalid, match="did you mean 'jobName'"):
        read(document, {"jobNmae": {"value": "a"}})


def test_a_default_that_depends_on_a_secure_value_is_not_shown_in_a_refusal() -> None:
    parameters = {
        "key": {"type": "securestring"},
        "short": {"type": "string", "defaultValue": "[parameters('key')]", "maxLength": 3},
    }

    with pytest.raises(Invalid, match=r"parameters\.short: the value is not valid"):
        read(a_template(parameters=parameters), {"key": {"value": "hunter2"}})


def test_two_declarations_of_one_name_are_refused() -> None:
    declared = {"type": "string", "defaultValue": ""}

    with pytest.raises(Invalid, match=r"parameters\.P: is given twice"):
        read(a_template(parameters={"p": declared, "P": declared}))


def test_a_nullable_parameter_may_be_left_out() -> None:
    template = read(with_parameter(nullable=True))

    assert template.parameters == {"p": {"type": "String", "value": None}}


SECRETS = {
    "a property": "[variables('v')[parameters('p')]]",
    "a parameter": "[parameters(parameters('p'))]",
    "JSON": "[json(parameters('p'))]",
    "an id": "[resourceId('Microsoft.X/a', parameters('p'))]",
    "a reference": "[reference(parameters('p'))]",
    "a format": "[format(parameters('p'))]",
    "a date": "[dateTimeToEpoch(parameters('p'))]",
    "a derived value": "[variables('v')[toUpper(variables('s'))]]",
}


@pytest.mark.parametrize("expression", SECRETS.values(), ids=SECRETS)
def test_no_refusal_shows_a_secure_value(expression: str) -> None:
    document = a_template(
        a_resource(properties={"a": expression}),
        parameters={"p": {"type": "securestring"}},
        variables={"v": {}, "s": "[parameters('p')]"},
    )

    with pytest.raises(Invalid) as refusal:
        read(document, {"p": {"value": 'hunter/{"2'}})

    assert "hunter" not in str(refusal.value).lower()
