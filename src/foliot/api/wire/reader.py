"""Reading JSON that anyone may have written: every refusal names the place and the value."""

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NoReturn, cast

from foliot.core.errors import Invalid, Path, shown, wrong

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def parse_json(text: bytes) -> Json:
    """Read one JSON document, strictly: UTF-8, no name twice in an object, no NaN."""
    if not text.strip():
        raise Invalid((), "the text is empty; give a JSON object {...}.")
    try:
        return cast(
            "Json",
            json.loads(
                text.decode("utf-8-sig"),
                object_pairs_hook=_object_without_duplicates,
                parse_constant=_refuse_constant,
            ),
        )
    except UnicodeDecodeError as error:
        raise Invalid((), f"the text is not UTF-8: byte {error.start + 1} is invalid.") from None
    except json.JSONDecodeError as error:
        where = f"at line {error.lineno}, column {error.colno}"
        problem = f"the text is not JSON: {error.msg.removesuffix(' at')} {where}."
        raise Invalid((), problem) from None
    except RecursionError:
        problem = "the JSON is nested too deeply; a job needs fewer than 20 levels."
        raise Invalid((), problem) from None
    except ValueError:
        # What json lets through to int() and int() refuses: thousands of digits.
        raise Invalid((), "the JSON holds a number with too many digits.") from None


class Properties:
    """The properties of one JSON object, found in any letter case; null is the same as absent."""

    def __init__(
        self, value: Json, path: Path = (), old_names: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        if not isinstance(value, dict):
            raise wrong(path, value, "an object {...}")
        self.path = path
        self._values = value
        self._written: dict[str, str] = {}
        for written in value:
            folded = written.lower()
            twin = self._written.setdefault(old_names.get(folded, folded), written)
            if twin != written:
                problem = f"is given twice, also as {shown(twin)}; give it once."
                raise Invalid((*path, written), problem)

    def get(self, name: str) -> Json:
        """Return the value of a property, or None."""
        return self._values.get(self._written.get(name.lower(), name))

    def at(self, name: str) -> Path:
        """Return the path of a property, in the letter case the client used."""
        return (*self.path, self._written.get(name.lower(), name))

    def refuse_others(self, known: Iterable[str]) -> None:
        """Refuse any property whose name is not among these."""
        listed = tuple(known)
        lowered = {name.lower() for name in listed}
        for folded, written in self._written.items():
            if folded not in lowered:
                raise Invalid(
                    (*self.path, written),
                    f"is not a property known here; the known ones are {', '.join(listed)}.",
                )


def read_text(value: Json, path: Path, expected: str = "a string") -> str:
    """Take a string."""
    if not isinstance(value, str):
        raise wrong(path, value, expected)
    return value


def read_integer(value: Json, path: Path, expected: str = "a whole number") -> int:
    """Take a whole number, also one written as 5.0; true and false are none."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong(path, value, expected)
    return value


def read_list(value: Json, path: Path, *, single: bool) -> list[Json]:
    """Take a list with something in it, or, where that is allowed, one item for a list of one."""
    if not isinstance(value, list):
        if single and not isinstance(value, dict):
            return [value]
        raise wrong(path, value, "a value or a list [...]" if single else "a list [...]")
    if not value:
        raise Invalid(path, "[] is empty; give at least one value, or leave it out.")
    return value


def _object_without_duplicates(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, value in pairs:
        if name in found:
            raise Invalid((), f"an object has the name {shown(name)} twice; give it once.")
        found[name] = value
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise Invalid((), f"the text is not JSON: {name} is not a JSON number.")
