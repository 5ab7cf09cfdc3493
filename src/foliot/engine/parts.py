"""The parts that an engine is made of."""

from collections.abc import Callable
from typing import NamedTuple

from foliot.core.limits import Limits
from foliot.engine.claim import Claimant
from foliot.ports.clock import Clock
from foliot.ports.dispatch import Dispatcher
from foliot.ports.health import Health
from foliot.ports.metrics import NO_METER, Meter
from foliot.ports.store import Store
from foliot.ports.tracing import Tracer


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
