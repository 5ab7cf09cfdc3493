"""The settings of an engine."""

from msgspec import Struct

from foliot.core.instant import SECOND
from foliot.engine.claim import LEASE_TICKS


class EngineSettings(Struct, frozen=True, kw_only=True):
    """How many runs at a time, and how often the engine looks and renews."""

    slots: int = 512
    # The share of a destination; None is a quarter of all slots.
    slots_per_host: int | None = None
    batch: int = 500
    backlog: int = 1024
    poll_seconds: float = 1.0
    # The longest pause from one round to the next: what becomes due meanwhile is claimed in one
    # transaction.
    gather_seconds: float = 0.0
    # What is due so many ticks after the earliest run is claimed together with it.
    gather_due: int = 0
    heartbeat_seconds: float = LEASE_TICKS / SECOND / 3
    grace_seconds: float = 30.0
    longest_pause_seconds: float = 30.0
