"""Resolves the resources of a template: evaluates references between them, and orders them."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush

from foliot.core.errors import Invalid, shown, within
from foliot.core.json_text import Json
from foliot.core.near_names import nearest
from foliot.templates.lazy_values import LazyValues
from foliot.templates.nested import nested_properties
from foliot.templates.resource_ids import shown_id
from foliot.templates.resources import ResourceEntry, evaluate_body

FindResource = Callable[[str], Mapping[str, Json] | None]
"""Gives a resource by its id, with its properties and what it has beside them, or None."""


class ResourceGraph:
    """The resources of one template; a body is evaluated when it is first needed."""

    def __init__(self, entries: list[ResourceEntry]) -> None:
        self.entries = entries
        self._by_label: defaultdict[str, list[int]] = defaultdict(list)
        self._by_group: defaultdict[str, list[int]] = defaultdict(list)
        for index, entry in enumerate(entries):
            for label in entry.labels:
                self._by_label[label].append(index)
            for group in entry.groups:
                self._by_group[group].append(index)
        self._deployed = self._deployed_by_id()
        self._references: dict[int, set[int]] = {}
        ids = [entries[index].id for index in self._deployed.values()]
        self._bodies: dict[str, dict[str, Json]] = {}
        self._lazy = LazyValues("resources", ids, self._evaluated, set())

    def evaluate(self) -> None:
        """Evaluate all resources that are deployed."""
        for index in self._deployed.values():
            self.body(self.entries[index])

    def body(self, entry: ResourceEntry) -> dict[str, Json]:
        """Return what is deployed of a resource, evaluated now if it was not before."""
        self._lazy.get(entry.id)
        return self._bodies[entry.id.lower()]

    def order(self) -> list[ResourceEntry]:
        """Order the resources so that each comes after those that it depends on."""
        graph = {index: self._needs(index) for index in self._deployed.values()}
        sorter = TopologicalSorter(graph)
        try:
            sorter.prepare()
        except CycleError as error:
            raise self._cycle(error.args[1]) from None
        ready: list[int] = []
        found: list[ResourceEntry] = []
        while sorter.is_active():
            for index in sorter.get_ready():
                heappush(ready, index)
            index = heappop(ready)
            found.append(self.entries[index])
            sorter.done(index)
        return found

    def find(self, name: str) -> ResourceEntry | None:
        """Find the one resource of the template with this name or id, if it has one."""
        indexes = self._by_label.get(name.lower(), [])
        deployed = [index for index in indexes if self.entries[index].is_deployed]
        if len(deployed) > 1:
            problem = f"{shown(name)} names {len(deployed)} resources; give the id of one."
            raise Invalid((), problem)
        return self.entries[(deployed or indexes)[0]] if indexes else None

    def _deployed_by_id(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for index, entry in enumerate(self.entries):
            if entry.is_deployed:
                twin = found.setdefault(entry.id.lower(), index)
                if twin != index:
                    problem = f"{shown(entry.name)} is defined twice; define it once."
                    raise Invalid(entry.elements.at("name"), problem)
        return found

    def _evaluated(self, name: str) -> Json:
        body = evaluate_body(self.entries[self._deployed[name.lower()]])
        self._bodies[name.lower()] = body
        return body

    def reference(self, name: str, find: FindResource, *, full: bool) -> Json:
        """Return a resource for the one that is evaluated now, which then depends on it."""
        entry = self.find(name)
        if entry is not None and entry.nested is not None:
            self._depend_on(self._by_group[entry.id.lower()])
            return nested_properties(entry.nested)
        if entry is not None and entry.is_deployed:
            self._depend_on([self._deployed[entry.id.lower()]])
            return _shown_resource(entry, entry.id, self.body(entry), full=full)
        return self.found(name, find, full=full)

    def found(self, name: str, find: FindResource, *, full: bool) -> Json:
        """Return a resource that is deployed already."""
        entry = self.find(name)
        identity = entry.id if entry is not None else name
        found = find(identity) if identity.startswith("/") else None
        if found is None:
            raise Invalid((), self._missing(name))
        return _shown_resource(entry, identity, found, full=full)

    def _depend_on(self, indexes: list[int]) -> None:
        here = self._deployed[self._lazy.current]
        deployed = [each for each in indexes if self.entries[each].is_deployed]
        self._references.setdefault(here, set()).update(deployed)

    def _missing(self, name: str) -> str:
        for near in nearest(name.lower(), [*self._by_label, *self._by_group]):
            return f"there is no resource {shown_id(name)}; did you mean {shown(near)}?"
        return f"there is no resource {shown_id(name)}, neither in the template nor deployed."

    def _missing_dependency(self, name: str) -> str:
        for near in nearest(name.lower(), [*self._by_label, *self._by_group]):
            return f"the template has no resource {shown_id(name)}; did you mean {shown(near)}?"
        return f"the template has no resource {shown_id(name)}; take it out of dependsOn."

    def _needs(self, index: int) -> set[int]:
        entry = self.entries[index]
        needs = set(self._references.get(index, ()))
        for path, name in entry.depends_on:
            indexes = self._named(name)
            with within(*path):
                entry.evaluator.budget.look_at(len(indexes))
                if not indexes:
                    raise Invalid((), self._missing_dependency(name))
            others = [each for each in indexes if each != index] or indexes
            needs.update(each for each in others if self.entries[each].is_deployed)
        if entry.parent is not None and entry.parent.is_deployed:
            needs.add(self._deployed[entry.parent.id.lower()])
        return needs

    def _named(self, name: str) -> list[int]:
        label = name.lower().rstrip("/")
        return [*self._by_label.get(label, []), *self._by_group.get(label, [])]

    def _cycle(self, indexes: list[int]) -> Invalid:
        names = " -> ".join(self.entries[each].name for each in reversed(indexes))
        return Invalid(self.entries[indexes[0]].elements.path, f"depends on itself: {names}.")


def _shown_resource(
    entry: ResourceEntry | None, identity: str, resource: Mapping[str, Json], *, full: bool
) -> Json:
    """Return what `reference()` gives: the properties or, with 'Full', the whole resource."""
    if not full:
        return resource.get("properties", {})
    version = {} if entry is None else {"apiVersion": entry.api_version}
    _, _, subscription, _, group, *_ = [*identity.split("/"), *[""] * 5]
    return {
        **version,
        **resource,
        "subscriptionId": subscription,
        "resourceGroupName": group,
        "resourceId": identity,
    }
