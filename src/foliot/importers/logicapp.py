"""Reads workflows of Logic Apps: a recurrence trigger and one HTTP action become a job.

A file holds a workflow as the designer's code view shows it, as `az logic workflow show` prints it,
or as a resource; or a template with such resources.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from foliot.core.errors import Invalid
from foliot.core.json_text import Json
from foliot.importers.arm_evaluation import evaluate, is_template
from foliot.importers.documents import Fields, read_json
from foliot.importers.finish import convert_each, finish
from foliot.importers.http_call import write_action
from foliot.importers.job_parts import bounded_timeout
from foliot.importers.logicapp_expressions import read_values
from foliot.importers.logicapp_request import read_request
from foliot.importers.logicapp_trigger import read_calendar
from foliot.importers.model import DraftJob, ImportOptions, ImportResult, SourceText

_WORKFLOW_TYPE = "microsoft.logic/workflows"
_SLIDING = "slidingwindow"
_FAILURES = {"failed", "timedout"}


class Workflow(Struct, frozen=True, kw_only=True):
    """A workflow with its name and the values of its parameters."""

    name: str
    definition: Fields
    given: Fields
    is_enabled: bool


def read_workflows(
    sources: Sequence[SourceText], options: ImportOptions, parameters: SourceText | None = None
) -> ImportResult:
    """Read workflows; a template is evaluated with the values of a parameter file."""
    entries = [entry for each in sources for entry in _entries(each, options, parameters)]
    drafts, left_out = convert_each(entries, _draft)
    return finish(drafts, left_out, options, collection="logic-apps")


def _entries(
    source: SourceText, options: ImportOptions, parameters: SourceText | None
) -> Iterator[tuple[str, Workflow]]:
    document = read_json(source)
    try:
        for name, resource in _resources(document, source, options, parameters):
            yield f"{source.name}, workflow {name}", _workflow(name, resource)
    except Invalid as refusal:
        problem = str(refusal)
        prefix = "" if problem.startswith(source.name) else f"{source.name}: "
        raise Invalid((), f"{prefix}{problem}") from None


def _resources(
    document: Json, source: SourceText, options: ImportOptions, parameters: SourceText | None
) -> Iterator[tuple[str, Fields]]:
    if is_template(document):
        for each in evaluate(source, parameters, options).resources:
            if each.type.lower() == _WORKFLOW_TYPE:
                yield each.name, Fields(each.body)
        return
    listed = document.get("value") if isinstance(document, dict) else document
    for each in listed if isinstance(listed, list) else [document]:
        found = Fields(each)
        stem = source.name.rpartition("/")[2].partition(".")[0]
        yield found.text("name") or stem, found


def _workflow(name: str, resource: Fields) -> Workflow:
    inner = resource.object("properties") if "properties" in resource else resource
    definition = inner.object("definition") if "definition" in inner else inner
    if "triggers" not in definition:
        raise Invalid((), "the document has no triggers; it is no workflow of Logic Apps.")
    return Workflow(
        name=name,
        definition=definition,
        given=inner.object("parameters") if "definition" in inner else Fields({}),
        is_enabled=inner.text("state", "Enabled").lower() == "enabled",
    )


def _draft(origin: str, workflow: Workflow) -> DraftJob:
    notes: list[str] = []
    trigger = _trigger(workflow.definition)
    values = read_values(workflow.definition, workflow.given)
    main, error = _actions(workflow.definition)
    call, is_complete = read_request(main, values, notes)
    action = write_action(call)
    if error is not None:
        error_call, is_error_complete = read_request(error, values, notes)
        action["errorAction"] = write_action(error_call)
        is_complete = is_complete and is_error_complete
    policy = {**_policy(trigger), "timeout": bounded_timeout(call.timeout or 0, notes)}
    properties: dict[str, Any] = {
        **read_calendar(trigger, notes),
        "action": action,
        "policy": policy,
    }
    if not (workflow.is_enabled and is_complete):
        properties["state"] = "disabled"
    return DraftJob(
        origin=origin, wished_name=workflow.name, properties=properties, notes=tuple(notes)
    )


def _trigger(definition: Fields) -> Fields:
    triggers = definition.object("triggers")
    if len(triggers.names()) != 1:
        raise Invalid((), f"the workflow has {len(triggers.names())} triggers; a job has one.")
    trigger = triggers.object(triggers.names()[0])
    if trigger.text("type").lower() not in ("recurrence", _SLIDING):
        kind = trigger.text("type")
        raise Invalid((), f"the trigger is of the type {kind}; only a Recurrence has a calendar.")
    if trigger.items("conditions"):
        raise Invalid((), "the trigger has conditions, which only Logic Apps can compute.")
    return trigger


def _actions(definition: Fields) -> tuple[Fields, Fields | None]:
    """Return the HTTP action, and the one that runs after its failure if there is one."""
    actions = definition.object("actions")
    for name in actions.names():
        kind = actions.object(name).text("type")
        if kind.lower() != "http":
            raise Invalid(
                (), f"the action {name} is of the type {kind}; a job makes one HTTP request."
            )
    if len(actions.names()) == 1:
        return actions.object(actions.names()[0]), None
    found = sorted((actions.object(name) for name in actions.names()), key=_has_predecessor)
    if len(found) == 2 and _runs_after_failure(found[1]) and not _has_predecessor(found[0]):  # noqa: PLR2004
        return found[0], found[1]
    raise Invalid((), f"the workflow has {len(found)} actions; a job makes one HTTP request.")


def _has_predecessor(action: Fields) -> bool:
    return bool(action.object("runAfter").names())


def _runs_after_failure(action: Fields) -> bool:
    after = action.object("runAfter")
    states = [each for name in after.names() for each in after.items(name)]
    return bool(states) and {f"{each}".lower() for each in states} <= _FAILURES


def _policy(trigger: Fields) -> dict[str, Any]:
    policy: dict[str, Any] = {}
    if trigger.text("type").lower() == _SLIDING:
        policy["catchUp"] = "all"
    if "singleinstance" in trigger.text("operationOptions").lower():
        policy["overlap"] = "skip"
    elif trigger.object("runtimeConfiguration").object("concurrency").number("runs", 0) == 1:
        policy["overlap"] = "queue"
    return policy
