"""The report: a table of the scenarios, what else was seen, and all that is wrong."""

import os
import platform
import re
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from chaos.facts import SECOND
from chaos.groups import Group
from chaos.judge import percentile
from chaos.stage import Finding

_SHOWN = 20
_HEAD = (
    "| scenario | kills | occurrences | sent | skipped | lost | early | planned twice | duplicated "
    "| late p50 | p99 | max | verdict |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|"
)


def report(group: Group, findings: Sequence[Finding], seed: int) -> str:
    """Write the report of a run, as Markdown."""
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return "\n".join(
        [
            f"# {group.title}",
            "",
            f"Written by `make chaos`, which played all of this against {group.subject()}.",
            "",
            f"- {when}, `make chaos ONLY={group.only} SEED={seed}`",
            f"- {machine()}",
            "",
            _HEAD,
            *(_row(finding) for finding in findings),
            "",
            "Late is the time from the planned moment to the arrival of the request at its target.",
            *(line for finding in findings for line in _details(finding)),
            "",
        ]
    )


def summary(finding: Finding) -> str:
    """Write what one scenario came to."""
    return "\n".join([_HEAD, _row(finding), *_details(finding)])


def machine() -> str:
    """Say what was measured, and on what."""
    versions = f"Foliot {_version()}, Python {platform.python_version()}"
    model = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    cores = f"{os.cpu_count()} cores" + (f" of {model[1]}" if model else "")
    # Without what the builder of a kernel has added.
    kernel, _, _ = platform.release().partition("-")
    return f"{versions}, {platform.system()} {kernel}, {cores}"


def _version() -> str:
    """Return the version, with the commit it was measured at, if that is known."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return metadata.version("foliot")
    return f"{metadata.version('foliot')} ({commit})"


def _row(finding: Finding) -> str:
    judged = finding.judgement
    late = [percentile(judged.lateness, share) for share in (0.5, 0.99, 1)]
    cells = [
        finding.scenario,
        *(finding.kills, judged.occurrences, judged.sent, judged.skipped),
        *(judged.lost, judged.early, judged.planned_twice, judged.duplicated),
        *(_duration(each) for each in late),
        "holds" if finding.is_good else "**fails**",
    ]
    return f"| {' | '.join(map(str, cells))} |"


def _duration(microseconds: int) -> str:
    if microseconds < SECOND:
        return f"{microseconds / 1000:.1f} ms"
    return f"{microseconds / SECOND:.1f} s"


def _details(finding: Finding) -> list[str]:
    wrong = [*finding.failures, *finding.judgement.problems]
    more = [f"- … and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else []
    return [
        "",
        f"## {finding.scenario}",
        "",
        *(f"- {text}" for text in finding.observations),
        *(f"- **Wrong:** {text}" for text in wrong[:_SHOWN]),
        *more,
    ]
