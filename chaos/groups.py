"""What is played on which database, and where its report goes."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from chaos import nodes, postgres, scenarios
from chaos.scenarios import Scenario


class Group(Struct, frozen=True, kw_only=True):
    """Scenarios of one kind, with a report of their own; `only` is how to play them alone."""

    only: str
    title: str
    subject: Callable[[], str]
    report: Path
    scenarios: dict[str, Scenario]


GROUPS = (
    Group(
        only="sqlite",
        title="Chaos on the real process",
        subject=lambda: "`foliot serve` on SQLite",
        report=Path("docs/proof/chaos.md"),
        scenarios=scenarios.SCENARIOS,
    ),
    Group(
        only="postgres",
        title="Chaos on three nodes",
        subject=lambda: f"three processes of `foliot serve` on one {postgres.version()}",
        report=Path("docs/proof/chaos-nodes.md"),
        scenarios=nodes.SCENARIOS,
    ),
)
SCENARIOS = {name: play for group in GROUPS for name, play in group.scenarios.items()}
