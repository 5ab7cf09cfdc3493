"""Parses expressions: `[concat(parameters('name'), variables('list')[0].x)]`.

    expression = literal | call {"." name | "[" expression "]"}
    call       = name ["." name] "(" [expression {"," expression}] ")"
    literal    = "'" text, in which '' stands for ' "'" | ["-" | "+"] digits

A parser reads tokens from left to right; each function takes the position and returns the next one.
"""

import re
from typing import NamedTuple

from foliot.core.errors import Invalid, shown
from foliot.templates.values import INTEGERS

_LONGEST = 24_576
_MAX_LEVELS = 64
_MAX_SELECTIONS = 32
_TOKEN = re.compile(
    r"\s*(?:(?P<string>'(?:[^']|'')*+')|(?P<number>[-+]?\d+)|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<open>\()|(?P<close>\))|(?P<comma>,)|(?P<dot>\.)|(?P<index>\[)|(?P<unindex>\])"
    r"|(?P<wrong>\S))",
    re.ASCII,
)
_BLANKS = " \t\n\r\f\v"
_MOST_DIGITS = 20


class Literal(NamedTuple):
    """A string or a whole number."""

    value: str | int


class FunctionCall(NamedTuple):
    """A call of a function; a function of the template has a name with its namespace."""

    name: str
    arguments: tuple["Node", ...]


class Selection(NamedTuple):
    """A property of an object, or an element of an array."""

    target: "Node"
    key: "Node"


Node = Literal | FunctionCall | Selection


class SyntaxTokens(NamedTuple):
    """The parts of an expression: their kinds, of which the last is `end`, and their matches."""

    kinds: list[str]
    matches: list[re.Match[str]]

    def text(self, position: int) -> str:
        """Return the text of a token."""
        return self.matches[position][self.kinds[position]]


class ParsedExpression(NamedTuple):
    """An expression, and how much there was to parse."""

    node: Node
    tokens: int


def is_expression(text: str) -> bool:
    """Tell whether a string of a template is an expression."""
    return text.startswith("[") and text.endswith("]") and not text.startswith("[[")


def literal_text(text: str) -> str:
    """Return a string that is no expression, without the bracket that escapes it."""
    return text[1:] if text.startswith("[[") and text.endswith("]") else text


def parse_expression(text: str) -> ParsedExpression:
    """Parse an expression with its outer brackets."""
    if len(text) > _LONGEST:
        raise Invalid((), f"the expression has {len(text)} characters; {_LONGEST} are allowed.")
    tokens = _tokens(text)
    node, position = _expression(tokens, 0, 0)
    if tokens.kinds[position] != "end":
        raise _unexpected(tokens, position, "the end of the expression")
    return ParsedExpression(node, len(tokens.kinds))


def _tokens(text: str) -> SyntaxTokens:
    # No token follows the last blanks: to look for one at each of them would take long.
    matches = list(_TOKEN.finditer(text, 1, len(text[:-1].rstrip(_BLANKS))))
    tokens = SyntaxTokens([*(match.lastgroup or "" for match in matches), "end"], matches)
    if "wrong" in tokens.kinds:
        position = tokens.kinds.index("wrong")
        is_open = tokens.text(position) == "'"
        expected = "a closing ' after it" if is_open else "a function, a string or a number"
        raise _unexpected(tokens, position, expected)
    return tokens


def _expression(tokens: SyntaxTokens, position: int, level: int) -> tuple[Node, int]:
    if level > _MAX_LEVELS:
        raise Invalid((), f"the expression is nested too deeply; {_MAX_LEVELS} levels are allowed.")
    match tokens.kinds[position]:
        case "string":
            return Literal(tokens.text(position)[1:-1].replace("''", "'")), position + 1
        case "number":
            return Literal(_number(tokens, position)), position + 1
        case "name":
            node, position = _call(tokens, position, level)
            return _selections(tokens, position, level, node)
        case _:
            raise _unexpected(tokens, position, "a function, a string or a number")


def _number(tokens: SyntaxTokens, position: int) -> int:
    text = tokens.text(position)
    if len(text) > _MOST_DIGITS or int(text) not in INTEGERS:
        raise _unexpected(tokens, position, "a whole number of 64 bits")
    return int(text)


def _call(tokens: SyntaxTokens, position: int, level: int) -> tuple[Node, int]:
    kinds = tokens.kinds
    name, position = tokens.text(position), position + 1
    if kinds[position] == "dot" and kinds[position + 1] == "name":
        name, position = f"{name}.{tokens.text(position + 1)}", position + 2
    if kinds[position] != "open":
        raise _unexpected(tokens, position, f"( after {shown(name)}")
    arguments: list[Node] = []
    position += 1
    while kinds[position] != "close":
        if arguments:
            if kinds[position] != "comma":
                raise _unexpected(tokens, position, "a comma or )")
            position += 1
        argument, position = _expression(tokens, position, level + 1)
        arguments.append(argument)
    return FunctionCall(name, tuple(arguments)), position + 1


def _selections(tokens: SyntaxTokens, position: int, level: int, node: Node) -> tuple[Node, int]:
    for _ in range(_MAX_SELECTIONS):
        key: Node
        match tokens.kinds[position]:
            case "dot":
                if tokens.kinds[position + 1] != "name":
                    raise _unexpected(tokens, position + 1, "the name of a property")
                key, position = Literal(tokens.text(position + 1)), position + 2
            case "index":
                key, position = _expression(tokens, position + 1, level + 1)
                if tokens.kinds[position] != "unindex":
                    raise _unexpected(tokens, position, "]")
                position += 1
            case _:
                return node, position
        node = Selection(node, key)
    raise Invalid((), f"the expression selects more than {_MAX_SELECTIONS} properties in a row.")


def _unexpected(tokens: SyntaxTokens, position: int, expected: str) -> Invalid:
    kind = tokens.kinds[position]
    if kind == "end":
        return Invalid((), f"the expression ends too early; give {expected} at its end.")
    # The text of a string is not shown: it may be a secret.
    found = "a string" if kind == "string" else shown(tokens.text(position))
    column = tokens.matches[position].start(kind) + 1
    return Invalid((), f"the expression has {found} at character {column}; give {expected} there.")
