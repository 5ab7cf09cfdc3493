"""What was written as JSON, kept for the next answer: clients list the same jobs again and again.

The store keeps the jobs and the definitions that it has read, and returns the same values as long
as their rows are the same. So a value is known by its identity here, which takes a twentieth of the
time to write it. What is kept are the bytes of an answer, which has no secrets.
"""

from collections.abc import Callable, Iterable
from typing import Final, Generic, TypeVar, TypeVarTuple

_MOST: Final = 4096

Value = TypeVar("Value")
Others = TypeVarTuple("Others")
Written = TypeVar("Written")


class KeptAnswers(Generic[Value, *Others, Written]):
    """The values that were written last, each by itself and by what else it was written from."""

    def __init__(self, write: Callable[[Value, *Others], Written], most: int = _MOST) -> None:
        self._write = write
        self._most = most
        # The parts are kept as well, so that no others get their identities.
        self._kept: dict[tuple[int, ...], tuple[tuple[Value, *Others], Written]] = {}

    def get(self, value: Value, *others: *Others) -> Written:
        """Return what is written of a value."""
        (written,) = self.get_all((value,), *others)
        return written

    def get_all(self, values: Iterable[Value], *others: *Others) -> list[Written]:
        """Return what is written of each value; all are written with the same other parts."""
        kept, shared = self._kept, tuple(map(id, others))
        answers: list[Written] = []
        for value in values:
            found = kept.get((id(value), *shared))
            answers.append(self._keep(value, *others) if found is None else found[1])
        return answers

    def _keep(self, value: Value, *others: *Others) -> Written:
        written = self._write(value, *others)
        self._kept[tuple(map(id, (value, *others)))] = ((value, *others), written)
        if len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]
        return written
