"""`make chaos`: play the scenarios, judge them, write the report."""

import argparse
import random
import shutil
import sys
import tempfile
import traceback
from pathlib import Path

import uvloop

from chaos import namespace
from chaos.report import report, summary
from chaos.scenarios import SCENARIOS
from chaos.stage import Finding, Stage

REPORT = Path("docs/proof/chaos.md")


def main() -> None:
    """Play what was asked for; exit with 1 if anything did not hold."""
    chosen = _arguments()
    namespace.enter()
    names = chosen.only.split(",") if chosen.only else list(SCENARIOS)
    print(f"seed {chosen.seed}", file=sys.stderr)
    findings = [_play(name, chosen.seed) for name in names]
    text = report(findings, chosen.seed)
    if not chosen.only:
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(text)
    print(text)
    sys.exit(0 if all(finding.is_good for finding in findings) else 1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m chaos", description=__doc__)
    parser.add_argument("--only", default="", help=f"of {', '.join(SCENARIOS)}; writes no file")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    chosen = parser.parse_args()
    for name in filter(None, chosen.only.split(",")):
        if name not in SCENARIOS:
            parser.error(f"there is no scenario {name!r}; give one of {', '.join(SCENARIOS)}")
    return chosen


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
