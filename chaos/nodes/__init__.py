"""The ways three nodes on one PostgreSQL are broken, one module each."""

from chaos.nodes import (
    alerts,
    clocks_off,
    commits_cut,
    database_killed,
    key_rotation,
    killed,
    overlap,
    paused,
    pooled,
    rolling_restart,
)
from chaos.scenarios import Scenario

SCENARIOS: dict[str, Scenario] = {
    "nodes-killed": killed.play,
    "node-paused": paused.play,
    "database-killed": database_killed.play,
    "commits-cut": commits_cut.play,
    "clocks-off": clocks_off.play,
    "rolling-restart": rolling_restart.play,
    "key-rotation": key_rotation.play,
    "pooled": pooled.play,
    "overlap": overlap.play,
    "alerts-nodes": alerts.play,
}
