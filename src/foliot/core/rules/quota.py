"""Checks the limits of plans and quotas."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from msgspec import Struct

from foliot.core.errors import Conflict, Invalid, wrong
from foliot.core.instant import HOUR, SECOND, Instant, tell_length
from foliot.core.model.action import Action, HttpRequest, NoAuthentication, RetryPolicy
from foliot.core.model.collection import Collection, MaxRecurrence, Quota, Sku
from foliot.core.model.job import Definition, Job
from foliot.core.plurals import noun_after
from foliot.core.recurrence import MAX_INTERVAL, Timetable, nominal_length, smallest_gap


class PlanLimits(Struct, frozen=True, kw_only=True):
    """The limits of a plan."""

    max_jobs: int
    fastest: timedelta
    max_collections: int
    min_retry_ticks: int = 0
    allows_authentication: bool = True


_MINUTE = timedelta(minutes=1)

PLANS = {
    Sku.FREE: PlanLimits(
        max_jobs=5,
        fastest=timedelta(hours=1),
        max_collections=1,
        min_retry_ticks=HOUR,
        allows_authentication=False,
    ),
    Sku.STANDARD: PlanLimits(max_jobs=50, fastest=_MINUTE, max_collections=100),
    Sku.P10_PREMIUM: PlanLimits(max_jobs=50, fastest=_MINUTE, max_collections=10_000),
    Sku.P20_PREMIUM: PlanLimits(max_jobs=1000, fastest=_MINUTE, max_collections=10_000),
}

_NAMED_JOBS = 5


def check_quota(sku: Sku, quota: Quota | None) -> None:
    """Refuse a quota that would raise a limit of the plan; its path begins at the quota."""
    if quota is None:
        return
    plan = PLANS[sku]
    if quota.max_job_count is not None and not 1 <= quota.max_job_count <= plan.max_jobs:
        expected = f"a whole number from 1 to {plan.max_jobs}, the limit of the plan {sku}"
        raise wrong(("maxJobCount",), quota.max_job_count, expected)
    if quota.max_job_occurrence is not None and quota.max_job_occurrence < 1:
        expected = "a whole number of at least 1, or leave it out"
        raise wrong(("maxJobOccurrence",), quota.max_job_occurrence, expected)
    fastest = _fastest_of(quota)
    if fastest is not None and fastest < plan.fastest:
        raise Invalid(
            ("maxRecurrence",),
            f"every {_said(fastest)} is faster than the plan {sku} allows; "
            f"give {_said(plan.fastest)} or slower.",
        )


def check_recurrence(slowest: MaxRecurrence) -> None:
    """Refuse a fastest recurrence that is no recurrence; its path begins at maxRecurrence."""
    longest = MAX_INTERVAL[slowest.frequency]
    if slowest.interval is not None and not 1 <= slowest.interval <= longest:
        raise wrong(("interval",), slowest.interval, f"a whole number from 1 to {longest}")


def check_collection_count(sku: Sku, present: int, *, tells: bool) -> None:
    """Refuse one collection more than the plan allows; tell how many only who may see them."""
    most = PLANS[sku].max_collections
    if present >= most:
        count = f"; it has {present} already" if tells else ", and no more can be made"
        noun = noun_after(most, "collection")
        raise Conflict(f"The plan {sku} allows {most} {noun} in a subscription{count}.")


def check_job_count(collection: Collection, present: int, more: int = 1) -> None:
    """Refuse one job more than the collection may have, or several."""
    if present + more > max_jobs(collection):
        raise Conflict(
            f"The collection '{collection.key.name}' has {present} {noun_after(present, 'job')} "
            f"already and cannot take {'one' if more == 1 else more} more: "
            f"{job_limit(collection)}."
        )


def check_job(collection: Collection, new: Job, old: Job | None = None) -> None:
    """Refuse a job that goes over a limit of its collection, unless it did so before."""
    for problem in job_problems(collection, new, old):
        raise Conflict(problem)


def job_problems(collection: Collection, new: Job, old: Job | None = None) -> Iterator[str]:
    """Tell each limit of its collection that a job goes over, unless it did so before."""
    found = [*_problems(collection, new.definition, new.calendar_at)]
    # Most jobs have no problem, and to look at a job with many days off takes milliseconds.
    if found and old is not None:
        before = [*_problems(collection, old.definition, old.calendar_at)]
        found = [problem for problem in found if problem not in before]
    for problem in found:
        yield f"The job goes over a limit of its collection: {problem}."


def check_present_jobs(collection: Collection, names: Sequence[str]) -> None:
    """Refuse a plan or quota that allows fewer jobs than the collection has."""
    most = max_jobs(collection)
    if len(names) > most:
        raise Conflict(
            f"The collection has {len(names)} {noun_after(len(names), 'job')}, but "
            f"{job_limit(collection)}; "
            f"delete {len(names) - most} of them first, such as {listed(names[most:])}."
        )


def check_jobs(collection: Collection, jobs: Sequence[Job]) -> None:
    """Refuse a plan or quota that jobs of the collection would break."""
    broken = {
        job.name: problem
        for job in jobs
        for problem in _problems(collection, job.definition, job.calendar_at)
    }
    if broken:
        over = list(broken)
        raise Conflict(
            f"Jobs of the collection would go over its limits: {listed(over)}; "
            f"for '{over[0]}': {broken[over[0]]}."
        )


def max_jobs(collection: Collection) -> int:
    """Return how many jobs a collection may have."""
    most = PLANS[collection.sku].max_jobs
    quota = collection.quota
    return most if quota is None or quota.max_job_count is None else quota.max_job_count


def job_limit(collection: Collection) -> str:
    """Say what limits the jobs of a collection, and to how many."""
    most, plan = max_jobs(collection), PLANS[collection.sku]
    if most < plan.max_jobs:
        return f"its quota maxJobCount is {most}"
    return f"the plan {collection.sku} allows {most}"


def _problems(collection: Collection, definition: Definition, created: Instant) -> Iterator[str]:
    yield from _calendar_problems(collection, definition, created)
    yield from _action_problems(collection.sku, definition.action)
    if definition.action.error_action is not None:
        yield from _action_problems(collection.sku, definition.action.error_action)


def _calendar_problems(
    collection: Collection, definition: Definition, created: Instant
) -> Iterator[str]:
    rule = definition.recurrence
    if rule is None:
        return
    quota, allowed = collection.quota or Quota(), PLANS[collection.sku].fastest
    fastest = _fastest_of(quota) or allowed
    gap = smallest_gap(Timetable.of(rule, definition.start, created, definition.calendar_days))
    if gap is not None and gap < fastest:
        limit = "its quota maxRecurrence" if fastest > allowed else f"the plan {collection.sku}"
        yield (
            f"{limit} allows one run in {_said(fastest)}, and two runs would be {_said(gap)} apart"
        )
    most = quota.max_job_occurrence
    if most is not None and (rule.count is None or rule.count > most):
        asked = "no count" if rule.count is None else f"a count of {rule.count}"
        yield f"its quota maxJobOccurrence is {most}, and the job has {asked}"


def _action_problems(sku: Sku, action: Action) -> Iterator[str]:
    plan = PLANS[sku]
    if isinstance(action.part, HttpRequest) and not plan.allows_authentication:
        authentication = action.part.authentication
        if authentication is not None and not isinstance(authentication, NoAuthentication):
            yield f"the plan {sku} does not allow HTTP authentication"
    policy = action.retry_policy or RetryPolicy()
    pauses = {"retryInterval": policy.interval, "maxRetryInterval": policy.max_interval}
    for name, pause in pauses.items():
        if pause is not None and pause.ticks < plan.min_retry_ticks:
            yield f"the plan {sku} allows a {name} of 1 hour or more, not {pause.text}"


def _fastest_of(quota: Quota) -> timedelta | None:
    slowest = quota.max_recurrence
    return None if slowest is None else nominal_length(slowest.frequency, slowest.interval or 1)


def _said(length: timedelta) -> str:
    return tell_length(length // timedelta(microseconds=1) * SECOND // 1_000_000)


def listed(names: Sequence[str]) -> str:
    """Name a few, and tell how many more there are."""
    named = ", ".join(f"'{name}'" for name in names[:_NAMED_JOBS])
    more = len(names) - _NAMED_JOBS
    return f"{named} and {more} more" if more > 0 else named
