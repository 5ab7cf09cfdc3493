"""Expressions: what is one, how it is parsed, and what is refused."""

from typing import Any

import pytest

from foliot.core.errors import Invalid
from tests.support.templates import evaluated

PROPERTIES = "resources[0].properties.it: "
OBJECT = '{"Name": {"list": [1, [2, 3]], "key with space": 5}, "name2": 0}'

VALUES: dict[str, tuple[Any, Any]] = {
    "no brackets": ("concat('a')", "concat('a')"),
    "a bracket at the beginning only": ("[x] y", "[x] y"),
    "an escaped bracket": ("[[concat('a')]", "[concat('a')]"),
    "an escape that ends without a bracket": ("[[a] b", "[[a] b"),
    "a string literal": ("['it''s']", "it's"),
    "an empty string": ("['']", ""),
    "a negative number": ("[-5]", -5),
    "spaces and line breaks": ("[ concat ( 'a' ,\n 'b' ) ]", "ab"),
    "a function in another letter case": ("[CONCAT('a', ToUpper('b'))]", "aB"),
    "properties": (f"[json('{OBJECT}').Name.list[1][0]]", 2),
    "a property in brackets": (f"[json('{OBJECT}')['Name']['key with space']]", 5),
    "a property in another letter case": (f"[json('{OBJECT}').nAME.LIST[0]]", 1),
    "a computed index": (f"[json('{OBJECT}').Name.list[sub(1, 1)]]", 1),
    "nested values": ({"a": ["[add(1, 1)]", None, True, 1.5]}, {"a": [2, None, True, 1.5]}),
    "a name that is an expression": ({"[concat('a', 'b')]": 1}, {"ab": 1}),
    "an object that has a copy of its own": ({"copy": "no loop"}, {"copy": "no loop"}),
}

REFUSED: dict[str, tuple[Any, str]] = {
    "nothing inside": (
        "[]",
        "the expression ends too early; give a function, a string or a number at its end.",
    ),
    "no parentheses": (
        "[parameters]",
        'the expression ends too early; give ( after "parameters" at its end.',
    ),
    "an open call": (
        "[concat('a']",
        "the expression ends too early; give a comma or ) at its end.",
    ),
    "no comma": (
        "[concat('a' 'secret')]",
        "the expression has a string at character 13; give a comma or ) there.",
    ),
    "an open string": (
        "[concat('a)]",
        "the expression has \"'\" at character 9; give a closing ' after it there.",
    ),
    "something after the end": (
        "[concat('a')x]",
        'the expression has "x" at character 13; give the end of the expression there.',
    ),
    "an operator": (
        "[1 * 2]",
        'the expression has "*" at character 4; give a function, a string or a number there.',
    ),
    "a dot without a name": (
        "[resourceGroup().5]",
        'the expression has "5" at character 18; give the name of a property there.',
    ),
    "an open index": ("[range(0, 2)[0]", "the expression ends too early; give ] at its end."),
    "a long number": (
        "[99999999999999999999]",
        'the expression has "99999999999999999999" at character 2; '
        "give a whole number of 64 bits there.",
    ),
    "a misspelt function": (
        "[conact('a')]",
        "there is no function \"conact\"; did you mean 'concat'?",
    ),
    "an unknown function": (
        "[frobnicate()]",
        'there is no function "frobnicate"; the reference of templates lists them.',
    ),
    "an unknown property": (
        "[resourceGroup().lokation]",
        "the object has no property \"lokation\"; did you mean 'location'?",
    ),
    "an unknown property that is like no other": (
        "[resourceGroup().x]",
        'the object has no property "x".',
    ),
    "an index past the end": (
        "[createArray(1)[1]]",
        "the array has 1 elements; there is no element 1.",
    ),
    "a negative index": (
        "[createArray(1)[-1]]",
        "the array has 1 elements; there is no element -1.",
    ),
    "a property of an array": (
        "[createArray(1).first]",
        'an array has no property "first"; give the number of an element.',
    ),
    "an index of an object": (
        "[resourceGroup()[0]]",
        "a whole number selects no property of an object; give a string.",
    ),
    "an array as an index": (
        "[resourceGroup()[createArray()]]",
        "an array selects no property of an object; give a string.",
    ),
    "a property of null": ("[null().a]", 'null has no property or element "a".'),
    "a name twice": (
        {"[concat('a')]": 1, "a": 2},
        'has the property "a" twice; give it once.',
    ),
    "a name that is a number": (
        {"[add(1, 1)]": 1},
        "the name of a property is a whole number; give a string.",
    ),
}


@pytest.mark.parametrize(("given", "value"), VALUES.values(), ids=VALUES)
def test_a_value_is_evaluated(given: Any, value: Any) -> None:
    assert evaluated(given) == value


@pytest.mark.parametrize(("given", "problem"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_expression_is_refused_with_its_place(given: Any, problem: str) -> None:
    with pytest.raises(Invalid) as refusal:
        evaluated(given)

    assert str(refusal.value) == PROPERTIES + problem


def test_a_refusal_names_the_place_inside_nested_values() -> None:
    with pytest.raises(Invalid) as refusal:
        evaluated({"a": [0, {"b": "[x()]"}]})

    assert refusal.value.path == ("resources", 0, "properties", "it", "a", 1, "b")
