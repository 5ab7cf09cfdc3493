"""Resources: names, loops, conditions, references and their order."""

from typing import Any

import pytest

from foliot.core.errors import Invalid
from tests.support.templates import (
    COLLECTION,
    COLLECTION_ID,
    JOB,
    a_resource,
    a_template,
    read,
    read_with,
)


def names(document: Any) -> list[str]:
    return [each.name for each in read(document).resources]


def a_job(name: str = "c/j", **elements: Any) -> dict[str, Any]:
    return a_resource(name, JOB, **elements)


def test_a_resource_is_evaluated() -> None:
    resource = a_resource(
        comments="ignored",
        location="[resourceGroup().location]",
        tags={"team": "[toUpper('x')]"},
        properties={"sku": {"name": "Standard"}},
    )

    template = read(a_template(resource))

    (found,) = template.resources
    assert (found.type, found.name, found.api_version) == (COLLECTION, "c", "2016-03-01")
    assert (found.group, found.path) == ("Prod", ("resources", 0))
    assert found.body == {
        "location": "westeurope",
        "tags": {"team": "X"},
        "properties": {"sku": {"name": "Standard"}},
    }


NESTED: dict[str, dict[str, Any]] = {
    "relative": {"type": "jobs", "name": "j"},
    "a full type": {"type": JOB, "name": "j"},
    "a full type and name": {"type": JOB, "name": "c/j"},
    "with a version of its own": {"type": "jobs", "name": "j", "apiVersion": "2016-01-01"},
}


@pytest.mark.parametrize("child", NESTED.values(), ids=NESTED)
def test_a_child_gets_the_type_and_name_of_its_parent(child: dict[str, Any]) -> None:
    template = read(a_template(a_resource(resources=[child])))

    parent, found = template.resources
    assert (parent.name, found.type, found.name) == ("c", JOB, "c/j")
    assert found.path == ("resources", 0, "resources", 0)
    assert found.api_version == child.get("apiVersion", "2016-03-01")


def test_a_loop_makes_a_resource_for_each_iteration() -> None:
    job = a_job(
        "[concat('c/j', copyIndex(1))]",
        copy={
            "name": "jobs",
            "count": "[length(variables('v'))]",
            "mode": "serial",
            "batchSize": 1,
        },
        properties={
            "v": "[variables('v')[copyIndex('jobs')]]",
            "copy": [{"name": "n", "count": 2, "input": "[concat(copyIndex(), copyIndex('n'))]"}],
        },
    )

    template = read(a_template(job, variables={"v": ["a", "b"]}))

    assert {each.name: each.body["properties"] for each in template.resources} == {
        "c/j1": {"v": "a", "n": ["00", "01"]},
        "c/j2": {"v": "b", "n": ["10", "11"]},
    }


def test_a_loop_around_a_parent_repeats_its_children() -> None:
    parent = a_resource(
        "[concat('c', copyIndex())]",
        copy={"name": "all", "count": 2},
        resources=[{"type": "jobs", "name": "[concat('j', copyIndex('all'))]"}],
    )

    assert names(a_template(parent)) == ["c0", "c0/j0", "c1", "c1/j1"]


def test_a_resource_whose_condition_is_false_is_left_out() -> None:
    resources = [
        a_resource("a", condition=True),
        a_resource("b", condition="[equals(1, 2)]", properties={"x": "[nonsense()]"}),
        a_resource("d", dependsOn=["b"]),
    ]

    assert names(a_template(*resources)) == ["a", "d"]


DEPENDENCIES: dict[str, str] = {
    "the name": "c",
    "the name in another letter case": "C",
    "the id": f"[resourceId('{COLLECTION}', 'c')]",
    "type and name": f"[concat('{COLLECTION}/', 'c')]",
    "the loop": "loop",
}


@pytest.mark.parametrize("dependency", DEPENDENCIES.values(), ids=DEPENDENCIES)
def test_a_resource_comes_after_what_it_depends_on(dependency: str) -> None:
    collection = a_resource(copy={"name": "loop", "count": 1})

    assert names(a_template(a_job(dependsOn=[dependency]), collection)) == ["c", "c/j"]


def test_resources_keep_their_order_where_nothing_else_is_said() -> None:
    resources = [a_resource(name) for name in "zbya"]
    resources[0]["dependsOn"] = ["y"]

    assert names(a_template(*resources)) == ["b", "y", "z", "a"]


def test_resources_may_have_symbolic_names() -> None:
    resources = {
        "job": a_job(dependsOn=["collection"], properties={"sku": "[reference('collection').sku]"}),
        "collection": a_resource(properties={"sku": "Free"}),
        "old": a_resource("old", existing=True),
    }

    template = read({"languageVersion": "2.0", "resources": resources})

    assert [each.path for each in template.resources] == [
        ("resources", "collection"),
        ("resources", "job"),
    ]
    assert template.resources[1].body["properties"] == {"sku": "Free"}


REFERENCES: dict[str, tuple[str, Any]] = {
    "by name": ("[reference('c').sku.name]", "Free"),
    "by id": (f"[reference(resourceId('{COLLECTION}', 'c'), '2016-03-01').sku.name]", "Free"),
    "in full": ("[reference('c', '2016-03-01', 'Full').location]", "here"),
    "the id in full": ("[reference('c', '2016-03-01', 'full').resourceId]", f"{COLLECTION_ID}/c"),
    "an existing one": (f"[reference(resourceId('{COLLECTION}', 'old')).state]", "Enabled"),
    "an existing one in full": (
        f"[reference(resourceId('{COLLECTION}', 'old'), '1', 'Full').properties.state]",
        "Enabled",
    ),
    "the location of an existing one": (
        f"[reference(resourceId('{COLLECTION}', 'old'), '1', 'Full').location]",
        "there",
    ),
}


@pytest.mark.parametrize(("expression", "value"), REFERENCES.values(), ids=REFERENCES)
def test_a_reference_gives_a_resource(expression: str, value: Any) -> None:
    document = a_template(
        a_job("x/j", properties={"it": expression}),
        a_resource(location="here", properties={"sku": {"name": "[concat('Free')]"}}),
    )

    old = {"location": "there", "properties": {"state": "Enabled"}}
    template = read_with(document, {f"{COLLECTION_ID}/old": old})

    bodies = {each.name: each.body for each in template.resources}
    assert bodies["x/j"]["properties"] == {"it": value}


def test_a_reference_is_a_dependency() -> None:
    document = a_template(
        a_job("x/j", properties={"it": "[reference('c')]"}), a_resource(properties={})
    )

    assert names(document) == ["c", "x/j"]


def nested(template: Any, **properties: Any) -> dict[str, Any]:
    return a_resource(
        "inner",
        "Microsoft.Resources/deployments",
        properties={"mode": "Incremental", "template": template, **properties},
        dependsOn=["first"],
    )


def test_a_nested_template_uses_the_names_of_the_outer_one() -> None:
    inner = a_template(
        a_resource("[variables('n')]"),
        outputs={"o": {"type": "string", "value": "[reference('c').sku]"}},
    )
    inner["resources"][0]["properties"] = {"sku": "Free"}
    last = a_resource("last", properties={"it": "[reference('inner').outputs.o.value]"})

    template = read(a_template(last, nested(inner), a_resource("first"), variables={"n": "c"}))

    assert [each.name for each in template.resources] == ["first", "c", "last"]
    assert template.resources[1].path == (
        *("resources", 1, "properties", "template", "resources", 0),
    )
    assert template.resources[2].body["properties"] == {"it": "Free"}


def test_a_nested_template_may_have_names_of_its_own() -> None:
    inner = a_template(
        a_resource(
            "[variables('n')]",
            properties={"p": "[parameters('P')]", "first": "[reference('first').state]"},
        ),
        parameters={"p": {"type": "string"}},
        variables={"n": "[concat('c-', parameters('p'))]"},
    )
    document = a_template(
        nested(
            inner,
            parameters={"p": {"value": "[variables('n')]"}},
            expressionEvaluationOptions={"scope": "inner"},
        ),
        a_resource("first", properties={"state": "Enabled"}),
        a_resource("after", dependsOn=["inner"]),
        variables={"n": "outer"},
    )

    template = read(document)

    assert [each.name for each in template.resources] == ["first", "c-outer", "after"]
    assert template.resources[1].body == {"properties": {"p": "outer", "first": "Enabled"}}


def test_a_nested_template_whose_condition_is_false_is_left_out() -> None:
    document = a_template(
        {**nested(a_template(a_resource())), "condition": False}, a_resource("first")
    )

    assert names(document) == ["first"]


def test_a_nested_output_does_not_show_a_secure_value() -> None:
    inner = a_template(
        parameters={"p": {"type": "string"}},
        outputs={"o": {"type": "string", "value": "[parameters('p')]"}},
    )
    document = a_template(
        nested(
            inner,
            parameters={"p": {"value": "[parameters('secret')]"}},
            expressionEvaluationOptions={"scope": "inner"},
        ),
        a_resource("first", properties={"it": "[reference('inner').outputs.o.value]"}),
        parameters={"secret": {"type": "securestring"}},
    )

    with pytest.raises(Invalid, match="would show the secure parameter 'p'"):
        read(document, {"secret": {"value": "hunter2"}})


REFUSED: dict[str, tuple[Any, str]] = {
    "no resources": ({}, "resources: is missing; give an array [...] of resources."),
    "resources that are no array": (
        {"resources": 5},
        "resources: a whole number is not valid; give an array [...].",
    ),
    "an unknown element of the template": (
        {"resources": [], "varibles": {}},
        "varibles: is not known here; did you mean 'variables'?",
    ),
    "no object": ([], "an array is not valid; give an object {...}."),
    "no type": (
        a_template({"name": "c", "apiVersion": "1"}),
        "resources[0].type: is missing; give the type of the resource.",
    ),
    "no name": (
        a_template({"type": COLLECTION, "apiVersion": "1"}),
        "resources[0].name: is missing; give the name of the resource.",
    ),
    "an empty name": (
        a_template(a_resource("")),
        'resources[0].name: "" is not valid; give the name of the resource.',
    ),
    "a name that is a number": (
        a_template(a_resource("[add(1, 1)]")),
        "resources[0].name: a whole number is not valid; give the name of the resource.",
    ),
    "no version": (
        a_template({"type": COLLECTION, "name": "c"}),
        'resources[0].apiVersion: is missing; give the version of the API, such as "2016-03-01".',
    ),
    "a misspelt element": (
        a_template(a_resource(dependOn=[])),
        "resources[0].dependOn: is not known here; did you mean 'dependsOn'?",
    ),
    "too few names": (
        a_template(a_job("j")),
        f'resources[0].name: the type "{JOB}" needs 2 names; it has 1.',
    ),
    "a type without a provider": (
        a_template(a_resource(type="jobs")),
        'resources[0].name: "jobs" is no resource type; '
        "give one such as Microsoft.Scheduler/jobCollections.",
    ),
    "a condition that is no boolean": (
        a_template(a_resource(condition="yes")),
        "resources[0].condition: a string is not valid; give true or false.",
    ),
    "a dependency that does not exist": (
        a_template(a_resource("billing"), a_job("billing/j", dependsOn=["biling"])),
        'resources[1].dependsOn[0]: the template has no resource "biling"; did you mean "billing"?',
    ),
    "a dependency on what the template lacks": (
        a_template(a_resource(dependsOn=[f"{COLLECTION_ID}/elsewhere"])),
        'resources[0].dependsOn[0]: the template has no resource "...'
        '/Prod/providers/Microsoft.Scheduler/jobCollections/elsewhere"; '
        "take it out of dependsOn.",
    ),
    "a dependency that is no string": (
        a_template(a_resource(dependsOn=[5])),
        "resources[0].dependsOn[0]: a whole number is not valid; "
        "give the name or id of a resource.",
    ),
    "a cycle of dependencies": (
        a_template(a_resource("a", dependsOn=["b"]), a_resource("b", dependsOn=["a"])),
        "resources[0]: depends on itself: a -> b -> a.",
    ),
    "a dependency on itself": (
        a_template(a_resource("a", dependsOn=["a"])),
        "resources[0]: depends on itself: a -> a.",
    ),
    "a parent that depends on its child": (
        a_template(a_resource("c", dependsOn=["c/j"], resources=[{"type": "jobs", "name": "j"}])),
        "resources[0]: depends on itself: c -> c/j -> c.",
    ),
    "a reference to nothing": (
        a_template(a_resource(properties={"a": "[reference('x')]"})),
        "resources[0].properties.a: "
        'there is no resource "x", neither in the template nor deployed.',
    ),
    "a resource twice": (
        a_template(a_resource("c"), a_resource("C")),
        'resources[1].name: "C" is defined twice; define it once.',
    ),
    "an element twice": (
        a_template(a_resource(Name="d")),
        "resources[0].Name: is given twice, also as 'name'; give it once.",
    ),
    "a reference to one of several": (
        a_template(
            *(
                a_resource(name, resources=[{"type": "jobs", "name": "j"}], properties={})
                for name in "ab"
            ),
            a_resource(properties={"a": "[reference('j')]"}),
        ),
        'resources[2].properties.a: "j" names 2 resources; give the id of one.',
    ),
    "a reference in a name": (
        a_template(a_resource("[reference('c').name]")),
        "resources[0].name: reference() is only allowed in the properties of a resource "
        "and an output.",
    ),
    "a loop of 10,000": (
        a_template(a_resource(copy={"name": "x", "count": 10_000})),
        "resources[0].copy.count: 10000 is not valid; give a whole number from 0 to 800.",
    ),
    "a loop without a count": (
        a_template(a_resource(copy={"name": "x"})),
        "resources[0].copy.count: is missing; give a whole number.",
    ),
    "two loops of 500": (
        a_template(
            *(
                a_resource(f"[concat('{name}', copyIndex())]", copy={"name": name, "count": 500})
                for name in "ab"
            )
        ),
        "resources: has more than 800 resources; deploy several templates.",
    ),
    "properties that are no object": (
        a_template(a_resource(properties="[createArray()]")),
        "resources[0].properties: an array is not valid; give an object {...}.",
    ),
    "a scope": (
        a_template(a_resource(scope="/")),
        "resources[0].scope: is not supported: Foliot deploys to one resource group; leave it out.",
    ),
    "another group": (
        a_template({**nested(a_template()), "resourceGroup": "Other"}, a_resource("first")),
        'resources[0].resourceGroup: is "Other", but the deployment is to "Prod"; '
        "deploy there separately.",
    ),
    "a linked template": (
        a_template(nested(None, templateLink={"uri": "https://x"}), a_resource("first")),
        "resources[0].properties.templateLink: is not supported: Foliot fetches nothing; "
        "give the template itself.",
    ),
    "a nested template that would delete": (
        a_template(nested(a_template(), mode="Complete"), a_resource("first")),
        'resources[0].properties.mode: "Complete" is not valid; '
        "give Incremental: a nested template deletes nothing.",
    ),
    "an unknown scope of a nested template": (
        a_template(
            nested(a_template(), expressionEvaluationOptions={"scope": "both"}),
            a_resource("first"),
        ),
        "resources[0].properties.expressionEvaluationOptions.scope: "
        '"both" is not valid; give inner or outer.',
    ),
    "a missing parameter of a nested template": (
        a_template(
            nested(
                a_template(parameters={"p": {"type": "string"}}),
                expressionEvaluationOptions={"scope": "inner"},
            ),
            a_resource("first"),
        ),
        "resources[0].properties.template.parameters.p: has no value and no default; "
        "give a string.",
    ),
}


@pytest.mark.parametrize(("document", "problem"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_resource_is_refused_with_its_place(document: Any, problem: str) -> None:
    with pytest.raises(Invalid) as refusal:
        read(document)

    assert str(refusal.value) == problem


def test_references_in_a_circle_are_refused() -> None:
    document = a_template(
        a_resource("a", properties={"x": "[reference('b').x]"}),
        a_resource("b", properties={"x": "[reference('a').x]"}),
    )

    with pytest.raises(Invalid, match=r"depends on itself: .*/a -> .*/b -> .*/a"):
        read(document)
