"""`make chaos`: play the scenarios, judge them, write the report."""

import argparse
import random
import shutil
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

import uvloop

from chaos import namespace
from chaos.groups import GROUPS, SCENARIOS, Group
from chaos.report import report, summary
from chaos.stage import Finding, Stage


def main() -> None:
    """Play what was asked for; exit with 1 if anything did not hold."""
    chosen = _arguments()
    namespace.enter()
    print(f"seed {chosen.seed}", file=sys.stderr)
    results = [_play_group(group, chosen.only, chosen.seed) for group in GROUPS]
    sys.exit(0 if all(results) else 1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m chaos", description=__doc__)
    groups = [group.only for group in GROUPS]
    known = f"{', '.join(groups)}, or of {', '.join(SCENARIOS)}, which write no file"
    parser.add_argument("--only", type=_names, default=(), help=f"some of {known}")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    chosen = parser.parse_args()
    for name in chosen.only:
        if name not in (*groups, *SCENARIOS):
            parser.error(f"there is no scenario {name!r}; give some of {known}")
    return chosen


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _play_group(group: Group, only: Sequence[str], seed: int) -> bool:
    """Play what was asked for of a group; a whole one writes its report. Tell whether it held."""
    is_whole = not only or group.only in only
    names = [name for name in group.scenarios if is_whole or name in only]
    if not names:
        return True
    findings = [_play(name, seed) for name in names]
    text = report(group, findings, seed)
    if is_whole:
        group.report.parent.mkdir(exist_ok=True)
        group.report.write_text(text)
    print(text)
    return all(finding.is_good for finding in findings)


def _play(name: str, seed: int) -> Finding:
    folder = Path(tempfile.mkdtemp(prefix=f"chaos-{name}-"))
    try:
        finding = uvloop.run(SCENARIOS[name](Stage(name, seed, folder)))
    except Exception as error:  # noqa: BLE001  (the other scenarios are still worth playing)
        traceback.print_exc()
        finding = Finding.broken_off(name, f"{type(error).__name__}: {error}")
    print(summary(finding), file=sys.stderr)
    if finding.is_good:
        shutil.rmtree(folder)
    else:
        print(f"{name} fails; the server's log is in {folder}", file=sys.stderr)
    return finding


if __name__ == "__main__":
    main()
