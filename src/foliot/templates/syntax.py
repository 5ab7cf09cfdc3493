"""Parses expressions: `[concat(parameters('name'), variables('list')[0].x)]`.

    expression = literal | call {"." name | "[" expression "]"}
    call       = name ["." name] "(" [expression {"," expression}] ")"
    literal    = "'" text, in which '' stands for ' "'" | ["-" | "+"] digits

A parser reads tokens from left to right; each function takes the position and returns the next one.
"""

import re
from typing import NamedTuple

from foliot.core.errors import Invalid, shown

_LONGEST = 24_576
_MAX_LEVELS = 64
_MAX_SELECTIONS = 32
_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*+')|(?P<number>[-+]?\d+)|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<sign>[(),.\[\]])|(?P<wrong>\S))",
    re.ASCII,
)
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


class SyntaxToken(NamedTuple):
    """A part of an expression; `kind` is text, number, name or a sign, and `end` at the end."""

    kind: str
    text: str
    column: int


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
    if tokens[position].kind != "end":
        raise _unexpected(tokens[position], "the end of the expression")
    return ParsedExpression(node, len(tokens))


def _tokens(text: str) -> list[SyntaxToken]:
    tokens: list[SyntaxToken] = []
    for match in _TOKEN.finditer(text, 1, len(text) - 1):
        kind = match.lastgroup or ""
        token = SyntaxToken(
            kind if kind != "sign" else match[kind], match[kind], match.start(kind) + 1
        )
        if kind == "wrong":
            is_open = token.text == "'"
            expected = "a closing ' after it" if is_open else "a function, a string or a number"
            raise _unexpected(token, expected)
        tokens.append(token)
    tokens.append(SyntaxToken("end", "", len(text)))
    return tokens


def _expression(tokens: list[SyntaxToken], position: int, level: int) -> tuple[Node, int]:
    if level > _MAX_LEVELS:
        raise Invalid((), f"the expression is nested too deeply; {_MAX_LEVELS} levels are allowed.")
    token = tokens[position]
    match token.kind:
        case "text":
            return Literal(token.text[1:-1].replace("''", "'")), position + 1
        case "number":
            if len(token.text) > _MOST_DIGITS:
                raise _unexpected(token, "a whole number of 64 bits")
            return Literal(int(token.text)), position + 1
        case "name":
            node, position = _call(tokens, position, level)
            return _selections(tokens, position, level, node)
        case _:
            raise _unexpected(token, "a function, a string or a number")


def _call(tokens: list[SyntaxToken], position: int, level: int) -> tuple[Node, int]:
    name, position = tokens[position].text, position + 1
    if tokens[position].kind == "." and tokens[position + 1].kind == "name":
        name, position = f"{name}.{tokens[position + 1].text}", position + 2
    if tokens[position].kind != "(":
        raise _unexpected(tokens[position], f"( after {shown(name)}")
    arguments: list[Node] = []
    position += 1
    while tokens[position].kind != ")":
        if arguments:
            if tokens[position].kind != ",":
                raise _unexpected(tokens[position], "a comma or )")
            position += 1
        argument, position = _expression(tokens, position, level + 1)
        arguments.append(argument)
    return FunctionCall(name, tuple(arguments)), position + 1


def _selections(
    tokens: list[SyntaxToken], position: int, level: int, node: Node
) -> tuple[Node, int]:
    for _ in range(_MAX_SELECTIONS):
        key: Node
        match tokens[position].kind:
            case ".":
                name = tokens[position + 1]
                if name.kind != "name":
                    raise _unexpected(name, "the name of a property")
                key, position = Literal(name.text), position + 2
            case "[":
                key, position = _expression(tokens, position + 1, level + 1)
                if tokens[position].kind != "]":
                    raise _unexpected(tokens[position], "]")
                position += 1
            case _:
                return node, position
        node = Selection(node, key)
    raise Invalid((), f"the expression selects more than {_MAX_SELECTIONS} properties in a row.")


def _unexpected(token: SyntaxToken, expected: str) -> Invalid:
    # The text of a string is not shown: it may be a secret.
    match token.kind:
        case "end":
            found = "the expression ends"
        case "text":
            found = "the expression has a string"
        case _:
            found = f"the expression has {shown(token.text)}"
    return Invalid((), f"{found} at character {token.column}; give {expected} there.")
