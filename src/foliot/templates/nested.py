"""Nested deployments: templates inside a template, with its names or with names of their own."""

from collections.abc import Iterator

from foliot.core.errors import Invalid, Path, within, wrong
from foliot.core.json_text import Json
from foliot.templates.elements import Elements, object_at, read_elements
from foliot.templates.evaluate import Evaluator
from foliot.templates.frame import Frame, Place
from foliot.templates.names import Names
from foliot.templates.outputs import evaluate_output, read_outputs
from foliot.templates.parameters import Declaration, GivenValues, read_parameters
from foliot.templates.resources import (
    DEPLOYMENT,
    NestedTemplate,
    ResourceEntry,
    Surroundings,
    list_resources,
)
from foliot.templates.user_functions import read_user_functions
from foliot.templates.variables import read_variables

TEMPLATE = (
    *("$schema", "contentVersion", "languageVersion", "metadata"),
    *("parameters", "variables", "functions", "resources", "outputs"),
)
_WEIGHT_OF_DECLARATIONS = 20
_PROPERTIES = (
    *("mode", "template", "parameters", "templateLink", "parametersLink"),
    *("expressionEvaluationOptions", "debugSetting"),
)


def declare(evaluator: Evaluator, elements: Elements, given: GivenValues) -> list[Declaration]:
    """Read what expressions of a template can name: its functions, parameters and variables."""
    with within(*elements.path):
        # A loop may read the same declarations 800 times.
        for name in ("functions", "parameters"):
            evaluator.budget.read(elements.get(name), _WEIGHT_OF_DECLARATIONS)
        evaluator.budget.read(elements.get("variables"))
    read_user_functions(evaluator, elements)
    declarations = read_parameters(evaluator, elements, given)
    read_variables(evaluator, elements)
    return declarations


def list_all_resources(document: Json, path: Path, around: Surroundings) -> Iterator[ResourceEntry]:
    """Go through resources, and in place of a nested deployment also through those inside it."""
    for entry in list_resources(document, path, around):
        if entry.type.lower() != DEPLOYMENT:
            yield entry
        elif entry.is_deployed:
            yield from _nested(entry)
        else:
            yield entry


def nested_properties(nested: NestedTemplate) -> dict[str, Json]:
    """Return what `reference()` gives of a nested deployment: its outputs."""
    secrets = nested.evaluator.names.secrets
    before = frozenset(secrets)
    found = {each.name: evaluate_output(nested.evaluator, each) for each in nested.outputs}
    secrets.clear()
    secrets.update(before)
    outputs: dict[str, Json] = {name: each for name, each in found.items() if each is not None}
    return {"mode": "Incremental", "provisioningState": "Succeeded", "outputs": outputs}


def _nested(entry: ResourceEntry) -> Iterator[ResourceEntry]:
    properties = _properties(entry)
    document = object_at(
        properties.required("template", "the nested template"), properties.at("template")
    )
    template = read_elements(document, properties.at("template"), TEMPLATE)
    evaluator = entry.evaluator
    if _has_own_scope(properties):
        evaluator = Evaluator(Names(evaluator.names.scope, evaluator.names), evaluator.budget)
        declare(evaluator, template, _given(entry, properties))
    outputs = read_outputs(template)
    yield entry._replace(is_deployed=False, nested=NestedTemplate(evaluator, outputs))
    around = Surroundings(evaluator, entry.frame.loops)
    resources = template.required("resources", "an array [...] of resources")
    for inner in list_all_resources(resources, template.at("resources"), around):
        with within(*inner.elements.path):
            evaluator.budget.look_at(len(entry.depends_on))
        yield inner._replace(
            depends_on=(*inner.depends_on, *entry.depends_on),
            groups=inner.groups | entry.groups | entry.labels,
        )


def _properties(entry: ResourceEntry) -> Elements:
    document = entry.elements.required("properties", "an object {...}")
    properties = read_elements(document, entry.elements.at("properties"), _PROPERTIES)
    for name in ("templateLink", "parametersLink"):
        if properties.get(name) is not None:
            problem = "is not supported: Foliot fetches nothing; give the template itself."
            raise Invalid(properties.at(name), problem)
    mode = properties.get("mode")
    if mode is not None and (not isinstance(mode, str) or mode.lower() != "incremental"):
        raise wrong(properties.at("mode"), mode, "Incremental: a nested template deletes nothing")
    return properties


def _has_own_scope(properties: Elements) -> bool:
    path = properties.at("expressionEvaluationOptions")
    options = read_elements(properties.object("expressionEvaluationOptions"), path, ("scope",))
    scope = options.get("scope")
    if scope is None:
        return False
    if not isinstance(scope, str) or scope.lower() not in ("inner", "outer", "notspecified"):
        raise wrong(options.at("scope"), scope, "inner or outer")
    return scope.lower() == "inner"


def _given(entry: ResourceEntry, properties: Elements) -> GivenValues:
    """Evaluate the values for the nested template, and tell which depend on secure parameters."""
    values: dict[str, Json] = {}
    hidden: set[str] = set()
    secrets = entry.evaluator.names.secrets
    frame = Frame(Place.HEADER, properties.at("parameters"), entry.frame.loops)
    for name, document in properties.object("parameters").items():
        secrets.clear()
        values[name] = entry.evaluator.value(document, frame.at(name))
        if secrets:
            hidden.add(name.lower())
    secrets.clear()
    return GivenValues(values, properties.at("parameters"), Invalid, frozenset(hidden))
