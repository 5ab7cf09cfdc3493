"""Finds the request at which processes end, without holding up or failing the others.

A request that was under way at two ends in a row is a suspect. From then on half of the suspects
are sent and the others held: if the process ends again it was one of the half, which is halved; if
all of them are answered it is one of those held last, who go next. One that was the only suspect
under way at an end is guilty, and the others are free. Other requests come and go meanwhile.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

_ENDS_OF_A_SUSPECT = 2


class Finding(NamedTuple):
    """What follows from an end: who is guilty, if that is known, and who is sent again now."""

    guilty: int | None
    again: Sequence[int]


class Suspects:
    """Requests by number, and at how many ends each of them was under way."""

    def __init__(self) -> None:
        self._ends: dict[int, int] = {}
        self._sent: set[int] = set()
        self._held: list[list[int]] = []

    def after_end(self, under_way: Iterable[int]) -> Finding:
        """Judge those that were under way when the process ended."""
        numbers = list(under_way)
        suspects = [each for each in numbers if each in self._sent]
        if len(suspects) == 1:
            others = [each for each in numbers if each not in self._sent]
            return Finding(suspects[0], [*others, *self._free()])
        if not self._sent:
            suspects = self._count(numbers)
        later = set(self._halve(suspects))
        return Finding(None, [each for each in numbers if each not in later])

    def has_ended(self, number: int) -> Sequence[int]:
        """Forget a request that was answered or given up; return those that may go now."""
        self._ends.pop(number, None)
        for group in self._held:
            if number in group:
                group.remove(number)
        if number not in self._sent:
            return ()
        self._sent.discard(number)
        while self._held and not self._sent:
            self._sent = set(self._held.pop())
            if self._sent:
                return sorted(self._sent)
        return ()

    def _count(self, numbers: Sequence[int]) -> list[int]:
        """Count an end, and return those that are suspects by now."""
        for number in numbers:
            self._ends[number] = self._ends.get(number, 0) + 1
        return [each for each in numbers if self._ends[each] >= _ENDS_OF_A_SUSPECT]

    def _halve(self, suspects: Sequence[int]) -> Sequence[int]:
        """Send one half of the suspects, and return the other, which is held."""
        if not suspects:
            return ()
        half = (len(suspects) + 1) // 2
        self._sent, later = set(suspects[:half]), list(suspects[half:])
        self._held.append(later)
        return later

    def _free(self) -> Sequence[int]:
        held = [number for group in self._held for number in group]
        self._ends.clear()
        self._sent.clear()
        self._held.clear()
        return held
