"""What is handed to whoever carries out an action, and what comes back."""

from msgspec import Struct

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.action import Action


class AttemptRequest(Struct, frozen=True, kw_only=True):
    """One attempt at an action, for one occurrence of a job.

    The tag is the same in every attempt of an occurrence, so that a target can tell repeats; the
    request id is new for each attempt.
    """

    action: Action
    collection: CollectionKey
    job: str
    region: str | None
    expected_at: Instant
    tag: str
    request_id: str


class Outcome(Struct, frozen=True, kw_only=True, tag=True):
    """How an attempt ended. A target may ask to be left alone for so many ticks."""

    succeeded: bool
    message: str
    retry_after: int | None = None


class NotSent(Struct, frozen=True, tag=True):
    """No attempt was made, for a reason on our side: the run is put back and keeps its tag.

    The reason may be one that concerns only where this attempt was to go.
    """

    reason: str
    is_of_destination: bool = False


class Attempt(Struct, frozen=True, kw_only=True):
    """What was tried and how it ended."""

    outcome: Outcome
    started_at: Instant
    ended_at: Instant
