"""What a form brings: names with their values, in the order of the page."""

from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl

from foliot.core.errors import Invalid

# A browser sends no more fields than a page has; ours have some hundreds at most.
_MOST_FIELDS = 5000


class Form:
    """The fields of a form or of a query; a name may come more than once."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in pairs:
            self._values.setdefault(name, []).append(value)

    def get(self, name: str, default: str = "") -> str:
        """Return the first value under a name."""
        return next(iter(self.all(name)), default)

    def all(self, name: str) -> list[str]:
        """Return all values under a name."""
        return self._values.get(name, [])

    def having(self, changes: Mapping[str, Iterable[str]]) -> "Form":
        """Return the form with other values under some names."""
        changed = Form()
        changed._values = self._values | {name: [*values] for name, values in changes.items()}
        return changed


def parse_form(body: bytes) -> Form:
    """Read a form as browsers send it; line ends become those of text."""
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
