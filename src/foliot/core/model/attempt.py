"""An attempt: the request to a dispatcher, its outcome, and both with their times."""

from msgspec import Struct

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.action import Action
from foliot.core.model.exchange import Exchange
from foliot.core.model.reason import Reason


class AttemptRequest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One attempt at an action, for one occurrence of a job.

    The tag is the same in every attempt of an occurrence, so that a target can tell repeats; the
    request id is new for each attempt. Without a timeout of its own it has the server's. A test is
    made once, whatever happens, and its outcome tells what was sent and received. The headers of a
    trace tell the target to which trace the attempt belongs.
    """

    action: Action
    collection: CollectionKey
    job: str
    region: str | None
    expected_at: Instant
    tag: str
    request_id: str
    timeout_seconds: float | None = None
    is_test: bool = False
    trace_headers: dict[str, str] | None = None


class Outcome(Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """How an attempt ended. `retry_after` are the ticks for which the target asks to wait.

    A failure has a reason. Host and status are those of the last response, or of the last request
    that got none. `timings` is the text of `rules/timings_text`: how long the steps of the last
    request took. Only a test has an exchange.
    """

    succeeded: bool
    message: str
    retry_after: int | None = None
    reason: Reason | None = None
    host: str | None = None
    status_code: int | None = None
    timings: str | None = None
    exchange: Exchange | None = None


class NotSent(Struct, frozen=True, tag=True):
    """No attempt was made, for a reason on this node's side: the run is re-queued with its tag.

    With `is_of_destination`, the reason concerns the destination of this attempt only.
    """

    reason: str
    is_of_destination: bool = False


class Attempt(Struct, frozen=True, kw_only=True):
    """The outcome of an attempt, with its begin and end."""

    outcome: Outcome
    started_at: Instant
    ended_at: Instant


class Expired(Struct, frozen=True):
    """A run whose first attempt was not made: it could not begin in time."""

    ended_at: Instant
