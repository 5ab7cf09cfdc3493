"""Outputs of a template, which are evaluated after its resources are deployed."""

from typing import NamedTuple

from foliot.core.errors import Invalid, Path, within
from foliot.core.json_text import Json
from foliot.templates.elements import Elements, read_elements, wrong_kind_at
from foliot.templates.evaluate import Evaluator
from foliot.templates.frame import Frame, Place
from foliot.templates.loops import CopyLoop, refuse_twins
from foliot.templates.value_types import ValueType, read_type

_KNOWN = ("type", "value", "condition", "copy", "metadata")
_MOST = 64


class Output(NamedTuple):
    """An output as the template declares it."""

    name: str
    type: ValueType
    elements: Elements


def read_outputs(declared: Elements) -> list[Output]:
    """Read the declarations of the outputs."""
    documents, path = declared.object("outputs"), declared.at("outputs")
    if len(documents) > _MOST:
        raise Invalid(path, f"has {len(documents)} outputs; {_MOST} are allowed.")
    refuse_twins(list(documents), path)
    return [_output(name, each, (*path, name)) for name, each in documents.items()]


def evaluate_output(evaluator: Evaluator, output: Output) -> Json:
    """Evaluate an output, as answers show it; None if its condition is false."""
    elements, secrets = output.elements, evaluator.names.secrets
    frame = Frame(Place.OUTPUT, elements.path)
    with within(*elements.path):
        evaluator.budget.read_object()
    condition = evaluator.value(elements.get("condition"), frame.at("condition"))
    if not isinstance(condition, bool | None):
        raise wrong_kind_at(elements.at("condition"), condition, "true or false")
    if condition is False:
        return None
    secrets.clear()
    value = _value(evaluator, output, frame)
    if not output.type.accepts(value):
        raise wrong_kind_at(elements.path, value, output.type.expected)
    if output.type.is_secure:
        return {"type": output.type.name}
    if secrets:
        raise Invalid(
            elements.path,
            f"would show the secure parameter '{min(secrets)}'; give it a secure type.",
        )
    return {"type": output.type.name, "value": value}


def _output(name: str, document: Json, path: Path) -> Output:
    elements = read_elements(document, path, _KNOWN)
    if ("value" in elements.values) == ("copy" in elements.values):
        raise Invalid(path, "needs either a value or a copy loop.")
    return Output(name, read_type(elements), elements)


def _value(evaluator: Evaluator, output: Output, frame: Frame) -> Json:
    elements = output.elements
    if "value" in elements.values:
        at_value = frame._replace(path=elements.at("value"))
        return evaluator.value(elements.get("value"), at_value)
    copy = read_elements(elements.get("copy"), elements.at("copy"), ("count", "input"))
    return evaluator.loop(CopyLoop(output.name, copy), frame)
