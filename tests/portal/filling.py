"""Reads the forms of a page as a browser does, and fills them in."""

import re
from html.parser import HTMLParser
from typing import Any

Pairs = list[tuple[str, str]]

# What a browser posts nothing of, and what is most of a page: what inputs suggest, and other tags.
_SUGGESTIONS = re.compile(r"<datalist.*?</datalist>", re.DOTALL)
_OTHER_TAGS = re.compile(r"<(?!/?(?:form|template|input|select|option|textarea)\b)[^>]*>")


class _Reader(HTMLParser):
    """Collects the fields that a browser would post from the form at an address."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self._action = action
        self._is_inside = False
        self._templates = 0
        self._select: str | None = None
        self._options: list[tuple[str | None, bool, str]] = []
        self._area: str | None = None
        self.pairs: Pairs = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given: dict[str, Any] = dict(attrs)
        if tag == "form":
            self._is_inside = given.get("action") == self._action
        self._templates += tag == "template"
        if not self._is_inside or self._templates:
            return
        match tag:
            case "input":
                self._input(given)
            case "select":
                self._select, self._options = given["name"], []
            case "option" if self._select is not None:
                self._options.append((given.get("value"), "selected" in given, ""))
            case "textarea":
                self._area = ""
                self.pairs.append((given["name"], ""))
            case _:
                pass

    def handle_endtag(self, tag: str) -> None:
        self._templates -= tag == "template"
        match tag:
            case "form":
                self._is_inside = False
            case "select" if self._select is not None:
                values = [
                    (text if value is None else value, on) for value, on, text in self._options
                ]
                chosen = [value for value, is_on in values if is_on] or [values[0][0]]
                self.pairs.append((self._select, chosen[0]))
                self._select = None
            case "textarea" if self._area is not None:
                name, _ = self.pairs.pop()
                text = self._area.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\n")
                self.pairs.append((name, text.replace("\n", "\r\n")))
                self._area = None
            case _:
                pass

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._area += data
        elif self._select is not None and self._options:
            value, is_on, text = self._options.pop()
            self._options.append((value, is_on, text + data.strip()))

    def _input(self, given: dict[str, Any]) -> None:
        kind, name = given.get("type", "text"), given.get("name")
        if name is None or kind in ("file", "submit"):
            return
        if kind in ("checkbox", "radio") and "checked" not in given:
            return
        value = given.get("value") or ""
        # A single-line input drops line ends; a hidden input keeps them.
        shown = value if kind == "hidden" else value.replace("\r", "").replace("\n", "")
        self.pairs.append((name, shown))


def read_form(html: str, action: str) -> Pairs:
    """Return the fields of a form with their values, in the order of the page."""
    reader = _Reader(action)
    reader.feed(_OTHER_TAGS.sub("", _SUGGESTIONS.sub("", html)))
    assert reader.pairs, f"no form for {action}"
    return reader.pairs


def filled(pairs: Pairs, **values: str | list[str]) -> Pairs:
    """Return a form with other values; a name is written with __ for a dot."""
    changes = {name.replace("__", "."): value for name, value in values.items()}
    kept = [(name, value) for name, value in pairs if name not in changes]
    given = [
        (name, each)
        for name, value in changes.items()
        for each in ([value] if isinstance(value, str) else value)
    ]
    return kept + given
