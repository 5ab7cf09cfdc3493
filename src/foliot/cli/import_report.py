"""The report of an import: what becomes what, what changes, what is left out, what to set."""

from collections.abc import Iterator, Sequence

from foliot.cli.imported_jobs import CheckedImport, CheckedJob
from foliot.core.json_text import Json
from foliot.core.plurals import how_many
from foliot.importers import LeftOut


def write_report(checked: CheckedImport) -> str:
    """Write the report as text."""
    parts = [
        _summary(checked),
        *_section("Becomes a job", _jobs(checked.jobs)),
        *_section("Changes meaning", checked.result.notes),
        *_section("Is not taken over", _left_out(checked.result.left_out)),
        *_section("Set before the file is applied", _needed(checked.jobs)),
    ]
    return "\n".join(parts) + "\n"


def _summary(checked: CheckedImport) -> str:
    jobs, left_out = len(checked.jobs), len(checked.result.left_out)
    names = [each.key.name for each in checked.result.collections]
    into = f" in {', '.join(names)}" if names else ""
    return f"{how_many(jobs, 'job')}{into}; {left_out} not taken over."


def _section(title: str, lines: Sequence[str] | Iterator[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield ""
        yield title
        yield from (f"  {each}" for each in found)


def _jobs(jobs: Sequence[CheckedJob]) -> Iterator[str]:
    for checked in jobs:
        job = checked.job
        yield f"{job.name} ({job.origin})"
        yield f"  {_action(job.properties)}"
        state = " (disabled)" if _is_disabled(job.properties) else ""
        yield f"  {checked.sentence}{state}"
        yield f"  next: {', '.join(checked.times)}"
        yield from (f"  note: {note}" for note in job.notes)


def _action(properties: dict[str, Json]) -> str:
    """Say in a line what a job does."""
    action = _object(properties, "action")
    request = _object(action, "request")
    if request:
        return f"{request.get('method')} {request.get('uri')}"
    return f"{action.get('type')} message"


def _is_disabled(properties: dict[str, Json]) -> bool:
    return f"{properties.get('state')}".lower() == "disabled"


def _object(value: dict[str, Json], name: str) -> dict[str, Json]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _left_out(left_out: Sequence[LeftOut]) -> Iterator[str]:
    for each in left_out:
        yield f"{each.origin}: {each.reason}"


def _needed(jobs: Sequence[CheckedJob]) -> Iterator[str]:
    shown: set[str] = set()
    for checked in jobs:
        for each in checked.job.needed:
            if each.placeholder not in shown:
                shown.add(each.placeholder)
                yield f"{each.placeholder}: {each.meaning} ({checked.job.name})"
