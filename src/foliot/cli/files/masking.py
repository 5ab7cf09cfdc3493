"""What plans and messages show of a job or an alert: no value of a placeholder, no credential."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from foliot.client.placeholders import FilledText, filled_places
from foliot.core.credentials import MASK, is_credential_header, masked_uri
from foliot.core.errors import Invalid, Path
from foliot.core.json_text import Json

_HIDDEN = "(not shown)"


class HiddenPlaces(Struct, frozen=True):
    """The texts of a job that were filled in, by their paths in lower case."""

    texts: Mapping[Path, FilledText]

    @classmethod
    def of(cls, filled: Any) -> "HiddenPlaces":
        """Find the places in the properties of a job."""
        return cls(dict(filled_places(filled)))

    def shown(self, path: Path, value: Json, *, is_new: bool) -> Json:
        """Return what may be shown of the value at a path of a job, on the server or in a file."""
        if value is None:
            return None
        filled = self.texts.get(_lowered(path))
        if filled is not None:
            return filled.written if is_new else _HIDDEN
        if not isinstance(value, str):
            return value
        around, name = (path[-2:-1] or ("",))[0], (path[-1:] or ("",))[0]
        if around == "headers" and is_credential_header(str(name)):
            return MASK
        return self.without_values(masked_uri(value) if name == "uri" else value)

    def without_values(self, text: str) -> str:
        """Return a text with placeholders in place of their values."""
        longest_first = sorted(self.texts.values(), key=lambda each: -len(each.value.reveal()))
        for each in longest_first:
            if each.value.reveal():
                text = text.replace(each.value.reveal(), each.written)
        return text

    def refusal(self, refusal: Invalid) -> Invalid:
        """Return a refusal without the value that it is about, if that was filled in."""
        path = _lowered(refusal.path)
        if path[:1] == ("properties",):
            path = path[1:]
        about = [each.written for place, each in self.texts.items() if _are_near(place, path)]
        if not about:
            return Invalid(refusal.path, self.without_values(refusal.problem))
        _, give, expected = refusal.problem.partition("; give ")
        said = f"what {about[0]} stands for is not valid{give}{expected}"
        return Invalid(refusal.path, self.without_values(said if give else f"{said}."))


def refusal_at(place: str, refusal: Invalid) -> Invalid:
    """Return a refusal with a place in a file, and its path as the file has it."""
    path = refusal.path[1:] if refusal.path[:1] == ("properties",) else refusal.path
    return Invalid((), f"{place}: {Invalid(path, refusal.problem)}")


def _are_near(one: Path, other: Path) -> bool:
    return one[: len(other)] == other[: len(one)]


def _lowered(path: Iterable[str | int]) -> Path:
    return tuple(each.lower() if isinstance(each, str) else each for each in path)
