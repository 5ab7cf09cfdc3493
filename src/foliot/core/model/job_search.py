"""A search for jobs: the terms that a user typed, and what jobs are searched by."""

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from foliot.core.ids import CollectionKey, JobId
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job, JobState
from foliot.core.model.run_outcome import RunOutcome


class SearchField(StrEnum):
    """What a term is compared with; `any` is everything that a job is searched by."""

    ANY = "any"
    NAME = "name"
    HOST = "host"
    TYPE = "type"
    TAG = "tag"
    SCHEDULE = "schedule"
    STATE = "state"


class SearchTerm(Struct, frozen=True):
    """A word or phrase in lower case, and what it is compared with."""

    field: SearchField
    text: str


class SearchWords(Struct, frozen=True):
    """What all jobs are searched by, in lower case; it is stored in clear and has no secret."""

    name: str
    host: str
    words: str


class JobPosition(NamedTuple):
    """The place of a job in a list by name."""

    folded_name: str
    job_id: JobId


class JobSearch(Struct, frozen=True, kw_only=True):
    """Which jobs are wanted; an empty part of the search matches all.

    `outcome` is that of the last run, `prefix` how the names begin, `after` the last job seen.
    """

    terms: tuple[SearchTerm, ...] = ()
    state: JobState | None = None
    outcome: RunOutcome | None = None
    prefix: str = ""
    after: JobPosition | None = None


class FoundJob(Struct, frozen=True, kw_only=True):
    """A job that matches; `job` is None if this node cannot read its definition."""

    position: JobPosition
    collection: Collection
    name: str
    state: JobState
    host: str
    job: Job | None


class FoundHost(NamedTuple):
    """A host that jobs send to, and how many jobs do."""

    host: str
    jobs: int


class AlertName(NamedTuple):
    """An alert by name."""

    key: CollectionKey
    name: str
