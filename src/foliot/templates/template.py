"""Reads a template: from a document and parameters to resources that can be deployed."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from msgspec import Struct

from foliot.core.errors import Invalid, Path
from foliot.core.json_text import Json
from foliot.core.near_names import shortened
from foliot.templates.budget import MAX_COPIES, Budget
from foliot.templates.elements import Elements, read_elements
from foliot.templates.evaluate import Evaluator
from foliot.templates.names import Names
from foliot.templates.nested import TEMPLATE, declare, list_all_resources, nested_properties
from foliot.templates.outputs import evaluate_output, read_outputs
from foliot.templates.parameters import GivenValues, shown_parameters
from foliot.templates.resource_graph import FindResource, ResourceGraph
from foliot.templates.resources import ResourceEntry, Surroundings
from foliot.templates.scope import TemplateScope

_LONGEST_PROBLEM = 1000


class TemplateResource(Struct, frozen=True, kw_only=True):
    """A resource to deploy, evaluated: its type, full name, place in the template and body."""

    type: str
    name: str
    api_version: str
    path: Path
    body: dict[str, Json]
    subscription: str
    group: str


class Template(Struct, frozen=True, kw_only=True):
    """A template that was read.

    The resources are in an order that can be deployed; those whose condition is false are left out,
    and only their types and names are kept. The parameters are the values in force, as answers show
    them: secure ones without a value.
    """

    resources: tuple[TemplateResource, ...]
    left_out: tuple[tuple[str, str], ...]
    parameters: dict[str, Json]
    _outputs: Callable[[FindResource], dict[str, Json]]

    def outputs(self, reference: FindResource) -> dict[str, Json]:
        """Evaluate the outputs; `reference` gives a resource by its id."""
        return self._outputs(reference)


def read_template(
    document: Json,
    parameters: Json,
    scope: TemplateScope,
    reference: FindResource = lambda _: None,
) -> Template:
    """Evaluate a template; `reference` gives existing resources by id."""
    with _bounded():
        return _Reading(document, parameters, scope).template(reference)


class _ReferenceNeeded(Exception):
    """An output that can only be evaluated after the deployment."""


class _Reading:
    """A template while it is read: names, resources and outputs."""

    def __init__(self, document: Json, parameters: Json, scope: TemplateScope) -> None:
        self._scope = scope
        self._evaluator = Evaluator(Names(scope), Budget())
        elements = read_elements(document, (), TEMPLATE)
        self._parameters = declare(self._evaluator, elements, GivenValues(parameters))
        self._outputs = read_outputs(elements)
        self._graph = ResourceGraph(self._entries(elements))

    def _entries(self, elements: Elements) -> list[ResourceEntry]:
        document = elements.required("resources", "an array [...] of resources")
        entries: list[ResourceEntry] = []
        around = Surroundings(self._evaluator)
        for entry in list_all_resources(document, elements.at("resources"), around):
            entries.append(entry)
            if len(entries) > MAX_COPIES:
                problem = f"has more than {MAX_COPIES} resources; deploy several templates."
                raise Invalid(elements.at("resources"), problem)
        return entries

    def template(self, find: FindResource) -> Template:
        self._evaluator.names.reference = lambda name, full: self._graph.reference(
            name, find, full=full
        )
        self._graph.evaluate()
        resources = tuple(self._resource(entry) for entry in self._graph.order())
        self._check_outputs()
        return Template(
            resources=resources,
            left_out=tuple(
                (each.type, each.name)
                for each in self._graph.entries
                # A nested deployment stands for what is inside it, which is deployed.
                if not each.is_deployed and each.nested is None
            ),
            parameters=shown_parameters(self._evaluator, self._parameters),
            _outputs=self.outputs,
        )

    def _resource(self, entry: ResourceEntry) -> TemplateResource:
        return TemplateResource(
            type=entry.type,
            name=entry.name,
            api_version=entry.api_version,
            path=entry.elements.path,
            body=self._graph.body(entry),
            subscription=self._scope.subscription,
            group=self._scope.group,
        )

    def _check_outputs(self) -> None:
        """Refuse wrong outputs before anything is deployed, as far as they need no resource."""

        def postpone(_: str, __: bool) -> Json:  # noqa: FBT001
            raise _ReferenceNeeded

        self._evaluator.names.reference = postpone
        for output in self._outputs:
            try:
                evaluate_output(self._evaluator, output)
            except _ReferenceNeeded:
                continue

    def outputs(self, reference: FindResource) -> dict[str, Json]:
        def refer(name: str, full: bool) -> Json:  # noqa: FBT001
            entry = self._graph.find(name)
            if entry is not None and entry.nested is not None:
                return nested_properties(entry.nested)
            return self._graph.found(name, reference, full=full)

        self._evaluator.names.reference = refer
        self._evaluator.budget.renew()
        with _bounded():
            found = {each.name: evaluate_output(self._evaluator, each) for each in self._outputs}
        return {name: value for name, value in found.items() if value is not None}


@contextmanager
def _bounded() -> Generator[None]:
    """Refuse what no other limit has stopped, and keep messages short: names may be long."""
    try:
        yield
    except Invalid as refusal:
        path = tuple(shortened(each) if isinstance(each, str) else each for each in refusal.path)
        raise type(refusal)(path, _cut(refusal.problem)) from None
    except RecursionError:
        raise Invalid((), "the template is nested too deeply; make it flatter.") from None
    except UnicodeEncodeError:
        problem = "a string holds half of a surrogate pair (\\ud800 to \\udfff); give both halves."
        raise Invalid((), problem) from None


def _cut(problem: str) -> str:
    return problem if len(problem) <= _LONGEST_PROBLEM else f"{problem[:_LONGEST_PROBLEM]}..."
