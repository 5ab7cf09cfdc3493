"""Jobs written so that others can create them: placeholders or parameters in place of secrets."""

from collections.abc import Callable, Iterator
from typing import Any, cast

from msgspec import Struct

from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json
from foliot.importers.hidden_text import (
    HiddenText,
    SecretPart,
    environment,
    escaped,
    variable_name,
)
from foliot.importers.scheduler_jobs import hide_secrets
from foliot.importers.template_resources import escaped_text, job_resource

JsonObject = dict[str, Json]
VariableOwners = dict[str, tuple[object, ...]]


class ExportedJob(Struct, frozen=True, kw_only=True):
    """A job, or an alert; its properties hold a `HiddenText` for each text with secrets in it."""

    key: CollectionKey
    name: str
    properties: dict[str, Any]
    kind: str = ""


class VariableNames:
    """Gives each secret a variable: that of the import, unless another job has taken it.

    Files that are filled in from the same variables share the `owners` of these.
    """

    def __init__(self, owners: VariableOwners | None = None) -> None:
        self._owners: VariableOwners = {} if owners is None else owners
        self.meanings: dict[str, str] = {}

    def name(self, job: ExportedJob, part: SecretPart) -> str:
        """Return the variable of a secret of a job."""
        owner = (job.key.folded, job.kind, job.name.lower(), part.word.lower())
        for wished in _wishes(job, part):
            if self._owners.setdefault(wished, owner) == owner:
                where = f"{job.key.name}/{job.name}" if not job.kind else f"{job.kind} {job.name}"
                self.meanings.setdefault(wished, f"{part.meaning} of {where}")
                return wished
        raise AssertionError  # pragma: no cover  (the wishes do not end)


def exported_job(key: CollectionKey, name: str, properties: JsonObject, state: str) -> ExportedJob:
    """Return a job as it is exported; an enabled one does not say so."""
    hidden = hide_secrets(properties, [])
    written = hidden if state == "enabled" else {**hidden, "state": state}
    return ExportedJob(key=key, name=name, properties=written)


def with_placeholders(job: ExportedJob, names: VariableNames) -> Json:
    """Return the properties of a job or an alert as `foliot apply` reads them."""

    def hidden(text: HiddenText) -> str:
        return "".join(
            escaped(part) if isinstance(part, str) else environment(names.name(job, part))
            for part in text.parts
        )

    return rewritten(job.properties, escaped, hidden)


def resource_with_parameters(job: ExportedJob, names: VariableNames) -> JsonObject:
    """Return a job as a resource of a template."""

    def hidden(text: HiddenText) -> str:
        parts = [_argument(job, part, names) for part in text.parts if part]
        return f"[{parts[0]}]" if len(parts) == 1 else f"[concat({', '.join(parts)})]"

    return job_resource(job.key, job.name, rewritten(job.properties, escaped_text, hidden))


def secure_parameters(names: VariableNames) -> JsonObject:
    """Return the parameters of a template that has these secrets."""
    return {
        name: {"type": "securestring", "metadata": {"description": meaning}}
        for name, meaning in names.meanings.items()
    }


def heading(names: VariableNames, command: str = "`foliot apply`") -> str:
    """Return comments that list the variables to be set."""
    if not names.meanings:
        return ""
    width = max(map(len, names.meanings))
    lines = [f"#   {name:<{width}}  {meaning}" for name, meaning in names.meanings.items()]
    return "\n".join([f"# Set these variables before {command}:", *lines, ""])


def rewritten(value: Any, plain: Callable[[str], str], hidden: Callable[[HiddenText], str]) -> Json:
    """Return a value with its texts written in another way."""
    match value:
        case HiddenText():
            return hidden(value)
        case str():
            return plain(value)
        case dict():
            fields = cast("dict[str, Any]", value)
            return {name: rewritten(each, plain, hidden) for name, each in fields.items()}
        case list():
            return [rewritten(each, plain, hidden) for each in cast("list[Any]", value)]
        case _:
            return value


def _wishes(job: ExportedJob, part: SecretPart) -> Iterator[str]:
    key, names = job.key, [each for each in (job.kind, job.name, part.word) if each]
    yield variable_name(*names)
    yield variable_name(key.name, *names)
    base = variable_name(key.subscription, key.group, key.name, *names)
    yield base
    number = 2
    while True:
        yield f"{base}_{number}"
        number += 1


def _argument(job: ExportedJob, part: str | SecretPart, names: VariableNames) -> str:
    if isinstance(part, str):
        quoted = part.replace("'", "''")
        return f"'{quoted}'"
    return f"parameters('{names.name(job, part)}')"
