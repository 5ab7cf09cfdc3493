"""How far this machine's clock is from the database's.

The clocks of several machines never agree, so due times and leases go by the database's clock. A
sample is the database's time minus the middle of the round trip that asked for it; of the latest
samples, the one with the quickest round trip is the most exact.
"""

from collections import deque
from threading import Lock

from foliot.core.instant import SECOND

_SAMPLES = 8
# Samples further apart than this mean that a clock was set: earlier samples are wrong.
_JUMP = SECOND // 10


class ClockOffset:
    """What to add to this machine's clock, in ticks; measured by one thread, read by any."""

    def __init__(self) -> None:
        self._samples: deque[tuple[int, int]] = deque(maxlen=_SAMPLES)
        self._lock = Lock()
        self.ticks = 0

    def measured(self, before: int, database: int, after: int) -> None:
        """Take one sample: our clock before, the database's, ours after, all in ticks."""
        took = max(0, after - before)
        sample = database - (before + took // 2)
        with self._lock:
            if abs(sample - self.ticks) > took + _JUMP:
                self._samples.clear()
            self._samples.append((took, sample))
            self.ticks = min(self._samples)[1]
