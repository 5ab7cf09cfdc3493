"""Counts attempts and start delays in each minute of the last hour."""

from collections.abc import Sequence

from msgspec import Struct

from foliot.core.instant import MINUTE, Instant
from foliot.core.model.dashboard import AttemptSample
from foliot.core.model.history import AttemptStatus

MINUTES = 60


class Minute(Struct, frozen=True):
    """The attempts of a minute; start delays in ticks, None if no planned run began."""

    completed: int = 0
    failed: int = 0
    median: int | None = None
    percentile_95: int | None = None

    @property
    def total(self) -> int:
        """The number of attempts that ended."""
        return self.completed + self.failed


def per_minute(samples: Sequence[AttemptSample], now: Instant) -> list[Minute]:
    """Return the last sixty minutes, the current one last."""
    buckets: list[list[AttemptSample]] = [[] for _ in range(MINUTES)]
    for sample in samples:
        age = (now - sample.ended_at) // MINUTE
        if 0 <= age < MINUTES and sample.status is not AttemptStatus.POSTPONED:
            buckets[MINUTES - 1 - age].append(sample)
    return [_minute(bucket) for bucket in buckets]


def _minute(samples: Sequence[AttemptSample]) -> Minute:
    failed = sum(sample.weight for sample in samples if sample.status is AttemptStatus.FAILED)
    late = sorted(each.started_at - each.expected_at for each in samples if each.tells_delay)
    return Minute(
        completed=sum(sample.weight for sample in samples) - failed,
        failed=failed,
        median=_percentile(late, 50),
        percentile_95=_percentile(late, 95),
    )


def _percentile(values: Sequence[int], percent: int) -> int | None:
    """Return the nearest-rank percentile of sorted values, None if there are none."""
    return values[-(-len(values) * percent // 100) - 1] if values else None
