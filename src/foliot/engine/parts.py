"""What an engine works with, how much at a time, and how often."""

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct

from foliot.core.instant import SECOND
from foliot.engine.claim import LEASE_TICKS, Claimant
from foliot.ports.clock import Clock
from foliot.ports.dispatch import Dispatcher
from foliot.ports.health import Health
from foliot.ports.store import Store


class EngineSettings(Struct, frozen=True, kw_only=True):
    """How much at a time, and how often."""

    slots: int = 512
    # The share of a destination; None is a quarter of all slots.
    slots_per_host: int | None = None
    batch: int = 500
    backlog: int = 1024
    poll_seconds: float = 1.0
    # Between rounds that do not take all they can: what comes meanwhile is taken together.
    gather_seconds: float = 0.0
    heartbeat_seconds: float = LEASE_TICKS / SECOND / 3
    grace_seconds: float = 30.0
    longest_pause_seconds: float = 30.0


class Parts(NamedTuple):
    """What the engine works with; `health` hears what keeps it from working.

    As long as the dispatcher says that it cannot send, nothing is claimed.
    """

    store: Store
    dispatcher: Dispatcher
    clock: Clock
    claimant: Claimant
    health: Health
    can_send: Callable[[], bool] = lambda: True
