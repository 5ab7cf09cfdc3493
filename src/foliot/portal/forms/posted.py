"""Parses a posted form or a query string."""

from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl

from foliot.core.errors import Invalid
from foliot.core.instant import Instant

# Our largest page has some hundred inputs; more fields are an attack on memory.
_MOST_FIELDS = 5000
_MOST_DIGITS = 18


class Form:
    """The fields of a form or of a query string; a name may have several values, in order."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in pairs:
            self._values.setdefault(name, []).append(value)

    def get(self, name: str, default: str = "") -> str:
        """Return the first value of a field."""
        return next(iter(self.all(name)), default)

    def instant(self, name: str) -> Instant | None:
        """Return the instant that a page has put into a field as ticks; None without the field."""
        text = self.get(name)
        if not text:
            return None
        if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
            raise Invalid((name,), "is not what the page has made; open the page again.")
        return Instant(int(text))

    def all(self, name: str) -> list[str]:
        """Return all values of a field."""
        return self._values.get(name, [])

    def having(self, changes: Mapping[str, Iterable[str]]) -> "Form":
        """Return a copy with other values for some fields."""
        changed = Form()
        changed._values = self._values | {name: [*values] for name, values in changes.items()}
        return changed


def parse_form(body: bytes) -> Form:
    """Parse a URL-encoded form; CRLF becomes LF."""
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError:
        raise Invalid((), "the form cannot be read; send it as a browser does.") from None
    return Form((name, value.replace("\r\n", "\n")) for name, value in pairs)
