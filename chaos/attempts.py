"""Whether each occurrence that has begun went on to its end: to success, or to its last attempt."""

from collections import defaultdict
from collections.abc import Iterator

from chaos.facts import Calendar, Recorded, written
from chaos.judge import Evidence, attempts_of


def begun(calendar: Calendar, evidence: Evidence) -> Calendar:
    """Return what of a calendar was sent or recorded: what was off meanwhile need not be."""
    seen = {(each.job, each.expected) for each in evidence.deliveries}
    seen |= {(job, entry.expected) for job, told in evidence.told.items() for entry in told.history}
    return {job: [time for time in times if (job, time) in seen] for job, times in calendar.items()}


def broken_off(evidence: Evidence, most_attempts: int) -> Iterator[str]:
    """Name occurrences whose last attempt failed although another one was owed."""
    recorded: defaultdict[tuple[str, int], list[Recorded]] = defaultdict(list)
    for job, told in evidence.told.items():
        for entry in told.history:
            if entry.status != "postponed":
                recorded[job, entry.expected].append(entry)
    for (job, expected), attempts in attempts_of(evidence.deliveries).items():
        entries = sorted(recorded[job, expected], key=lambda entry: entry.ended)
        if len(attempts) < most_attempts and (not entries or entries[-1].status != "completed"):
            made = f"{len(attempts)} of {most_attempts} attempts"
            yield f"{job} at {written(expected)} was broken off after {made}"
