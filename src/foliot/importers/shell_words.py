"""Splits a command line as a shell does: quotes, variables, operators.

Variables that are not known become placeholders, and so does the content of a file, `$(cat FILE)`.
What else a shell would compute (`$(date)`, `` `x` ``, `$((1+1))`) is refused.
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from foliot.core.errors import Invalid, shown
from foliot.importers.bounded_text import check_length
from foliot.importers.hidden_text import environment

_BLANK = re.compile(r"[ \t\r\n]+")
_OPERATOR = re.compile(r"[0-9]?(?:&>>?|>>|>&|>\||<<<|<<|>|<)|\|\||&&|[|&;()]")
_PLAIN = re.compile(r"[^\s'\"\\$`|&;()<>]+")
_IN_DOUBLE_QUOTES = re.compile(r"[^\"\\$`]+")
_VARIABLE = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})")
_FILE = re.compile(r"\$\(\s*(?:cat\s|<)\s*([\w./~-]{1,1000})\s*\)")
# What was filled in before the shell saw the command: no shell would accept it.
_GIVEN = re.compile(r"\$\{env:([^${}]{1,1024})\}")
_DATE = re.compile(r"(?:\$\(|`)\s*date\b")
_BRACKETS = {"(": ")", "{": "}"}
_ESCAPED_IN_DOUBLE_QUOTES = '"\\$`\n'


class Operator(Struct, frozen=True):
    """What stands between words: `>`, `|`, `&&` and so on."""

    text: str


ShellToken = str | Operator


def split_command(text: str, variables: Mapping[str, str]) -> list[ShellToken]:
    """Return the words and operators of a command line, with variables filled in."""
    check_length(len(text))
    return list(_Scanner(text, variables).tokens())


class _Scanner:
    """A position in a command line."""

    def __init__(self, text: str, variables: Mapping[str, str]) -> None:
        self._text = text
        self._variables = variables
        self._at = 0
        self._written = 0

    def tokens(self) -> Iterator[ShellToken]:
        while True:
            self._skip(_BLANK)
            if self._at >= len(self._text) or self._text[self._at] == "#":
                return
            operator = self._skip(_OPERATOR)
            if operator is None:
                yield self._word()
            else:
                yield Operator(operator)

    def _skip(self, pattern: re.Pattern[str]) -> str | None:
        match = pattern.match(self._text, self._at)
        if match is None:
            return None
        self._at = match.end()
        return match[0]

    def _word(self) -> str:
        parts: list[str] = []
        while self._at < len(self._text):
            plain = self._skip(_PLAIN)
            if plain is not None:
                parts.append(plain)
                continue
            quote = self._text[self._at]
            if quote == "'":
                parts.append(self._until_single_quote())
            elif quote == '"':
                parts.append("".join(self._in_double_quotes()))
            elif quote == "\\":
                parts.append(self._escaped())
            elif quote in "$`":
                parts.append(self._variable())
            else:
                break
        return "".join(parts)

    def _until_single_quote(self) -> str:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise Invalid((), "the command has a ' without its end.")
        found = self._text[self._at + 1 : end]
        self._at = end + 1
        return found

    def _in_double_quotes(self) -> Iterator[str]:
        self._at += 1
        while self._at < len(self._text):
            plain = self._skip(_IN_DOUBLE_QUOTES)
            if plain is not None:
                yield plain
                continue
            found = self._text[self._at]
            if found == '"':
                self._at += 1
                return
            if found == "\\":
                following = self._text[self._at + 1 : self._at + 2]
                kept = following in _ESCAPED_IN_DOUBLE_QUOTES
                yield self._escaped() if kept else found + self._escaped()
            else:
                yield self._variable()
        raise Invalid((), 'the command has a " without its end.')

    def _escaped(self) -> str:
        following = self._text[self._at + 1 : self._at + 2]
        self._at += 2
        return "" if following == "\n" else following

    def _variable(self) -> str:
        match = _VARIABLE.match(self._text, self._at)
        if match is not None:
            self._at = match.end()
            name = match[1] or match[2]
            value = self._variables.get(name, environment(name))
            # A variable may be long, and may stand there often.
            self._written += len(value)
            check_length(self._written)
            return value
        given = _GIVEN.match(self._text, self._at)
        if given is not None and self._variables.get(given[1]) == given[0]:
            self._at = given.end()
            return given[0]
        file = _FILE.match(self._text, self._at)
        if file is not None:
            self._at = file.end()
            return f"${{file:{file[1]}}}"
        if self._text[self._at] == "$" and self._text[self._at + 1 : self._at + 2] in (
            "",
            " ",
            '"',
        ):
            self._at += 1
            return "$"
        computed = _expression(self._text[self._at :])
        is_date = _DATE.match(computed) is not None
        hint = "a text template may say the same, such as {{planned:%Y-%m-%d}}"
        advice = hint if is_date else "write out its value"
        raise Invalid((), f"the shell computes {shown(computed)}, which a job cannot; {advice}.")


def _expression(text: str) -> str:
    """Return what a shell computes at the beginning of a text, up to its end."""
    if text[0] == "`":
        return text[: text.find("`", 1) + 1] or text
    opening = text[1:2]
    if opening not in _BRACKETS:
        return text[:2]
    level = 0
    for at, sign in enumerate(text):
        level += (sign == opening) - (sign == _BRACKETS[opening])
        if at and level == 0:
            return text[: at + 1]
    return text
