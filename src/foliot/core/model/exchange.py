"""What was sent and received in the test of a job, as it is shown: without secrets."""

from msgspec import Struct

# How much of a response's body is shown.
SHOWN_BYTES = 64 * 1024

Headers = tuple[tuple[str, str], ...]


class ShownRequest(Struct, frozen=True, kw_only=True):
    """A request as it was sent; a message over AMQP has no method."""

    method: str | None
    uri: str
    headers: Headers
    body: str | None = None


class ShownResponse(Struct, frozen=True, kw_only=True):
    """A response as it was received; `is_cut` if its body is longer than is shown."""

    status_code: int
    headers: Headers
    body: str
    is_cut: bool = False


class Timings(Struct, frozen=True, kw_only=True):
    """Seconds from the begin of a request until each step was done; None if there was none.

    A connection that was open already took no time to connect.
    """

    name_lookup: float | None = None
    connect: float | None = None
    tls: float | None = None
    first_byte: float | None = None
    total: float


class Exchange(Struct, frozen=True, kw_only=True):
    """The first request of an attempt, where redirects led, and the last response with its times.

    A request without a response has none.
    """

    request: ShownRequest
    redirects: tuple[str, ...] = ()
    response: ShownResponse | None = None
    timings: Timings | None = None
