"""Collections of a server as a template that a deployment reads: secrets as secure parameters."""

from collections.abc import Sequence

from foliot.cli.files.exported import (
    ExportedCollection,
    ExportedJob,
    VariableNames,
    rewritten,
)
from foliot.client.deployment_bodies import (
    MAX_RESOURCES,
    collection_resource,
    escaped_text,
    job_resource,
    template_of,
)
from foliot.client.job_files import JsonObject
from foliot.core.errors import Invalid
from foliot.core.json_text import Json
from foliot.importers.hidden_text import HiddenText, SecretPart


def template_with(collections: Sequence[ExportedCollection], names: VariableNames) -> JsonObject:
    """Return a template of collections, which must be of one resource group."""
    groups = {each.current.key.folded[:2] for each in collections}
    if len(groups) > 1:
        problem = "a template is for one resource group; name a --collection, or a --group."
        raise Invalid(("--format",), problem)
    resources: list[Json] = []
    for each in collections:
        resources.append(collection_resource(each.current.key, _body(each)))
        resources += [_job(job, names) for job in each.jobs]
    if len(resources) > MAX_RESOURCES:
        problem = f"a template holds {MAX_RESOURCES} collections and jobs; there are"
        raise Invalid(("--format",), f"{problem} {len(resources)}.")
    parameters: JsonObject = {
        name: {"type": "securestring", "metadata": {"description": meaning}}
        for name, meaning in names.meanings.items()
    }
    return template_of(parameters, resources)


def _body(collection: ExportedCollection) -> JsonObject:
    given = collection.current.attributes
    inner: JsonObject = {n: given[n] for n in ("sku", "state", "quota") if n in given}
    return {**{n: given[n] for n in ("location", "tags") if n in given}, "properties": inner}


def _job(job: ExportedJob, names: VariableNames) -> JsonObject:
    def hidden(text: HiddenText) -> str:
        parts = [_argument(job, part, names) for part in text.parts if part]
        return f"[{parts[0]}]" if len(parts) == 1 else f"[concat({', '.join(parts)})]"

    return job_resource(job.key, job.name, rewritten(job.properties, escaped_text, hidden))


def _argument(job: ExportedJob, part: str | SecretPart, names: VariableNames) -> str:
    if isinstance(part, str):
        quoted = part.replace("'", "''")
        return f"'{quoted}'"
    return f"parameters('{names.name(job, part)}')"
