"""The ways a server is broken, one module each."""

from collections.abc import Callable, Coroutine
from typing import Any

from chaos.scenarios import (
    alerts,
    clock,
    disable_enable,
    disk,
    heartbeat,
    isolation,
    kill,
    pause,
    sender,
    targets,
)
from chaos.stage import Finding, Stage

Scenario = Callable[[Stage], Coroutine[Any, Any, Finding]]

SCENARIOS: dict[str, Scenario] = {
    "kill": kill.play,
    "pause": pause.play,
    "sender": sender.play,
    "heartbeat": heartbeat.play,
    "disable-enable": disable_enable.play,
    "disk": disk.play,
    "targets": targets.play,
    "isolation": isolation.play,
    "clock": clock.play,
    "alerts": alerts.play,
}
