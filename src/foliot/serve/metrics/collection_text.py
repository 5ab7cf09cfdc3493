"""The metrics of collections as text, from this node's counters and the store's figures.

A hundred collections have three thousand lines. The families of prometheus-client would take 45 ms
for them, in which the event loop does nothing else; these take a tenth.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from foliot.core.instant import SECOND, UNIX_EPOCH, Instant
from foliot.core.model.history import AttemptStatus
from foliot.core.model.job import JobState
from foliot.core.model.job_figures import JobFigures
from foliot.core.model.run_outcome import RunOutcome
from foliot.serve.metrics.by_collection import CollectionCounters, CountersByCollection
from foliot.serve.metrics.job_figures import StoredFigures, latest, together

_RUNS: Final = "foliot_collection_runs_total"
_ATTEMPTS: Final = "foliot_collection_attempts_total"
_LATENESS: Final = "foliot_collection_lateness_seconds"
_DURATION: Final = "foliot_collection_run_duration_seconds"
_JOBS: Final = "foliot_collection_jobs"
_FAILING: Final = "foliot_collection_failing_jobs"
_IN_A_ROW: Final = "foliot_collection_consecutive_failures"
_LAST_SUCCESS: Final = "foliot_collection_last_success_timestamp_seconds"

_JobsByName = Mapping[str, Mapping[JobState, JobFigures]]


def collection_text(counters: CountersByCollection, stored: StoredFigures | None) -> str:
    """Return the metrics of collections; those of jobs only if the store has told them."""
    counted = {_label(name): each for name, each in counters.by_name()}
    jobs: _JobsByName = {} if stored is None else _by_name(counters, stored.jobs)
    lines = [*_run_lines(counted), *_job_lines(jobs), *_success_lines(counted, jobs)]
    return "".join(f"{line}\n" for line in lines)


def _run_lines(counted: Mapping[str, CollectionCounters]) -> Iterator[str]:
    yield from _header(_RUNS, "counter", "Runs that have ended.")
    for label, each in counted.items():
        yield f'{_RUNS}{{{label},outcome="{RunOutcome.SUCCEEDED}"}} {each.succeeded}'
        yield f'{_RUNS}{{{label},outcome="{RunOutcome.RECOVERED}"}} {each.recovered}'
        yield f'{_RUNS}{{{label},outcome="{RunOutcome.FAILED}"}} {each.given_up}'
    yield from _header(_ATTEMPTS, "counter", "Attempts in history.")
    for label, each in counted.items():
        yield f'{_ATTEMPTS}{{{label},outcome="{AttemptStatus.COMPLETED}"}} {each.completed}'
        yield f'{_ATTEMPTS}{{{label},outcome="{AttemptStatus.FAILED}"}} {each.failed}'
    yield from _header(_LATENESS, "histogram", "From planned to the first attempt.")
    for label, each in counted.items():
        yield from each.lateness.lines(_LATENESS, label)
    yield from _header(_DURATION, "histogram", "From planned to the end of the run.")
    for label, each in counted.items():
        yield from each.run_duration.lines(_DURATION, label)


def _by_name(counters: CountersByCollection, jobs: Iterable[JobFigures]) -> _JobsByName:
    found: dict[str, dict[JobState, JobFigures]] = {}
    for each in jobs:
        of_name = found.setdefault(_label(counters.name(each.collection_id)), {})
        before = of_name.get(each.state)
        of_name[each.state] = each if before is None else together(before, each)
    return found


def _job_lines(jobs: _JobsByName) -> Iterator[str]:
    yield from _header(_JOBS, "gauge", "Jobs in a state.")
    for label, states in jobs.items():
        for state in JobState:
            found = states.get(state)
            count = 0 if found is None else found.count
            yield f'{_JOBS}{{{label},state="{state}"}} {count}'
    enabled = {label: states.get(JobState.ENABLED) for label, states in jobs.items()}
    yield from _header(_FAILING, "gauge", "Enabled jobs whose last run failed.")
    for label, found in enabled.items():
        yield f"{_FAILING}{{{label}}} {0 if found is None else found.failing}"
    yield from _header(_IN_A_ROW, "gauge", "The most runs of an enabled job that failed in a row.")
    for label, found in enabled.items():
        yield f"{_IN_A_ROW}{{{label}}} {0 if found is None else found.most_failures}"


def _success_lines(counted: Mapping[str, CollectionCounters], jobs: _JobsByName) -> Iterator[str]:
    yield from _header(_LAST_SUCCESS, "gauge", "When a run last succeeded.")
    for label in dict.fromkeys([*counted, *jobs]):
        at = counted[label].succeeded_at if label in counted else None
        for found in jobs.get(label, {}).values():
            at = latest(at, found.succeeded_at)
        if at is not None:
            yield f"{_LAST_SUCCESS}{{{label}}} {_seconds(at)}"


def _header(name: str, kind: str, meaning: str) -> tuple[str, str]:
    return f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"


def _label(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
    return f'collection="{escaped}"'


def _seconds(at: Instant) -> float:
    return (at - UNIX_EPOCH) / SECOND
