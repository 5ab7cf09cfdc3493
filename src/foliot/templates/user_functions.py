"""Functions that a template defines itself, in namespaces."""

from typing import NamedTuple

from foliot.core.errors import Invalid, Path
from foliot.core.json_text import Json
from foliot.core.plurals import how_many
from foliot.templates.elements import Elements, array_at, object_at, read_elements, text_at
from foliot.templates.evaluate import Evaluator
from foliot.templates.frame import Frame, Place
from foliot.templates.names import UserFunction
from foliot.templates.value_types import ValueType, read_type

_MOST = 256


class DefinedFunction(NamedTuple):
    """A function as the template defines it."""

    name: str
    parameters: dict[str, ValueType]
    output: Elements


def read_user_functions(evaluator: Evaluator, declared: Elements) -> None:
    """Read the functions; afterwards expressions can call them as `namespace.name()`."""
    path = declared.at("functions")
    document = declared.get("functions")
    found: dict[str, UserFunction] = {}
    for index, each in enumerate(array_at([] if document is None else document, path)):
        elements = read_elements(each, (*path, index), ("namespace", "members"))
        at_namespace = elements.at("namespace")
        namespace = text_at(elements.get("namespace"), at_namespace, "a name")
        for member, definition in elements.object("members").items():
            at_member = (*elements.at("members"), member)
            defined = _definition(f"{namespace}.{member}", definition, at_member)
            if defined.name.lower() in found or len(found) >= _MOST:
                problem = f"is defined twice, or there are more than {_MOST} functions."
                raise Invalid(at_member, problem)
            found[defined.name.lower()] = _callable(evaluator, defined)
    evaluator.names.functions = found


def _definition(name: str, document: Json, path: Path) -> DefinedFunction:
    elements = read_elements(document, path, ("parameters", "output", "metadata"))
    listed = elements.get("parameters")
    parameters: dict[str, ValueType] = {}
    at_parameters = elements.at("parameters")
    for index, each in enumerate(array_at([] if listed is None else listed, at_parameters)):
        parameter = read_elements(each, (*at_parameters, index), ("name", "type", "metadata"))
        called = text_at(parameter.get("name"), parameter.at("name"), "a name")
        parameters[called.lower()] = read_type(parameter)
    output = read_elements(
        object_at(elements.required("output", "an object {...}"), elements.at("output")),
        elements.at("output"),
        ("type", "value", "metadata"),
    )
    return DefinedFunction(name, parameters, output)


def _callable(evaluator: Evaluator, defined: DefinedFunction) -> UserFunction:
    output_type = read_type(defined.output)

    def call(frame: Frame, arguments: list[Json]) -> Json:
        if frame.place is Place.FUNCTION:
            raise Invalid((), "a function of the template cannot call another one.")
        _check_arguments(defined, arguments)
        given = dict(zip(defined.parameters, arguments, strict=True))
        inside = Frame(Place.FUNCTION, defined.output.at("value"), (), given)
        value = evaluator.value(defined.output.required("value", "an expression"), inside)
        if not output_type.accepts(value):
            raise Invalid(inside.path, f"does not give {output_type.expected}.")
        return value

    return call


def _check_arguments(defined: DefinedFunction, arguments: list[Json]) -> None:
    count = len(defined.parameters)
    if len(arguments) != count:
        problem = (
            f"{defined.name}() takes {how_many(count, 'argument')}; it is given {len(arguments)}."
        )
        raise Invalid((), problem)
    for position, (name, wanted) in enumerate(defined.parameters.items()):
        if not wanted.accepts(arguments[position]):
            problem = f"parameter '{name}' of {defined.name}() is wrong; give {wanted.expected}."
            raise Invalid((), problem)
