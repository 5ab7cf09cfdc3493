"""How many attempts ended in each minute of the last hour, and how late they began."""

from collections.abc import Sequence

from msgspec import Struct

from foliot.core.instant import MINUTE, Instant
from foliot.core.model.dashboard import AttemptSample
from foliot.core.model.history import AttemptStatus

MINUTES = 60
_ALMOST_ALL = 0.95


class Minute(Struct, frozen=True):
    """What happened in a minute; lateness in ticks, and none where nothing began."""

    completed: int = 0
    failed: int = 0
    usual: int | None = None
    worst: int | None = None

    @property
    def total(self) -> int:
        """How many attempts ended."""
        return self.completed + self.failed


def per_minute(beats: Sequence[AttemptSample], now: Instant) -> list[Minute]:
    """Return the last sixty minutes, the present one last."""
    buckets: list[list[AttemptSample]] = [[] for _ in range(MINUTES)]
    for beat in beats:
        age = (now - beat.ended_at) // MINUTE
        if 0 <= age < MINUTES and beat.status is not AttemptStatus.POSTPONED:
            buckets[MINUTES - 1 - age].append(beat)
    return [_minute(bucket) for bucket in buckets]


def _minute(beats: Sequence[AttemptSample]) -> Minute:
    failed = sum(beat.weight for beat in beats if beat.status is AttemptStatus.FAILED)
    # A retry is late by design.
    late = sorted(beat.started_at - beat.expected_at for beat in beats if beat.is_first)
    return Minute(
        completed=sum(beat.weight for beat in beats) - failed,
        failed=failed,
        usual=late[len(late) // 2] if late else None,
        worst=late[int((len(late) - 1) * _ALMOST_ALL)] if late else None,
    )
