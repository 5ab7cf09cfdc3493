"""Evaluates the values of a template: expressions, nested values and property loops."""

from foliot.core.errors import Invalid, shown
from foliot.core.json_text import Json
from foliot.core.near_names import nearest, shortened
from foliot.templates.budget import Budget
from foliot.templates.context_functions import CONTEXT_FUNCTIONS, Site
from foliot.templates.frame import Frame, Loop
from foliot.templates.functions.signature import check_arguments
from foliot.templates.functions.table import FUNCTIONS, LIST_FUNCTION_REASON, REFUSED_FUNCTIONS
from foliot.templates.loops import CopyLoop, checked_count, read_property_loops
from foliot.templates.names import Names
from foliot.templates.syntax import (
    FunctionCall,
    Literal,
    Node,
    Selection,
    is_expression,
    literal_text,
    parse_expression,
)
from foliot.templates.values import kind_of, property_name

_CANONICAL = {
    name.lower(): name for name in (*FUNCTIONS, *CONTEXT_FUNCTIONS, *REFUSED_FUNCTIONS, "if")
}


class Evaluator:
    """Evaluates the values of one template, within a budget."""

    def __init__(self, names: Names, budget: Budget) -> None:
        self.names = names
        self.budget = budget
        self._parsed: dict[str, Node] = {}

    def value(self, document: Json, frame: Frame) -> Json:
        """Evaluate a value of the template, with all that is inside it."""
        if isinstance(document, str):
            return self._text(document, frame)
        if not isinstance(document, list | dict):
            return document
        try:
            self.budget.enter(len(document) + 1)
            if isinstance(document, dict):
                return self._object(document, frame)
            return [self._part(each, frame, index) for index, each in enumerate(document)]
        except Invalid as refusal:
            raise refusal if refusal.path else Invalid(frame.path, refusal.problem) from None
        finally:
            self.budget.leave()

    def loop(self, loop: CopyLoop, frame: Frame) -> list[Json]:
        """Evaluate a loop that makes an array."""
        elements = loop.elements
        at_count = frame._replace(path=elements.at("count"))
        count = checked_count(self.value(elements.get("count"), at_count), at_count.path)
        at_input = frame._replace(path=elements.at("input"))
        return [self._iteration(loop, at_input, index) for index in range(count)]

    def _iteration(self, loop: CopyLoop, frame: Frame, index: int) -> Json:
        self.budget.call()
        inside = frame.inside(Loop(loop.name, index, is_of_resource=False))
        return self.value(loop.elements.get("input"), inside)

    def _part(self, document: Json, frame: Frame, key: str | int) -> Json:
        """Evaluate a value inside another one; most are plain, and need no frame."""
        if isinstance(document, str):
            if not document.startswith("["):
                self.budget.keep(document)
                return document
        elif not isinstance(document, list | dict):
            return document
        return self.value(document, frame.at(key))

    def _object(self, document: dict[str, Json], frame: Frame) -> dict[str, Json]:
        found: dict[str, Json] = {}
        loops = read_property_loops(document, frame.path, self.budget)
        for name, each in document.items():
            if name == "copy" and loops is not None:
                continue
            self._add(found, self._name(name, frame), self._part(each, frame, name), frame)
        for loop in loops or ():
            self._add(found, loop.name, self.loop(loop, frame), frame)
        return found

    def _add(self, found: dict[str, Json], name: str, value: Json, frame: Frame) -> None:
        if name in found:
            raise Invalid(frame.path, f"has the property {shown(name)} twice; give it once.")
        found[name] = value

    def _name(self, name: str, frame: Frame) -> str:
        if not name.startswith("["):
            self.budget.keep(name)
            return name
        evaluated = self._text(name, frame)
        if not isinstance(evaluated, str):
            problem = f"the name of a property is {kind_of(evaluated)}; give a string."
            raise Invalid(frame.path, problem)
        return evaluated

    def _text(self, text: str, frame: Frame) -> Json:
        try:
            value = self._expression(text, frame) if is_expression(text) else literal_text(text)
            self.budget.keep(value)
        except Invalid as refusal:
            if refusal.path:
                raise
            raise Invalid(frame.path, self._without_secrets(refusal.problem)) from None
        return value

    def _without_secrets(self, problem: str) -> str:
        """Cut a message before the first value that it shows, if that may be a secret."""
        said, quote, _ = problem.partition('"')
        if not quote or not self.names.secrets:
            return problem
        return f"{said}a value that is not shown, since it depends on a secure parameter."

    def _expression(self, text: str, frame: Frame) -> Json:
        node = self._parsed.get(text)
        if node is None:
            parsed = parse_expression(text)
            self.budget.parse(parsed.tokens)
            node = self._parsed[text] = parsed.node
        return self._evaluated(node, frame)

    def _evaluated(self, node: Node, frame: Frame) -> Json:
        if isinstance(node, Literal):
            return node.value
        self.budget.enter(1)
        try:
            match node:
                case FunctionCall():
                    return self._called(node, frame)
                case Selection():
                    target = self._evaluated(node.target, frame)
                    key = self._evaluated(node.key, frame)
                    if isinstance(target, dict) and isinstance(key, str) and key not in target:
                        self.budget.read([*target, key])
                    return _selected(target, key)
        finally:
            self.budget.leave()

    def _called(self, call: FunctionCall, frame: Frame) -> Json:
        name = _CANONICAL.get(call.name.lower(), call.name)
        if name == "if":
            return self._if(call, frame)
        arguments: list[Json] = []
        for each in call.arguments:
            arguments.append(self._evaluated(each, frame))  # noqa: PERF401  (a frame less to recurse)
        if name in CONTEXT_FUNCTIONS:
            return self._in_context(name, arguments, frame)
        if name in FUNCTIONS:
            return self._pure(name, arguments)
        user_function = self.names.functions.get(name.lower())
        if user_function is None:
            raise Invalid((), self._unknown_function(name))
        return user_function(frame, arguments)

    def _in_context(self, name: str, arguments: list[Json], frame: Frame) -> Json:
        function = CONTEXT_FUNCTIONS[name]
        check_arguments(name, function, arguments)
        self.budget.look_at(function.weight)
        for argument in arguments:
            self.budget.read(argument)
        # The result is not counted: most often it is shared, and only a part of it is used.
        return function.run(Site(self.names, frame), *arguments)

    def _pure(self, name: str, arguments: list[Json]) -> Json:
        function = FUNCTIONS[name]
        check_arguments(name, function, arguments)
        for argument in arguments:
            is_text = isinstance(argument, str)
            self.budget.read(argument, function.text_weight if is_text else function.weight)
        result = function.run(*arguments)
        self.budget.read(result)
        return result

    def _if(self, call: FunctionCall, frame: Frame) -> Json:
        """Evaluate only the branch that is taken: the other one may not be possible."""
        if len(call.arguments) != 3:  # noqa: PLR2004  (a condition and two branches)
            raise Invalid((), f"if() takes 3 arguments; it is given {len(call.arguments)}.")
        condition = self._evaluated(call.arguments[0], frame)
        if not isinstance(condition, bool):
            problem = f"argument 1 of if() is {kind_of(condition)}; give a boolean."
            raise Invalid((), problem)
        return self._evaluated(call.arguments[1 if condition else 2], frame)

    def _unknown_function(self, name: str) -> str:
        if name in REFUSED_FUNCTIONS:
            return f"{name}() is not supported: {REFUSED_FUNCTIONS[name]}."
        if name.lower().startswith("list"):
            return f"{shortened(name)}() is not supported: {LIST_FUNCTION_REASON}."
        known = {**_CANONICAL, **{each: each for each in self.names.functions}}
        for near in nearest(name.lower(), known):
            return f"there is no function {shown(name)}; did you mean '{known[near]}'?"
        return f"there is no function {shown(name)}; the reference of templates lists them."


def _selected(target: Json, key: Json) -> Json:
    match target, key:
        case dict(), str():
            return _property(target, key)
        case list(), int() if not isinstance(key, bool):
            if not 0 <= key < len(target):
                problem = f"the array has {len(target)} elements; there is no element {key}."
                raise Invalid((), problem)
            return target[key]
        case dict(), _:
            raise Invalid((), f"{kind_of(key)} selects no property of an object; give a string.")
        case list(), str():
            raise Invalid(
                (), f"an array has no property {shown(key)}; give the number of an element."
            )
        case _:
            raise Invalid((), f"{kind_of(target)} has no property or element {_shown_key(key)}.")


def _shown_key(key: Json) -> str:
    return shown(key) if isinstance(key, str | int) else kind_of(key)


def _property(target: dict[str, Json], key: str) -> Json:
    name = property_name(target, key)
    if name is not None:
        return target[name]
    for near in nearest(key, target):
        raise Invalid((), f"the object has no property {shown(key)}; did you mean '{near}'?")
    raise Invalid((), f"the object has no property {shown(key)}.")
