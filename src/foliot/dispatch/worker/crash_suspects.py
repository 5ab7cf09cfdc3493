"""Finds the request that crashes the worker process, while other requests go on.

A request that was in progress at two ends of the worker in a row is a suspect. The search among the
suspects is a binary one, over several workers:

1. One half of the suspects is sent, the other half is held back.
2. If the worker ends again, the cause is in the half that was sent: that half is split again.
3. If all of that half are answered, the cause is in the half that was held back last: it goes next.
4. A suspect that was the only one in progress at an end is guilty, and all the others are released.

Requests that are no suspects are sent all the time: new ones must not wait for the search.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

# One end proves little: hundreds of requests are in progress at any time. A second end leaves
# few of them.
_ENDS_OF_A_SUSPECT = 2


class Finding(NamedTuple):
    """What follows from an end: the guilty request, if it is known, and those to send again now."""

    guilty: int | None
    again: Sequence[int]


class CrashSuspects:
    """Requests by number, and at how many ends of the worker each was in progress."""

    def __init__(self) -> None:
        self._ends: dict[int, int] = {}
        # The suspects that the worker has now; the others, in halves, the latest one at the end.
        self._sent: set[int] = set()
        self._held: list[list[int]] = []

    def after_end(self, in_progress: Iterable[int]) -> Finding:
        """Decide about the requests that were in progress when the worker ended."""
        numbers = list(in_progress)
        suspects = [each for each in numbers if each in self._sent]
        if len(suspects) == 1:
            others = [each for each in numbers if each not in self._sent]
            return Finding(suspects[0], [*others, *self._release_all()])
        if not self._sent:
            suspects = self._count(numbers)
        held = set(self._split(suspects))
        return Finding(None, [each for each in numbers if each not in held])

    def has_ended(self, number: int) -> Sequence[int]:
        """Forget a request that was answered or given up; return the suspects to send now."""
        self._ends.pop(number, None)
        for group in self._held:
            if number in group:
                group.remove(number)
        if number not in self._sent:
            return ()
        self._sent.discard(number)
        # All suspects that were sent are innocent: the cause is among those held back last.
        while self._held and not self._sent:
            self._sent = set(self._held.pop())
            if self._sent:
                return sorted(self._sent)
        return ()

    def _count(self, numbers: Sequence[int]) -> list[int]:
        """Count an end of the worker, and return the requests that are suspects now."""
        for number in numbers:
            self._ends[number] = self._ends.get(number, 0) + 1
        return [each for each in numbers if self._ends[each] >= _ENDS_OF_A_SUSPECT]

    def _split(self, suspects: Sequence[int]) -> Sequence[int]:
        """Send one half of the suspects; hold back the other half, and return it."""
        if not suspects:
            return ()
        half = (len(suspects) + 1) // 2
        self._sent, held = set(suspects[:half]), list(suspects[half:])
        self._held.append(held)
        return held

    def _release_all(self) -> Sequence[int]:
        released = [number for group in self._held for number in group]
        self._ends.clear()
        self._sent.clear()
        self._held.clear()
        return released
