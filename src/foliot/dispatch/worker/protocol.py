"""The messages between the server and its worker process, as msgpack.

Each request and each reply carries the number that the client gave the request. An empty list is a
heartbeat: the client asks whether the worker is alive, and the worker answers with another one. The
worker also sends one when it is ready. A number without a request aborts its attempt.
"""

from msgspec import Struct, msgpack

from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome


class Broken(Struct, frozen=True, tag=True):
    """An attempt raised an exception of this kind: a fault of ours, which is in the log."""

    kind: str


Reply = Outcome | NotSent | Broken

write_requests = msgpack.Encoder().encode
read_requests = msgpack.Decoder(list[tuple[int, AttemptRequest | None]]).decode
write_replies = msgpack.Encoder().encode
read_replies = msgpack.Decoder(list[tuple[int, Reply]]).decode

HEARTBEAT = write_requests([])
