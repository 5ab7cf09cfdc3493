"""The scan window: claims only look at rows due after an instant.

A row that changes leaves its old entry in the index of due rows, in front of all others, until no
transaction can see it. A transaction that somebody leaves open for half an hour keeps millions of
them, and each scan would pass them all. So scans begin a few seconds ago. Rows that became due
before, such as those that another node has changed, are found by scans of the backlog, back to the
beginning, every ten seconds: in one step, or in as many as it takes for each to be quick. A change
that this node makes to the due time of a job moves the next scan there, if that lies before.
"""

from typing import Final, NamedTuple

from foliot.core.instant import SECOND, Instant

BEGINNING: Final = Instant(0)
_MARGIN: Final = 5 * SECOND
_BETWEEN_BACKLOG_SCANS: Final = 10 * SECOND
_QUICK: Final = SECOND // 200
_SLOW: Final = SECOND // 50
_SHORT: Final = SECOND
_LONGER: Final = 8


class ScanRange(NamedTuple):
    """Rows due from one instant up to another are scanned."""

    start: Instant
    end: Instant


class BacklogScan:
    """Steps back from an instant to the beginning, longer ones as long as they are quick."""

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
        """Whether all of it takes too long for one step."""
        return self._took > _SLOW

    def next_step(self) -> ScanRange:
        """Return the next step."""
        start = max(BEGINNING, self._reached - self._step)
        return ScanRange(Instant(start), Instant(self._reached - 1))

    def scanned(self, scan: ScanRange, took: int, *, is_all: bool) -> None:
        """Take a step if all its rows were found; `took` is how long the scan took."""
        self._took += took
        if is_all:
            self._reached = scan.start
        if took > _SLOW:
            self._step = _SHORT
        elif took < _QUICK:
            self._step *= _LONGER


class DueWindow:
    """Which due rows of one kind, jobs or runs, were scanned."""

    def __init__(self) -> None:
        # Everything due from here on is scanned by each claim; None as long as nothing is known.
        self._start: Instant | None = None
        self._backlog: BacklogScan | None = None
        self._is_first_scan_open = False

    @property
    def start(self) -> Instant:
        """The instant from which on each claim scans."""
        return BEGINNING if self._start is None else self._start

    def include(self, due_at: Instant) -> None:
        """Let the next claim scan from an instant on: a row has become due then."""
        if self._start is not None:
            self._start = min(self._start, due_at)

    def backlog(self, now: Instant) -> ScanRange | None:
        """Return a part of the backlog, if it is time to scan it."""
        if self._start is None:
            return None
        backlog = self._backlog
        if backlog is None:
            backlog = BacklogScan(self._start, now, step=_SHORT)
        elif backlog.is_over:
            if 0 <= now - backlog.begun_at < _BETWEEN_BACKLOG_SCANS:
                return None
            step = _SHORT if backlog.was_slow else self._start
            backlog = BacklogScan(self._start, now, step=step)
        self._backlog = backlog
        step = backlog.next_step()
        # A clock may be set back: what is due later is no backlog yet.
        return ScanRange(step.start, min(step.end, now))

    def backlog_scanned(self, scan: ScanRange, took: int, *, is_all: bool) -> None:
        """Record a scan of a part of the backlog."""
        if self._backlog is not None:
            self._backlog.scanned(scan, took, is_all=is_all)

    def recent(self, now: Instant) -> ScanRange:
        """Return the range that each claim scans: from the beginning if nothing is known."""
        if self._start is None:
            if not self._is_first_scan_open:
                self._is_first_scan_open = True
                return ScanRange(BEGINNING, now)
            # The first scan took too long and was cancelled: the rest is left to backlog scans.
            self._start = Instant(max(BEGINNING, now - _MARGIN))
        # A clock may be set back.
        self._start = Instant(max(BEGINNING, min(self._start, now - _MARGIN)))
        return ScanRange(self._start, now)

    def recent_scanned(self, scan: ScanRange, *, seen_until: Instant | None) -> None:
        """Record a scan of the recent range: all rows due before an instant were seen."""
        self._is_first_scan_open = False
        if seen_until is None:
            return
        if self._start is None:
            # The scan began at the beginning: that is as good as a scan of the backlog.
            self._backlog = BacklogScan(BEGINNING, scan.end, step=_SHORT)
        self._start = Instant(max(scan.start, seen_until - _MARGIN))


class DueWindows(NamedTuple):
    """The windows of jobs and of runs, shared by claims and by views."""

    jobs: DueWindow
    runs: DueWindow

    @property
    def start(self) -> Instant:
        """The earlier start of both."""
        return min(self.jobs.start, self.runs.start)
