"""Parameters of a template: declarations, given values and defaults."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

from foliot.core.errors import Invalid, Path, shown, wrong
from foliot.core.json_text import Json
from foliot.core.near_names import nearest, shortened
from foliot.templates.budget import MAX_ITEMS
from foliot.templates.elements import Elements, array_at, object_at, read_elements
from foliot.templates.evaluate import Evaluator
from foliot.templates.frame import Frame, Place
from foliot.templates.lazy_values import LazyValues
from foliot.templates.loops import refuse_twins
from foliot.templates.value_types import ValueType, read_type
from foliot.templates.values import is_integer, kind_of, text_of

_DECLARED = (
    *("type", "defaultValue", "allowedValues", "metadata", "nullable"),
    *("minValue", "maxValue", "minLength", "maxLength"),
)
_GIVEN = ("value", "reference", "metadata")
_OF_A_FILE = ("$schema", "contentVersion", "parameters", "metadata")
_MOST = 256


class WrongParameter(Invalid):
    """A given value that is wrong: the path begins beside the template, not inside it."""


class GivenValues(NamedTuple):
    """The values for the parameters of a template, where they are, and which are secrets.

    The values of `hidden` names, in lower case, are secrets whatever their type.
    """

    document: Json
    path: Path = ("parameters",)
    refusal: type[Invalid] = WrongParameter
    hidden: frozenset[str] = frozenset()

    @contextmanager
    def refused_here(self) -> Generator[None]:
        """Raise refusals of given values as such."""
        try:
            yield
        except Invalid as refusal:
            raise self.refusal(refusal.path, refusal.problem) from None


class GivenValue(NamedTuple):
    """A value for a parameter, its path, and how it is refused."""

    value: Json
    path: Path
    refusal: type[Invalid] = Invalid


class Declaration(NamedTuple):
    """A parameter as the template declares it."""

    name: str
    type: ValueType
    elements: Elements

    @property
    def path(self) -> Path:
        """Where it is declared."""
        return self.elements.path


def read_parameters(
    evaluator: Evaluator, declared: Elements, given: GivenValues
) -> list[Declaration]:
    """Read declarations and values; afterwards `parameters()` knows all of them."""
    documents = declared.object("parameters")
    if len(documents) > _MOST:
        problem = f"has {len(documents)} parameters; {_MOST} are allowed."
        raise Invalid(declared.at("parameters"), problem)
    refuse_twins(list(documents), declared.at("parameters"))
    declarations = {
        name: _declaration(name, each, (*declared.at("parameters"), name))
        for name, each in documents.items()
    }
    with given.refused_here():
        values = _given_values(given, declarations)

    def compute(name: str) -> Json:
        declaration, found = declarations[name], values.get(name.lower())
        is_secret = declaration.type.is_secure or name.lower() in given.hidden
        if found is None or found.value is None:
            value = _default(evaluator, declaration)
        else:
            found = found._replace(refusal=given.refusal)
            value = _checked(declaration, found, is_secret=is_secret)
        if is_secret:
            evaluator.names.secrets.add(name)
        return value

    evaluator.names.parameters = LazyValues(
        "parameters", declarations, compute, evaluator.names.secrets
    )
    for name in declarations:
        evaluator.names.parameters.get(name)
    evaluator.names.secrets.clear()
    return list(declarations.values())


def shown_parameters(evaluator: Evaluator, declarations: list[Declaration]) -> dict[str, Json]:
    """Return the values in force; one that depends on a secure parameter is left out."""
    found: dict[str, Json] = {}
    for each in declarations:
        parameters = evaluator.names.parameters
        value = parameters.get(each.name)
        is_secret = bool(parameters.secrets_of(each.name))
        found[each.name] = {"type": each.type.name} | ({} if is_secret else {"value": value})
    evaluator.names.secrets.clear()
    return found


def _declaration(name: str, document: Json, path: Path) -> Declaration:
    elements = read_elements(document, path, _DECLARED)
    return Declaration(name, read_type(elements), elements)


def _given_values(
    given: GivenValues, declarations: dict[str, Declaration]
) -> dict[str, GivenValue]:
    names = {name.lower(): name for name in declarations}
    values: dict[str, GivenValue] = {}
    path, documents = _from_a_file(given, names)
    for name, document in documents.items():
        if name.lower() not in names:
            raise Invalid((*path, shortened(name)), _undeclared(name, names))
        if name.lower() in values:
            raise Invalid((*path, name), "is given twice; give it once.")
        values[name.lower()] = _given(document, (*path, name))
    return values


def _from_a_file(given: GivenValues, names: dict[str, str]) -> tuple[Path, dict[str, Json]]:
    """Return the values of a parameter file, or of an object of values, and their path."""
    values = object_at({} if given.document is None else given.document, given.path)
    is_file = "$schema" in values or "contentVersion" in values
    if is_file or (list(values) == ["parameters"] and "parameters" not in names):
        file = read_elements(values, given.path, _OF_A_FILE)
        return file.at("parameters"), file.object("parameters")
    return given.path, values


def _undeclared(name: str, names: dict[str, str]) -> str:
    for near in nearest(name.lower(), names):
        return f"is given, but the template does not declare it; did you mean '{names[near]}'?"
    return "is given, but the template does not declare it; leave it out."


def _given(document: Json, path: Path) -> GivenValue:
    if not isinstance(document, dict):
        raise Invalid(path, f'{kind_of(document)} is not valid; give {{"value": ...}}.')
    elements = read_elements(document, path, _GIVEN)
    if "reference" in elements.values:
        raise Invalid(
            elements.at("reference"),
            "is not supported: Foliot reads no key vault; give the secret as a value.",
        )
    return GivenValue(elements.get("value"), elements.at("value"))


def _default(evaluator: Evaluator, declaration: Declaration) -> Json:
    value, elements = None, declaration.elements
    if "defaultValue" in elements.values:
        frame = Frame(Place.DEFAULT, elements.at("defaultValue"))
        value = evaluator.value(elements.get("defaultValue"), frame)
    if value is None and elements.get("nullable") is True:
        return None
    if value is None:
        expected = declaration.type.expected
        raise Invalid(declaration.path, f"has no value and no default; give {expected}.")
    # A default may use a secure parameter.
    is_secret = declaration.type.is_secure or bool(evaluator.names.secrets)
    return _checked(declaration, GivenValue(value, declaration.path), is_secret=is_secret)


def _checked(declaration: Declaration, given: GivenValue, *, is_secret: bool) -> Json:
    expected = _expected_instead(declaration, given.value)
    if expected is not None:
        text = "the value" if is_secret else shown(given.value)
        raise given.refusal(given.path, f"{text} is not valid; give {expected}.")
    return given.value


def _expected_instead(declaration: Declaration, value: Json) -> str | None:
    """Say what a value should be, or return None if it is right."""
    if not declaration.type.accepts(value):
        return declaration.type.expected
    elements = declaration.elements
    allowed = elements.get("allowedValues")
    if allowed is not None:
        choices = array_at(allowed, elements.at("allowedValues"))
        if not _is_allowed(value, choices):
            return _choice_instead(declaration, value, choices)
    if isinstance(value, str | list):
        return _range_instead(declaration, len(value), ("minLength", "maxLength"), "a length")
    if isinstance(value, int) and not isinstance(value, bool):
        return _range_instead(declaration, value, ("minValue", "maxValue"), "a number")
    return None


def _choice_instead(declaration: Declaration, value: Json, choices: list[Json]) -> str:
    if isinstance(value, list) and len(value) > MAX_ITEMS:
        return f"at most {MAX_ITEMS} elements"
    if declaration.type.is_secure:
        return "one of its allowed values"
    return f"one of {', '.join(map(text_of, choices))}"


def _is_allowed(value: Json, choices: list[Json]) -> bool:
    """Compare in any letter case; an array may have some of the allowed elements."""
    if isinstance(value, list) and len(value) > MAX_ITEMS:
        return False
    folded = {_folded(each) for each in choices}
    is_part = isinstance(value, list) and all(_folded(each) in folded for each in value)
    return is_part or _folded(value) in folded


def _folded(value: Json) -> str:
    return text_of([value]).lower()


def _range_instead(
    declaration: Declaration, size: int, names: tuple[str, str], what: str
) -> str | None:
    least, most = (_bound(declaration, name) for name in names)
    if (least is None or size >= least) and (most is None or size <= most):
        return None
    bounds = [f"of at least {least}"] if least is not None else []
    bounds += [f"of at most {most}"] if most is not None else []
    return f"{what} {' and '.join(bounds)}"


def _bound(declaration: Declaration, name: str) -> int | None:
    value = declaration.elements.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or not is_integer(value):
        raise wrong(declaration.elements.at(name), value, "a whole number")
    return value
