"""Templates that would take long or much memory are refused, with their place."""

from typing import Any

import pytest

from foliot.core.errors import Invalid
from foliot.templates import parse_template
from tests.support.templates import a_resource, a_template, evaluated, read


def a_chain(length: int, expression: str, first: Any) -> dict[str, Any]:
    """Return variables v0, v1, ... of which each uses the one before as PREVIOUS."""
    chain = {"v0": first}
    for index in range(1, length):
        chain[f"v{index}"] = expression.replace("PREVIOUS", f"variables('v{index - 1}')")
    return chain


def using(expression: Any, **elements: Any) -> dict[str, Any]:
    return a_template(a_resource(properties={"it": expression}), **elements)


def used_forwards(length: int, expression: str, first: Any) -> dict[str, Any]:
    """Return a template that evaluates a chain from its beginning: no call is deep."""
    uses = [f"[variables('v{index}')]" for index in range(length)]
    return using(uses, variables=a_chain(length, expression, first))


def empty_loops(count: int) -> list[Any]:
    return [{"name": f"l{index}", "count": 0, "input": 1} for index in range(count)]


LONG = "x" * 20_000
MANY = ", ".join("variables('v')" for _ in range(1000))

HOSTILE: dict[str, tuple[Any, str]] = {
    "text that doubles": (
        used_forwards(60, "[concat(PREVIOUS, PREVIOUS)]", "x" * 100),
        "a string of 1638400 characters is too long|produces more than",
    ),
    "arrays that double": (
        used_forwards(60, "[concat(PREVIOUS, PREVIOUS)]", [1] * 100),
        "an array of 25600 elements is too long",
    ),
    "a value that shares its parts": (
        used_forwards(60, "[createArray(PREVIOUS, PREVIOUS)]", [1]),
        "more than the 1500000 steps",
    ),
    "an object that shares its parts": (
        used_forwards(60, "[createObject('a', PREVIOUS, 'b', PREVIOUS)]", {}),
        "more than the 1500000 steps",
    ),
    "a value that gets deeper": (
        used_forwards(500, "[createArray(PREVIOUS)]", [1]),
        "a value has more than 64 levels",
    ),
    "a long chain of variables": (
        using("[variables('v4999')]", variables=a_chain(5000, "[PREVIOUS]", 1)),
        "nested too deeply",
    ),
    "a wide padLeft": (using("[padLeft('a', 999999999)]"), "string of 999999999 characters"),
    "a wide format": (using("[format('{0,999999999}', 'a')]"), "string of 999999999 characters"),
    "a format with many values": (
        using(f"[format('{'{0}' * 1000}', '{LONG}')]"),
        "characters is too long",
    ),
    "a long range": (using("[range(0, 2147483647)]"), "range.. is asked for 2147483647"),
    "a replace that grows": (
        using(f"[replace('{LONG}', 'x', variables('v'))]", variables={"v": LONG}),
        "characters is too long",
    ),
    "a join that grows": (
        using("[join(range(0, 10000), variables('v'))]", variables={"v": LONG}),
        "characters is too long",
    ),
    "a split into very many": (
        using("[split(concat(variables('v'), variables('v')), 'x')]", variables={"v": LONG}),
        "an array of 40001 elements is too long",
    ),
    "a split by very many": (using("[split('a', range(0, 1000))]"), "1000 delimiters"),
    "a concat of many large arrays": (
        using(f"[concat({MANY})]", variables={"v": "[range(0, 100)]"}),
        "an array of 100000 elements is too long",
    ),
    "a huge product": (
        used_forwards(100, "[mul(PREVIOUS, PREVIOUS)]", 10),
        "does not fit into 64 bits",
    ),
    "a number with thousands of digits": (using(f"[{'9' * 5000}]"), "whole number of 64 bits"),
    "a long expression": (using(f"[concat('{'x' * 30_000}')]"), "24576 are allowed"),
    "a deep expression": (
        using(f"[{'concat(' * 1000}'a'{')' * 1000}]"),
        "the expression is nested too deeply; 64 levels",
    ),
    "a deep index": (using(f"[{'range(0,1)[' * 500}0{']' * 500}]"), "nested too deeply"),
    "many selections": (
        using(f"[resourceGroup(){'.a' * 500}]"),
        "more than 32 properties in a row",
    ),
    "loops in loops": (
        using(
            {
                "copy": [
                    {
                        "name": "a",
                        "count": 800,
                        "input": {"copy": [{"name": "b", "count": 800, "input": "x"}]},
                    }
                ]
            }
        ),
        "more than the 1500000 steps",
    ),
    "a large value in each iteration": (
        a_template(
            a_resource(
                "[concat('c', copyIndex())]",
                copy={"name": "c", "count": 800},
                properties={"it": "[variables('v')]"},
            ),
            variables={"v": LONG},
        ),
        "produces more than 4194304 characters",
    ),
    "comparisons of large values": (
        using(["[equals(variables('v'), variables('v'))]"] * 1000, variables={"v": [1] * 10_000}),
        "more than the 1500000 steps",
    ),
    "hashes of long strings": (
        using([f"[uniqueString('{LONG}', '{i}')]" for i in range(1000)]),
        "more than the 1500000 steps",
    ),
    "very many expressions": (
        using([f"[concat({','.join(f'{i}' for _ in range(500))})]" for i in range(2000)]),
        "more than the 1500000 steps",
    ),
    "very many parameters": (
        a_template(parameters={f"p{i}": {"type": "int", "defaultValue": 1} for i in range(300)}),
        "has 300 parameters; 256 are allowed",
    ),
    "very many outputs": (
        a_template(outputs={f"o{i}": {"type": "int", "value": 1} for i in range(100)}),
        "has 100 outputs; 64 are allowed",
    ),
    "an unknown variable among very many": (
        using("[variables('none')]", variables={f"v{i}": i for i in range(100_000)}),
        'variables has no "none"',
    ),
    "properties found in any letter case": (
        using(["[variables('v').K0]"] * 2000, variables={"v": {f"k{i}": i for i in range(10_000)}}),
        "more than the 1500000 steps",
    ),
    "very many dependencies": (
        a_template(
            a_resource(
                "[concat('c', copyIndex())]",
                copy={"name": "loop", "count": 700},
                dependsOn=["a", *["loop"] * 150],
            ),
            a_resource("a"),
        ),
        "more than the 1500000 steps",
    ),
    "formats with very many holes": (
        using(["[format(variables('f'), 1)]"] * 100, variables={"f": "{0}" * 3000}),
        "more than the 1500000 steps",
    ),
    "nested declarations in a loop": (
        a_template(
            a_resource(
                "[concat('d', copyIndex())]",
                "Microsoft.Resources/deployments",
                copy={"name": "d", "count": 800},
                properties={
                    "expressionEvaluationOptions": {"scope": "inner"},
                    "template": a_template(
                        parameters={
                            f"p{index}": {
                                "type": "int",
                                "defaultValue": 1,
                                "allowedValues": list(range(200)),
                            }
                            for index in range(256)
                        }
                    ),
                },
            )
        ),
        "more than the 1500000 steps",
    ),
    "very many allowed values": (
        a_template(
            parameters={
                f"p{index}": {"type": "int", "defaultValue": 1, "allowedValues": [1] * 3000}
                for index in range(256)
            }
        ),
        "more than the 1500000 steps",
    ),
    "loops without iterations in a loop": (
        using(
            "[variables('v')]",
            variables={"copy": [{"name": "v", "count": 800, "input": {"copy": empty_loops(1000)}}]},
        ),
        "more than the 1500000 steps",
    ),
    "variables that are loops in a loop": (
        a_template(
            a_resource(
                "[concat('d', copyIndex())]",
                "Microsoft.Resources/deployments",
                copy={"name": "d", "count": 100},
                properties={
                    "expressionEvaluationOptions": {"scope": "inner"},
                    "template": a_template(variables={"copy": empty_loops(250)}),
                },
            )
        ),
        "more than the 1500000 steps",
    ),
    "children without iterations in a loop": (
        a_template(
            a_resource(
                "[concat('c', copyIndex())]",
                copy={"name": "c", "count": 700},
                resources=[a_resource("j", "jobs", copy={"count": 0})] * 700,
            )
        ),
        "more than the 1500000 steps",
    ),
    "dependencies of a nested deployment": (
        a_template(
            a_resource(
                "d",
                "Microsoft.Resources/deployments",
                dependsOn=["a"] * 100_000,
                properties={
                    "template": a_template(
                        a_resource("[concat('c', copyIndex())]", copy={"count": 700})
                    )
                },
            ),
            a_resource("a"),
        ),
        r"resources\[0\]\.dependsOn: the template needs more than the 1500000 steps",
    ),
    "references to many outputs": (
        a_template(
            a_resource(
                "d",
                "Microsoft.Resources/deployments",
                properties={
                    "template": a_template(
                        outputs={f"o{i}": {"type": "int", "value": i} for i in range(64)}
                    )
                },
            ),
            a_resource(properties={"it": ["[reference('d').mode]"] * 1000}),
        ),
        "more than the 1500000 steps",
    ),
    "references to many resources": (
        a_template(a_resource("a"), a_resource(properties={"it": ["[reference('a')]"] * 10_000})),
        "more than the 1500000 steps",
    ),
    "ids of long names": (
        using(
            ["[f.one(resourceId('a/b', variables('v')))]"] * 2000,
            variables={"v": LONG},
            functions=[
                {
                    "namespace": "f",
                    "members": {
                        "one": {
                            "parameters": [{"name": "p", "type": "string"}],
                            "output": {"type": "int", "value": 1},
                        }
                    },
                }
            ],
        ),
        "more than the 1500000 steps",
    ),
    "a long property in another letter case": (
        using(
            ["[variables('v')[variables('k')]]"] * 2000,
            variables={"v": {LONG: 1}, "k": LONG.upper()},
        ),
        "more than the 1500000 steps",
    ),
    "searches for long strings": (
        using(
            ["[indexOf(variables('v'), variables('part'))]"] * 2000,
            variables={"v": "a" * 2400, "part": "a" * 1200 + "ba"},
        ),
        "more than the 1500000 steps",
    ),
    "an object with very many items": (
        using(
            "[length(items(variables('v')))]", variables={"v": {f"k{i}": 0 for i in range(20_001)}}
        ),
        "an array of 20001 elements is too long",
    ),
    "half of a surrogate pair": (using("[base64('\ud800')]"), "half of a surrogate pair"),
    "union of very many": (
        using(
            [f"[union(variables('v'), createArray({i}))]" for i in range(500)],
            variables={"v": list(range(10_000))},
        ),
        "more than the 1500000 steps",
    ),
}


@pytest.mark.parametrize(("document", "problem"), HOSTILE.values(), ids=HOSTILE)
def test_a_template_that_would_take_too_much_is_refused(document: Any, problem: str) -> None:
    with pytest.raises(Invalid, match=problem):
        read(document)


def test_a_refusal_for_its_size_names_the_place() -> None:
    document = used_forwards(60, "[createArray(PREVIOUS, PREVIOUS)]", [1])

    with pytest.raises(Invalid) as refusal:
        read(document)

    assert refusal.value.path[0] in ("variables", "resources")
    assert len(refusal.value.path) >= 2


def test_a_very_long_array_is_not_compared_with_allowed_values() -> None:
    declared = {"p": {"type": "array", "allowedValues": [1]}}

    with pytest.raises(Invalid, match="give at most 20000 elements"):
        read(a_template(parameters=declared), {"p": {"value": [1] * 20_001}})


LONG_EXPRESSIONS: dict[str, tuple[str, Any]] = {
    "blanks at the end": (f"[concat('a'){' ' * 24_000}]", "a"),
    "blanks at the beginning": (f"[{' ' * 24_000}concat('a')]", "a"),
    "blanks between": (f"[concat({' ' * 24_000}'a')]", "a"),
    "quotes": ("[length('" + "''" * 12_000 + "')]", 12_000),
}


@pytest.mark.parametrize(("expression", "value"), LONG_EXPRESSIONS.values(), ids=LONG_EXPRESSIONS)
def test_a_long_expression_is_evaluated(expression: str, value: Any) -> None:
    assert evaluated(expression) == value


def test_a_union_of_very_many_objects_keeps_what_each_has() -> None:
    objects = ", ".join(f"createObject('inner', createObject('k{i}', {i}))" for i in range(300))

    assert evaluated(f"[union(variables('v'), {objects})]", variables={"v": {"a": 1}}) == {
        "a": 1,
        "inner": {f"k{i}": i for i in range(300)},
    }


def test_the_last_part_of_a_long_string_is_found() -> None:
    variables = {"v": "a" * 160_000, "part": "b" + "A" * 80_000}

    expression = "[lastIndexOf(concat(variables('part'), variables('v')), variables('part'))]"
    assert evaluated(expression, variables=variables) == 0


OPEN_STRINGS = {
    "single quotes": "'" + "\\'" * 50_000,
    "double quotes": '"' + '\\"' * 50_000,
    "quotes in quotes": "'" + '"' * 100_000,
    "a backslash at the end": "'" + "\\'" * 50_000 + "\\",
}


@pytest.mark.parametrize("text", OPEN_STRINGS.values(), ids=OPEN_STRINGS)
def test_json_with_a_string_that_has_no_end_is_refused(text: str) -> None:
    parameters = {"p": {"type": "string", "defaultValue": text}}

    with pytest.raises(Invalid, match="the text is not JSON"):
        evaluated("[json(parameters('p'))]", parameters=parameters)


LONG_NAME = "a" * 100_000
LONG_NAMES: dict[str, Any] = {
    "a cycle": using("[variables(variables('v'))]", variables={"v": "[variables('v')]"}),
    "an output": a_template(outputs={LONG_NAME: {}}),
    "an element": {LONG_NAME: 1},
    "allowed values": a_template(
        parameters={
            LONG_NAME: {"type": "int", "allowedValues": list(range(10_000)), "defaultValue": -1}
        }
    ),
    "a variable": using(f"[variables('{LONG_NAME[:20_000]}')]"),
    "a function": using(f"[{LONG_NAME[:20_000]}()]"),
}


@pytest.mark.parametrize("document", LONG_NAMES.values(), ids=LONG_NAMES)
def test_a_refusal_is_short_whatever_the_names(document: Any) -> None:
    with pytest.raises(Invalid) as refusal:
        read(document)

    assert len(str(refusal.value)) < 1200


def test_800_resources_with_everything_they_need_are_accepted() -> None:
    job = a_resource(
        "[concat('c/', variables('names')[copyIndex()])]",
        "Microsoft.Scheduler/jobCollections/jobs",
        copy={"name": "jobs", "count": 800},
        properties={
            "startTime": "[dateTimeAdd('2026-01-01T00:00:00Z', concat('PT', copyIndex(1), 'M'))]",
            "action": {
                "type": "Http",
                "request": {
                    "uri": "[concat('https://', uniqueString('a', 'b'), '/', copyIndex())]",
                    "method": "[if(equals(mod(copyIndex(), 2), 0), 'GET', 'POST')]",
                    "headers": {"a": "[toLower(string(copyIndex()))]", "b": "x" * 100},
                    "body": "[string(createObject('n', copyIndex(), 'text', variables('text')))]",
                },
                "retryPolicy": {"retryType": "none"},
            },
            "recurrence": {"frequency": "week", "schedule": {"hours": [1, 2], "minutes": [0]}},
            "state": "[if(contains(variables('names')[copyIndex()], '3'), 'enabled', 'disabled')]",
        },
    )
    variables = {
        "text": "y" * 500,
        "copy": [{"name": "names", "count": 800, "input": "[concat('n', copyIndex('names'))]"}],
    }

    assert len(read(a_template(job, variables=variables)).resources) == 800


TEXTS: dict[str, bytes] = {
    "comments": b"//\n" * 1_300_000,
    "comments between strings": b"[" + b'"",/**/' * 590_000,
    "slashes": b"/ " * 2_000_000,
    "open strings": b'"//\n' * 1_000_000,
    "stars": b"/*" + b"*" * 4_000_000,
    "brackets": b"[" * 4_000_000,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_4_mib_of_hostile_text_are_refused(text: bytes) -> None:
    with pytest.raises(Invalid):
        parse_template(text)
