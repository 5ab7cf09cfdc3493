"""How soon what a break interrupted was sent again.

A run that a dead node held waits for the end of its lease. If whoever takes it over dies before it
has sent it, it waits for one lease more, and no longer.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from chaos.facts import SECOND, Break, Delivery, written
from chaos.judge import Evidence, attempts_of, was_broken_off

LEASE_SECONDS = 15
BOUND = (LEASE_SECONDS + 5) * SECOND


class Waits(Struct, frozen=True):
    """The longest wait after a break, how many were hit by a second one, and what is overdue."""

    longest: int
    struck_twice: int
    problems: Sequence[str]


def waits(evidence: Evidence, delays: Sequence[int]) -> Waits:
    """Measure each attempt from its time, or from what broke off the one before.

    Delays are the moments at which a lease began to run out, or the database was there again.
    """
    longest, twice, problems = 0, 0, list[str]()
    for (job, expected), attempts in attempts_of(evidence.deliveries).items():
        for since, attempt in _sinces(expected, attempts, evidence.breaks):
            wait = attempt.arrived - since
            if wait > BOUND:
                again = [each for each in delays if since <= each <= since + BOUND]
                twice += 1
                wait = attempt.arrived - max(again, default=since)
                if wait > BOUND:
                    late = f"{wait / SECOND:.1f} s after the last break that could delay it"
                    problems.append(f"{job} at {written(expected)} was sent {late}")
            longest = max(longest, wait)
    return Waits(longest, twice, problems)


def _sinces(
    expected: int, attempts: Sequence[Delivery], breaks: Sequence[Break]
) -> Iterator[tuple[int, Delivery]]:
    since = expected
    for attempt in attempts:
        yield since, attempt
        broken = [each.at for each in breaks if was_broken_off(attempt, [each])]
        since = max(attempt.arrived, min(broken, default=0))
