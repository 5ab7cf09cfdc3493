"""What was written as JSON, kept for the next answer: clients list the same jobs again and again.

The store keeps the jobs and the definitions that it has read, and returns the same values as long
as their rows are the same. So a value is known by its identity here, which takes a twentieth of the
time to write it. What is kept are the bytes of an answer, which has no secrets.
"""

from collections.abc import Callable
from typing import Final, Generic, TypeVar, TypeVarTuple

_MOST: Final = 4096

Parts = TypeVarTuple("Parts")
Written = TypeVar("Written")


class KeptAnswers(Generic[*Parts, Written]):
    """The values that were written last, each by the parts that it was written from."""

    def __init__(self, write: Callable[[*Parts], Written], most: int = _MOST) -> None:
        self._write = write
        self._most = most
        # The parts are kept as well, so that no others get their identities.
        self._kept: dict[tuple[int, ...], tuple[tuple[*Parts], Written]] = {}

    def get(self, *parts: *Parts) -> Written:
        """Return what is written of these parts."""
        identity = tuple(map(id, parts))
        found = self._kept.get(identity)
        if found is None:
            found = parts, self._write(*parts)
            self._kept[identity] = found
            if len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
        return found[1]
