"""From which moment on the database looks for what is due.

A row that changes leaves its old entry in the index of what is due, in front of all others, until
no transaction can see it. One that somebody leaves open for half an hour keeps millions of them,
and each look would pass them all. So looks begin some seconds ago. What lies before, as a job does
whose collection was halted for a while, is found by walks back to the beginning every ten seconds:
in one step, or in as many as it takes for each to be quick.
"""

from typing import Final, NamedTuple

from foliot.core.instant import SECOND, Instant

BEGINNING: Final = Instant(0)
_MARGIN: Final = 5 * SECOND
_BETWEEN_WALKS: Final = 10 * SECOND
_QUICK: Final = SECOND // 200
_SLOW: Final = SECOND // 50
_SHORT: Final = SECOND
_LONGER: Final = 8


class Span(NamedTuple):
    """What is due from one moment up to another."""

    begin: Instant
    end: Instant


class Walk:
    """Steps back from a moment to the beginning, longer ones as long as they are quick."""

    def __init__(self, start: Instant, begun_at: Instant, step: int) -> None:
        self.begun_at = begun_at
        self._reached = start
        self._step = step
        self._took = 0

    @property
    def is_over(self) -> bool:
        """Whether the beginning is reached."""
        return self._reached <= BEGINNING

    @property
    def was_slow(self) -> bool:
        """Whether all of it would be too much for one step."""
        return self._took > _SLOW

    def ahead(self) -> Span:
        """Return the next step."""
        begin = max(BEGINNING, self._reached - self._step)
        return Span(Instant(begin), Instant(self._reached - 1))

    def looked(self, span: Span, took: int, *, is_all: bool) -> None:
        """Take a step if all was found there was; `took` is how long it was looked for."""
        self._took += took
        if is_all:
            self._reached = span.begin
        if took > _SLOW:
            self._step = _SHORT
        elif took < _QUICK:
            self._step *= _LONGER


class Floor:
    """What was seen of one kind of what is due."""

    def __init__(self) -> None:
        # All from here on is looked at; None as long as nothing is known.
        self._floor: Instant | None = None
        self._walk: Walk | None = None
        self._is_first_look_open = False

    def behind(self, now: Instant) -> Span | None:
        """Return a part of what lies behind the floor, if it is time to look there."""
        if self._floor is None:
            return None
        walk = self._walk
        if walk is None:
            walk = Walk(self._floor, now, step=_SHORT)
        elif walk.is_over:
            if 0 <= now - walk.begun_at < _BETWEEN_WALKS:
                return None
            walk = Walk(self._floor, now, step=_SHORT if walk.was_slow else self._floor)
        self._walk = walk
        return walk.ahead()

    def looked_behind(self, span: Span, took: int, *, is_all: bool) -> None:
        """Remember a look behind the floor."""
        if self._walk is not None:
            self._walk.looked(span, took, is_all=is_all)

    def recent(self, now: Instant) -> Span:
        """Return where to look each time: from the beginning if nothing is known."""
        if self._floor is None:
            if not self._is_first_look_open:
                self._is_first_look_open = True
                return Span(BEGINNING, now)
            # It took too long to be answered: what lies behind is for walks.
            self._floor = Instant(max(BEGINNING, now - _MARGIN))
        # A clock may be set back.
        self._floor = Instant(max(BEGINNING, min(self._floor, now - _MARGIN)))
        return Span(self._floor, now)

    def looked(self, span: Span, *, seen_until: Instant | None) -> None:
        """Remember a look at what is recent: all that was due before a moment was seen."""
        self._is_first_look_open = False
        if seen_until is None:
            return
        if self._floor is None:
            # Nothing is behind: that is as good as a walk.
            self._walk = Walk(BEGINNING, span.end, step=_SHORT)
        self._floor = Instant(max(span.begin, seen_until - _MARGIN))

    @property
    def known(self) -> Instant:
        """The moment from which on all is looked at."""
        return BEGINNING if self._floor is None else self._floor


class Floors(NamedTuple):
    """The moments for jobs and for runs, shared by those who claim and those who only look."""

    jobs: Floor
    runs: Floor

    @property
    def known(self) -> Instant:
        """The earlier of both."""
        return min(self.jobs.known, self.runs.known)
