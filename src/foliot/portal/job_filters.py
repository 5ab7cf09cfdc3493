"""The filters of job lists: read from an address or a form, written into one, and applied."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec import Struct

from foliot.core.errors import Invalid, shown
from foliot.core.ids import JobId
from foliot.core.instant import LAST_TICK
from foliot.core.model.job import Job, JobState
from foliot.core.model.job_search import SearchTerm
from foliot.core.model.run_outcome import RunOutcome
from foliot.core.rules.job_search import matches, parse_search
from foliot.portal.forms.posted import Form

SORTS: Final = {
    "": "Name",
    "next": "Next run",
    "last": "Last run",
    "failures": "Most failures",
}
STATES: Final = [each.value for each in JobState]
# A job's last outcome is never that of a skipped occurrence.
OUTCOMES: Final = [each.value for each in RunOutcome if each is not RunOutcome.SKIPPED]
_OFFERED: Final = {"state": STATES, "outcome": OUTCOMES}


class JobFilter(Struct, frozen=True, kw_only=True):
    """Which jobs a list shows, in which order, and what is wrong with it."""

    search: str = ""
    state: str = ""
    outcome: str = ""
    sort: str = ""
    terms: tuple[SearchTerm, ...] = ()
    problem: str = ""

    @property
    def filters(self) -> Mapping[str, str]:
        """The filter as query parameters."""
        return {"q": self.search, "state": self.state, "outcome": self.outcome, "sort": self.sort}

    @property
    def matches_all(self) -> bool:
        """Whether the filter leaves no job out."""
        return not (self.search or self.state or self.outcome)

    @property
    def asks_for_failed(self) -> bool:
        """Whether jobs are wanted whose last run failed, or one of whose runs is retried."""
        return self.outcome == RunOutcome.FAILED


def read_filter(fields: Form) -> JobFilter:
    """Read a filter; a state or an outcome that there is not is told, and kept.

    An order that no list offers is that by name.
    """
    search, problems = fields.get("q").strip(), list[str]()
    terms: tuple[SearchTerm, ...] = ()
    try:
        terms = parse_search(search)
    except Invalid as refusal:
        problems.append(f"The search {refusal.problem}")
    for name, offered in _OFFERED.items():
        if (given := fields.get(name)) and given not in offered:
            names = ", ".join(offered)
            problems.append(f"{name}: {shown(given)} is not valid; give one of {names}.")
    return JobFilter(
        search=search,
        state=fields.get("state"),
        outcome=fields.get("outcome"),
        sort=fields.get("sort") if fields.get("sort") in SORTS else "",
        terms=terms,
        problem=" ".join(problems),
    )


def filtered(jobs: Iterable[Job], job_filter: JobFilter, retried: AbstractSet[JobId]) -> list[Job]:
    """Return the jobs that a filter leaves, in its order; none if the filter has a problem.

    `retried` are the jobs with runs that have failed and are retried: they count as failed too.
    """
    if job_filter.problem:
        return []
    left = [job for job in jobs if _is_left(job, job_filter, retried)]
    match job_filter.sort:
        case "next":
            return sorted(left, key=lambda job: job.next_at or LAST_TICK)
        case "last":
            return sorted(left, key=lambda job: -(job.last_execution_at or 0))
        case "failures":
            return sorted(left, key=lambda job: -job.failure_count)
        case _:
            return left


def _is_left(job: Job, job_filter: JobFilter, retried: AbstractSet[JobId]) -> bool:
    fails_now = job_filter.asks_for_failed and job.id in retried
    return (
        job_filter.state in ("", job.state.value)
        and (fails_now or job_filter.outcome in ("", job.last_outcome))
        and (not job_filter.terms or matches(job, job_filter.terms))
    )
