"""The filters of job lists: read from an address or a form, written into one, and applied."""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from foliot.core.errors import Invalid
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


class JobFilter(Struct, frozen=True, kw_only=True):
    """Which jobs a list shows, in which order, and what is wrong with the search."""

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


def read_filter(fields: Form) -> JobFilter:
    """Read a filter; a value that no list offers is ignored."""
    search, problem = fields.get("q").strip(), ""
    terms: tuple[SearchTerm, ...] = ()
    try:
        terms = parse_search(search)
    except Invalid as refusal:
        problem = f"The search {refusal.problem}"
    return JobFilter(
        search=search,
        state=_one_of(fields.get("state"), STATES),
        outcome=_one_of(fields.get("outcome"), OUTCOMES),
        sort=_one_of(fields.get("sort"), SORTS),
        terms=terms,
        problem=problem,
    )


def filtered(jobs: Iterable[Job], job_filter: JobFilter) -> list[Job]:
    """Return the jobs that a filter leaves, in its order; none if the search has a problem."""
    if job_filter.problem:
        return []
    left = [job for job in jobs if _is_left(job, job_filter)]
    match job_filter.sort:
        case "next":
            return sorted(left, key=lambda job: job.next_at or LAST_TICK)
        case "last":
            return sorted(left, key=lambda job: -(job.last_execution_at or 0))
        case "failures":
            return sorted(left, key=lambda job: -job.failure_count)
        case _:
            return left


def _is_left(job: Job, job_filter: JobFilter) -> bool:
    return (
        job_filter.state in ("", job.state.value)
        and job_filter.outcome in ("", job.last_outcome)
        and (not job_filter.terms or matches(job, job_filter.terms))
    )


def _one_of(value: str, offered: Iterable[str]) -> str:
    return value if value in offered else ""
