"""Named values that are evaluated when they are first asked for."""

from collections.abc import Callable, Iterable

from foliot.core.errors import Invalid, shown
from foliot.core.json_text import Json
from foliot.core.near_names import nearest


class LazyValues:
    """Values by name, in any letter case, each evaluated once; a cycle is refused by its names.

    `secrets` are the secure parameters that were read since somebody last took them. A value
    remembers those that it depends on.
    """

    def __init__(
        self,
        kind: str,
        names: Iterable[str],
        compute: Callable[[str], Json],
        secrets: set[str],
    ) -> None:
        self._kind = kind
        self._names = {name.lower(): name for name in names}
        self._compute = compute
        self._secrets = secrets
        self._open: list[str] = []
        self._done: dict[str, tuple[Json, frozenset[str]]] = {}

    def get(self, name: str) -> Json:
        """Return a value, which is evaluated now if it was not before."""
        folded = name.lower()
        if folded not in self._done:
            self._done[folded] = self._evaluated(folded, name)
        value, secrets = self._done[folded]
        self._secrets.update(secrets)
        return value

    def secrets_of(self, name: str) -> frozenset[str]:
        """Return the secure parameters that an evaluated value depends on."""
        return self._done[name.lower()][1]

    @property
    def current(self) -> str:
        """The name of the value that is evaluated now."""
        return self._open[-1]

    def _evaluated(self, folded: str, name: str) -> tuple[Json, frozenset[str]]:
        if folded not in self._names:
            raise Invalid((), self._unknown(name))
        if folded in self._open:
            cycle = [*self._open[self._open.index(folded) :], folded]
            text = " -> ".join(f"{self._kind}.{self._names[each]}" for each in cycle)
            raise Invalid((self._kind, self._names[folded]), f"depends on itself: {text}.")
        before = frozenset(self._secrets)
        self._secrets.clear()
        self._open.append(folded)
        value = self._compute(self._names[folded])
        self._open.pop()
        secrets = frozenset(self._secrets)
        self._secrets.update(before)
        return value, secrets

    def _unknown(self, name: str) -> str:
        for near in nearest(name.lower(), self._names):
            return f"{self._kind} has no {shown(name)}; did you mean '{self._names[near]}'?"
        return f"{self._kind} has no {shown(name)}; define it there."
