"""Lists the resources of a template: children named in full, loops expanded, conditions decided."""

from collections.abc import Iterator
from typing import NamedTuple

from foliot.core.errors import Invalid, Path, shown, within, wrong
from foliot.core.json_text import Json
from foliot.core.near_names import nearest
from foliot.templates.elements import (
    Elements,
    array_at,
    object_at,
    read_elements,
    text_at,
    wrong_kind_at,
)
from foliot.templates.evaluate import Evaluator
from foliot.templates.frame import Frame, Loop, Place
from foliot.templates.loops import checked_count
from foliot.templates.outputs import Output
from foliot.templates.resource_ids import resource_id, typed_name

BODY = (
    *("location", "tags", "properties", "sku", "kind", "plan", "identity", "zones", "etag"),
    *("managedBy", "extendedLocation"),
)
_KNOWN = (
    *("type", "apiVersion", "name", "condition", "copy", "dependsOn", "resources", "existing"),
    *("comments", "metadata", "scope", "resourceGroup", "subscriptionId", *BODY),
)
DEPLOYMENT = "microsoft.resources/deployments"
_OF_COPY = ("name", "count", "mode", "batchSize")


class NestedTemplate(NamedTuple):
    """The template of a nested deployment: what evaluates it, and its outputs."""

    evaluator: Evaluator
    outputs: list[Output]


class ResourceEntry(NamedTuple):
    """A resource of a template before its body is evaluated.

    `labels` are the names by which `dependsOn` and `reference()` find it, in lower case; `groups`
    are the loops and nested deployments by which `dependsOn` finds it together with others.
    """

    evaluator: Evaluator
    elements: Elements
    frame: Frame
    type: str
    name: str
    id: str
    api_version: str
    is_deployed: bool
    depends_on: tuple[tuple[Path, str], ...]
    labels: frozenset[str]
    groups: frozenset[str]
    parent: "ResourceEntry | None"
    nested: NestedTemplate | None = None


class Surroundings(NamedTuple):
    """What a resource takes from around it: the evaluator, the loops and the parent."""

    evaluator: Evaluator
    loops: tuple[Loop, ...] = ()
    parent: ResourceEntry | None = None


def list_resources(document: Json, path: Path, around: Surroundings) -> Iterator[ResourceEntry]:
    """Go through resources in the order of the template, each before its children."""
    for symbol, key, each in _documents(document, path):
        with within(*path, key):
            around.evaluator.budget.read_object()
        elements = read_elements(each, (*path, key), _KNOWN)
        for loops in _iterations(elements, around):
            inside = around._replace(loops=loops)
            entry = _entry(elements, symbol, inside)
            yield entry
            if elements.get("resources") is not None:
                inside = inside._replace(parent=entry)
                at_children = elements.at("resources")
                yield from list_resources(elements.get("resources"), at_children, inside)


def _documents(document: Json, path: Path) -> Iterator[tuple[str, str | int, Json]]:
    """Go through an array of resources, or an object of resources with symbolic names."""
    if isinstance(document, dict):
        for name, each in document.items():
            yield name, name, each
    else:
        for index, each in enumerate(array_at(document, path)):
            yield "", index, each


def _iterations(elements: Elements, around: Surroundings) -> Iterator[tuple[Loop, ...]]:
    document = elements.get("copy")
    if document is None:
        yield around.loops
        return
    copy = read_elements(document, elements.at("copy"), _OF_COPY)
    name = text_at(copy.get("name") or "copy", copy.at("name"), "the name of the loop")
    frame = Frame(Place.HEADER, copy.at("count"), around.loops)
    given = around.evaluator.value(copy.required("count", "a whole number"), frame)
    for index in range(checked_count(given, frame.path)):
        yield (*around.loops, Loop(name, index, is_of_resource=True))


class _Header(NamedTuple):
    """Evaluates the elements of a resource that say what it is."""

    elements: Elements
    around: Surroundings

    def value(self, name: str) -> Json:
        frame = Frame(Place.HEADER, self.elements.at(name), self.around.loops)
        return self.around.evaluator.value(self.elements.get(name), frame)

    def text(self, name: str, expected: str) -> str:
        self.elements.required(name, expected)
        return text_at(self.value(name), self.elements.at(name), expected)

    def flag(self, name: str, *, default: bool) -> bool:
        value = self.value(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise wrong_kind_at(self.elements.at(name), value, "true or false")
        return value


def _entry(elements: Elements, symbol: str, around: Surroundings) -> ResourceEntry:
    header = _Header(elements, around)
    _refuse_other_scope(header)
    written = header.text("name", "the name of the resource")
    resource_type = _full_type(header.text("type", "the type of the resource"), around.parent)
    is_deployed = header.flag("condition", default=True) and not header.flag(
        "existing", default=False
    )
    if is_deployed:
        _check_type(header, resource_type)
    name = _full_name(written, resource_type, around.parent)
    typed = _typed(resource_type, name, elements.at("name"))
    scope = around.evaluator.names.scope
    full_id = resource_id(scope.subscription, scope.group, typed)
    labels = {symbol, written, name, typed, full_id}
    return ResourceEntry(
        evaluator=around.evaluator,
        elements=elements,
        frame=Frame(Place.PROPERTY, elements.path, around.loops),
        type=resource_type,
        name=name,
        id=full_id,
        api_version=_api_version(header),
        is_deployed=is_deployed,
        depends_on=_depends_on(header),
        labels=frozenset(label.lower() for label in labels if label),
        groups=frozenset(loop.name.lower() for loop in around.loops),
        parent=around.parent,
    )


def _refuse_other_scope(header: _Header) -> None:
    scope = header.around.evaluator.names.scope
    if header.elements.get("scope") is not None:
        problem = "is not supported: Foliot deploys to one resource group; leave it out."
        raise Invalid(header.elements.at("scope"), problem)
    for name, ours in (("resourceGroup", scope.group), ("subscriptionId", scope.subscription)):
        if header.elements.get(name) is not None:
            given = header.text(name, "a name")
            if given.lower() != ours.lower():
                problem = f"is {shown(given)}, but the deployment is to {shown(ours)}; "
                raise Invalid(header.elements.at(name), problem + "deploy there separately.")


def _check_type(header: _Header, resource_type: str) -> None:
    types = header.around.evaluator.names.scope.types
    known = {each.lower(): each for each in types}
    if not known or resource_type.lower() in (DEPLOYMENT, *known):
        return
    path = header.elements.at("type")
    for near in nearest(resource_type.lower(), known):
        problem = f"{shown(resource_type)} is not known here; did you mean '{known[near]}'?"
        raise Invalid(path, problem)
    raise wrong(path, resource_type, f"{' or '.join(types)}: Foliot knows no other type")


def _full_type(written: str, parent: ResourceEntry | None) -> str:
    if parent is None or written.lower().startswith(f"{parent.type.lower()}/"):
        return written
    return f"{parent.type}/{written}"


def _full_name(written: str, resource_type: str, parent: ResourceEntry | None) -> str:
    """Put the name of the parent before that of a child, unless it is there."""
    if parent is None or written.count("/") + 1 == resource_type.count("/"):
        return written
    return f"{parent.name}/{written}"


def _typed(resource_type: str, name: str, path: Path) -> str:
    try:
        return typed_name(resource_type, name.split("/"))
    except Invalid as refusal:
        raise Invalid(path, refusal.problem) from None


def _api_version(header: _Header) -> str:
    if header.elements.get("apiVersion") is None and header.around.parent is not None:
        return header.around.parent.api_version
    return header.text("apiVersion", 'the version of the API, such as "2016-03-01"')


def _depends_on(header: _Header) -> tuple[tuple[Path, str], ...]:
    if header.elements.get("dependsOn") is None:
        return ()
    path = header.elements.at("dependsOn")
    found = array_at(header.value("dependsOn"), path)
    return tuple(
        ((*path, index), text_at(each, (*path, index), "the name or id of a resource"))
        for index, each in enumerate(found)
    )


def evaluate_body(entry: ResourceEntry) -> dict[str, Json]:
    """Evaluate what is deployed of a resource: its location, tags, properties and so on."""
    found: dict[str, Json] = {}
    for name in BODY:
        document = entry.elements.get(name)
        if document is not None:
            written = entry.elements.at(name)[-1]
            found[name] = entry.evaluator.value(document, entry.frame.at(written))
    if "properties" in found:
        object_at(found["properties"], entry.elements.at("properties"))
    return found
