"""How far this machine's clock is from the database's.

Many machines never agree on the time; what is due and whose lease has run out is judged by the time
of the one thing they share. A sample is the database's time against the middle of its round trip,
and the quickest of the latest round trips knows best.
"""

from collections import deque
from threading import Lock

from foliot.core.instant import SECOND

_SAMPLES = 8
# Further apart than this, a clock was set, and what was measured before is worth nothing.
_JUMP = SECOND // 10


class Offset:
    """What to add to this machine's clock, in ticks; measured by one thread, read by any."""

    def __init__(self) -> None:
        self._samples: deque[tuple[int, int]] = deque(maxlen=_SAMPLES)
        self._lock = Lock()
        self.ticks = 0

    def measured(self, before: int, theirs: int, after: int) -> None:
        """Take one sample: our clock before, theirs, ours after, all in ticks."""
        took = max(0, after - before)
        sample = theirs - (before + took // 2)
        with self._lock:
            if abs(sample - self.ticks) > took + _JUMP:
                self._samples.clear()
            self._samples.append((took, sample))
            self.ticks = min(self._samples)[1]
