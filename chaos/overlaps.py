"""Whether the runs of a job overlapped at the sink: what is told by their tags and times."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from chaos.facts import Break, Delivery, written
from chaos.judge import was_broken_off


def overlaps(deliveries: Sequence[Delivery], breaks: Sequence[Break]) -> Iterator[str]:
    """Name runs of a job of which one began while another was open.

    A run is open from its first attempt to the answer of its last one; an attempt of a node that
    broke down ends with the node.
    """
    of_jobs: defaultdict[str, list[Delivery]] = defaultdict(list)
    for delivery in sorted(deliveries, key=lambda each: each.arrived):
        of_jobs[delivery.job].append(delivery)
    for job, attempts in of_jobs.items():
        yield from _interleaved(job, attempts)
        yield from _beside_each_other(job, attempts, breaks)


def _interleaved(job: str, attempts: Sequence[Delivery]) -> Iterator[str]:
    """Name runs whose attempts stand among those of another run."""
    ended: set[str] = set()
    for before, after in pairwise(attempts):
        if before.tag != after.tag:
            ended.add(before.tag)
        if after.tag in ended:
            yield f"{job} at {written(after.expected)} went on after another run had begun"


def _beside_each_other(
    job: str, attempts: Sequence[Delivery], breaks: Sequence[Break]
) -> Iterator[str]:
    for before, after in pairwise(attempts):
        if before.tag == after.tag or was_broken_off(before, breaks):
            continue
        if before.answered is None or before.answered > after.arrived:
            yield f"{job} at {written(after.expected)} began while another run was open"
