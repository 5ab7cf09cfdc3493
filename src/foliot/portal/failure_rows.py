"""Groups of failures as pages show them, with the addresses of their runs."""

import hashlib
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from foliot.core.instant import Instant, format_instant
from foliot.core.model.failure import FailureGroup, FailureKind
from foliot.core.model.history import RunOutcome
from foliot.core.model.reason import Reason
from foliot.core.model.run import Trigger
from foliot.core.model.run_record import OpenRuns
from foliot.portal import urls
from foliot.portal.run_filters import NO_VALUE, RunQuery
from foliot.portal.run_rows import reason_words

_RUNS = "/runs"
RERUN_PATH: Final = "/failures/rerun"
RETRY_PATH: Final = "/runs/retry"
# The lists of runs that lead to a question about all of them, and to which it leads back.
OF_RUNS, OF_JOB = "runs", "job"
_NO_REASON = "No reason recorded"
_ID_BYTES = 6


class GroupRow(Struct, frozen=True):
    """A group with the filters that find its runs; `id` is the same as long as its kind is."""

    group: FailureGroup
    filters: Mapping[str, str]
    id: str

    @property
    def reason(self) -> str:
        """The reason, or that there is none; the status if all runs got the same."""
        reason = self.group.kind.reason
        code = self.group.status_code if reason == Reason.HTTP_STATUS else None
        return reason_words(reason, code) or _NO_REASON

    @property
    def host(self) -> str:
        """The host, or nothing."""
        return self.group.kind.host

    @property
    def runs_address(self) -> str:
        """The list of its failed runs."""
        return urls.with_query(_RUNS, **{**self.filters, "outcome": RunOutcome.FAILED.value})

    @property
    def reruns_address(self) -> str:
        """The list of the runs that were made again.

        Neither reason nor host are in it: a rerun that waits or succeeded has no reason.
        """
        only = self.group.only_job
        of = {} if only is None else {"collection": urls.key_text(only.key), "job": only.name}
        return reruns_address({**self.filters, **of}, self.group.first_at)

    @property
    def recovered_address(self) -> str:
        """The list of the runs that recovered: these have no reason."""
        recovered = {**self.filters, "outcome": RunOutcome.RECOVERED.value, "reason": ""}
        return urls.with_query(_RUNS, **recovered)

    @property
    def retried_address(self) -> str:
        """The list of the runs that wait for a retry: they are open, whatever the period."""
        return retried_address(self.filters)

    @property
    def retry_address(self) -> str:
        """The question whether the runs that wait for a retry are to be retried."""
        return urls.with_query(RETRY_PATH, **self.filters)


def retried_address(filters: Mapping[str, str]) -> str:
    """Return the list of the runs that pass filters, have failed and wait for a retry."""
    rest = {"since": "", "until": "", "outcome": OpenRuns.RETRIED.value}
    return urls.with_query(_RUNS, **{**filters, **rest})


def reruns_address(filters: Mapping[str, str], since: Instant) -> str:
    """Return the list of runs that were made again and are open, or ended since an instant."""
    return urls.with_query(
        _RUNS,
        since=format_instant(since),
        trigger=Trigger.REDRIVE.value,
        collection=filters.get("collection", ""),
        job=filters.get("job", ""),
    )


def rerun_address(query: RunQuery, of_list: str) -> str:
    """Return the question whether all failed runs of a list are to be made again."""
    return _question_address(query, RERUN_PATH, of_list, outcome="")


def retry_address(query: RunQuery, of_list: str) -> str:
    """Return the question whether all runs of a list that wait for a retry are to be retried."""
    return _question_address(query, RETRY_PATH, of_list)


def _question_address(query: RunQuery, path: str, of_list: str, **changes: str) -> str:
    key = query.of.key
    collection = "" if key is None else urls.key_text(key)
    of = {"collection": collection, "job": query.of.job or "", "list": of_list}
    return query.address(path, **of, **changes)


def list_address(
    query: RunQuery, of_list: str, otherwise: str, outcome: str = RunOutcome.FAILED.value
) -> str:
    """Return the list that led to the question, or another page with the same filters."""
    key, job = query.of.key, query.of.job
    if of_list == OF_RUNS:
        return query.address(_RUNS, outcome=outcome)
    if of_list == OF_JOB and key is not None and job is not None:
        path = urls.job(key, job, "runs")
        return query.address(path, outcome=outcome, collection="", job="")
    return query.address(otherwise)


def group_row(group: FailureGroup, given: Mapping[str, str]) -> GroupRow:
    """Return the row of a group among those that pass the filters of a page."""
    return GroupRow(group, {**given, **kind_filters(group.kind)}, _id_of(group.kind))


def kind_filters(kind: FailureKind) -> dict[str, str]:
    """Return the filters that allow only runs of a kind."""
    return {"reason": kind.reason or NO_VALUE, "host": kind.host or NO_VALUE}


def kind_of(reason: str, host: str) -> FailureKind:
    """Return the kind that a form names."""
    return FailureKind(*("" if part == NO_VALUE else part for part in (reason, host)))


def _id_of(kind: FailureKind) -> str:
    text = "\n".join(kind).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=_ID_BYTES).hexdigest()
