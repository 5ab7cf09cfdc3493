"""The settings of an engine, and the parts that it is made of."""

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct

from foliot.core.instant import SECOND
from foliot.core.limits import Limits
from foliot.engine.claim import LEASE_TICKS, Claimant
from foliot.ports.clock import Clock
from foliot.ports.dispatch import Dispatcher
from foliot.ports.health import Health
from foliot.ports.metrics import NO_METER, Meter
from foliot.ports.store import Store
from foliot.ports.tracing import Tracer


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


class Parts(NamedTuple):
    """The parts of an engine; it reports to `health` what keeps it from working.

    While `can_send` is false the engine claims nothing. The limits are those of what is sent.
    """

    store: Store
    dispatcher: Dispatcher
    clock: Clock
    claimant: Claimant
    health: Health
    can_send: Callable[[], bool] = lambda: True
    limits: Limits = Limits()
    tracer: Tracer | None = None
    meter: Meter = NO_METER
