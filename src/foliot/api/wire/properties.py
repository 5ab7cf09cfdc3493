"""The properties of a JSON object: found in any letter case, unknown ones refused."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from foliot.core.errors import Invalid, Path, path_text, shown, wrong
from foliot.core.json_text import Json
from foliot.core.near_names import nearest, shortened


class Properties:
    """The properties of one JSON object, found in any letter case; null is the same as absent.

    It remembers which names decoders asked for: all other names are unknown. An object that may
    hold credentials hides its values: a refusal then says the kind of a value, not the value.
    """

    def __init__(
        self,
        value: Json,
        path: Path = (),
        old_names: Mapping[str, str] = MappingProxyType({}),
        *,
        hides: bool = False,
    ) -> None:
        if not isinstance(value, dict):
            raise wrong_kind(path, value, "an object {...}", hides=hides)
        self.path = path
        self.hides = hides
        self._values = value
        self._asked: dict[str, str] = {}
        self._ignored: set[str] = set()
        self._children: dict[str, Properties] = {}
        self._written = {written.lower(): written for written in value}
        if old_names or len(self._written) < len(value):
            self._written = _written(value, path, old_names)

    def get(self, name: str) -> Json:
        """Return the value of a property, or None."""
        folded = name.lower()
        self._asked[folded] = name
        written = self._written.get(folded)
        return None if written is None else self._values[written]

    def has(self, name: str) -> bool:
        """Tell whether a property is given, though it may be null."""
        return name.lower() in self._written

    def at(self, name: str) -> Path:
        """Return the path of a property, in the letter case the client used."""
        return (*self.path, self._written.get(name.lower(), name))

    def child(
        self, name: str, old_names: Mapping[str, str] = MappingProxyType({})
    ) -> "Properties | None":
        """Return the object inside this one, the same each time, or None if it is absent."""
        value = self.get(name)
        if value is None:
            return None
        if name not in self._children:
            self._children[name] = Properties(value, self.at(name), old_names, hides=self.hides)
        return self._children[name]

    def ignore(self, *names: str) -> None:
        """Accept these properties, whatever they hold."""
        self._ignored.update(name.lower() for name in names)

    def refuse_unknown(self, within: "Properties | None" = None) -> None:
        """Refuse properties that no decoder asked for, here and in the objects inside.

        `within` is the object around them all, in which an unknown one may belong elsewhere.
        """
        within = within or self
        for folded, written in self._written.items():
            if folded not in self._asked and folded not in self._ignored:
                advice = self._advice(folded, within.places())
                raise Invalid((*self.path, shortened(written)), advice)
        for child in self._children.values():
            child.refuse_unknown(within)

    def refuse_misspelt(self, name: str) -> None:
        """Refuse a property that looks like a misspelling of this missing one."""
        unread = [folded for folded in self._written if folded not in self._asked]
        for folded in nearest(name.lower(), unread):
            problem = f"is not known here; did you mean '{name}'?"
            raise Invalid((*self.path, shortened(self._written[folded])), problem)

    def refuse_beside(self, name: str) -> None:
        """Refuse properties beside a missing one: they belong into it."""
        self.refuse_misspelt(name)
        for folded, written in self._written.items():
            if folded not in self._asked and folded not in self._ignored:
                problem = f"is not known here; it belongs into '{name}'."
                raise Invalid((*self.path, shortened(written)), problem)

    def places(self) -> dict[str, Path]:
        """Return the path of each known name, here or inside."""
        found = {folded: (*self.path, name) for folded, name in self._asked.items()}
        for child in self._children.values():
            found = child.places() | found
        return found

    def _advice(self, folded: str, places: Mapping[str, Path]) -> str:
        if folded in places:
            return f"is not known here; it belongs {_place(places[folded])}."
        for near in nearest(folded, self._asked):
            return f"is not known here; did you mean '{self._asked[near]}'?"
        inside = self.places()
        for near in nearest(folded, inside):
            *_, name = inside[near]
            return f"is not known here; did you mean '{name}'? It belongs {_place(inside[near])}."
        known = ", ".join(
            name for folded, name in self._asked.items() if folded not in self._ignored
        )
        return f"is not known here; the known properties are {known}."


def _written(value: Iterable[str], path: Path, old_names: Mapping[str, str]) -> dict[str, str]:
    """Return names as they are written, by their newest ones in lower case; none may come twice."""
    found: dict[str, str] = {}
    for written in value:
        folded = written.lower()
        twin = found.setdefault(old_names.get(folded, folded), written)
        if twin != written:
            problem = f"is given twice, also as {shown(twin)}; give it once."
            raise Invalid((*path, shortened(written)), problem)
    return found


def _place(name: Path) -> str:
    """Say in which object a name belongs."""
    place = path_text(name[:-1])
    return f"into '{place}'" if place else "to the top of the body"


def wrong_kind(path: Path, value: Json, expected: str, *, hides: bool) -> Invalid:
    """Refuse a value of the wrong kind; do not show it if it may be a secret."""
    if not hides or value is None:
        return wrong(path, value, expected)
    return Invalid(path, f"{_kind_of(value)} is not valid; give {expected}.")


def _kind_of(value: Json) -> str:
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case str():
            return "a string"
        case bool():
            return "a boolean"
        case _:
            return "a number"
