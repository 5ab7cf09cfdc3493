"""Collections of a server as a template that a deployment reads: secrets as secure parameters."""

from collections.abc import Sequence

from foliot.cli.files.exported import ExportedCollection
from foliot.client.job_files import JsonObject
from foliot.core.errors import Invalid
from foliot.core.json_text import Json
from foliot.importers.exported_jobs import (
    VariableNames,
    resource_with_parameters,
    secure_parameters,
)
from foliot.importers.template_resources import collection_resource, template_of

# As many as a deployment takes.
MAX_RESOURCES = 800


def template_with(collections: Sequence[ExportedCollection], names: VariableNames) -> JsonObject:
    """Return a template of collections, which must be of one resource group."""
    groups = {each.current.key.folded[:2] for each in collections}
    if len(groups) > 1:
        problem = "a template is for one resource group; name a --collection, or a --group."
        raise Invalid(("--format",), problem)
    resources: list[Json] = []
    for each in collections:
        resources.append(collection_resource(each.current.key, _body(each)))
        resources += [resource_with_parameters(job, names) for job in each.jobs]
    if len(resources) > MAX_RESOURCES:
        problem = f"a template holds {MAX_RESOURCES} collections and jobs; there are"
        raise Invalid(("--format",), f"{problem} {len(resources)}.")
    return template_of(secure_parameters(names), resources)


def _body(collection: ExportedCollection) -> JsonObject:
    given = collection.current.attributes
    inner: JsonObject = {n: given[n] for n in ("sku", "state", "quota") if n in given}
    return {**{n: given[n] for n in ("location", "tags") if n in given}, "properties": inner}
