"""`make hostile`: make the attacks, judge them, write the report."""

import argparse
import random
import shutil
import sys
import tempfile
import traceback
from pathlib import Path

import uvloop

from chaos import namespace
from chaos.stage import Stage
from hostile import (
    callers,
    endless,
    job_authors,
    long_work,
    operators,
    readers,
    targets,
    tenants,
)
from hostile.attack import Attack, Result
from hostile.report import objections, report, row

REPORT = Path("docs/proof/hostile.md")
PARTS: dict[str, dict[str, Attack]] = {
    "job_authors": job_authors.ATTACKS,
    "targets": targets.ATTACKS | endless.ATTACKS,
    "callers": callers.ATTACKS | readers.ATTACKS,
    "tenants": tenants.ATTACKS | long_work.ATTACKS,
    "operators": operators.ATTACKS,
}


def main() -> None:
    """Make the attacks that were asked for; exit with 1 if any got through."""
    chosen = _arguments()
    namespace.enter("hostile")
    print(f"seed {chosen.seed}", file=sys.stderr)
    results = {part: _play_part(part, chosen.only, chosen.seed) for part in PARTS}
    made = {part: found for part, found in results.items() if found}
    text = report(made, chosen.seed)
    if not chosen.only:
        REPORT.write_text(text)
    print(text)
    sys.exit(0 if all(each.holds for found in made.values() for each in found.values()) else 1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m hostile", description=__doc__)
    attacks = [name for attacks in PARTS.values() for name in attacks]
    known = f"{', '.join(PARTS)}, or of {', '.join(attacks)}"
    parser.add_argument("--only", type=_names, default=(), help=f"some of {known}")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    chosen = parser.parse_args()
    for name in chosen.only:
        if name not in (*PARTS, *attacks):
            parser.error(f"there is no attack {name!r}; give some of {known}")
    return chosen


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _play_part(part: str, only: list[str], seed: int) -> dict[str, Result]:
    return {
        name: _play(name, attack, seed)
        for name, attack in PARTS[part].items()
        if not only or part in only or name in only
    }


def _play(name: str, attack: Attack, seed: int) -> Result:
    folder = Path(tempfile.mkdtemp(prefix=f"hostile-{name}-"))
    try:
        result = uvloop.run(attack(Stage(name, seed, folder)))
    except Exception as error:  # noqa: BLE001  (the other attacks are still worth making)
        traceback.print_exc()
        result = Result.broken_off(f"{type(error).__name__}: {error}")
    print("\n".join([row(name, result), *objections(name, result)]), file=sys.stderr, flush=True)
    if result.holds:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"{name} gets through; the server's log is in {folder}", file=sys.stderr, flush=True)
    return result


if __name__ == "__main__":
    main()
