"""The HTTPS send API of service bus, as Microsoft documents it: it believes nothing unverified."""

import asyncio
import json
import re
from base64 import b64decode, b64encode
from datetime import datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from hmac import compare_digest, digest
from html import escape
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote_plus, unquote

from foliot.core.instant import Instant, instant_of
from tests.contract.dispatch.target import Received, Target, answer

KEY_NAME, KEY = "RootManageSharedAccessKey", "a2V5IG9mIGEgdGVzdA=="
# https://learn.microsoft.com/rest/api/servicebus/message-headers-and-properties
_BROKER = {
    **dict.fromkeys(
        (
            *("CorrelationId", "Label", "MessageId", "PartitionKey", "ReplyTo"),
            *("ReplyToSessionId", "SessionId", "To", "ViaPartitionKey"),
        ),
        str,
    ),
    "TimeToLive": float,
    "ScheduledEnqueueTimeUtc": parsedate_to_datetime,
}
_USUAL = {
    *("host", "accept", "accept-encoding", "user-agent", "content-length", "content-type"),
    *("authorization", "brokerproperties"),
}


class Message(NamedTuple):
    entity: str
    body: str
    content_type: str | None
    broker: dict[str, str | float | datetime]
    custom: dict[str, Any]


class Refusal(Exception):
    def __init__(self, status: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class Bus:
    """Queues and topics of a namespace, behind an HTTPS server."""

    def __init__(self, server: Target, now: Instant, *entities: str) -> None:
        self.messages: list[Message] = []
        self._server, self._now, self._entities = server, now, entities
        server.routes["*"] = self._respond

    async def _respond(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            self.messages.append(self._accepted(self._server.received[-1]))
        except Refusal as refusal:
            code = refusal.status.partition(" ")[0]
            body = f"<Error><Code>{code}</Code><Detail>{escape(str(refusal))}</Detail></Error>"
            writer.write(answer(refusal.status, body.encode(), Content_Type="application/xml"))
        else:
            writer.write(answer("201 Created", b""))
        await writer.drain()

    def _accepted(self, request: Received) -> Message:
        found = re.fullmatch(r"/(.+)/messages(?:\?.*)?", request.path)
        if request.method != "POST" or not found:
            raise Refusal("405 Method Not Allowed", "Not a send.")
        entity = unquote(found[1])
        self._verify(request.header("authorization") or "", self._server.url(f"/{found[1]}"))
        if entity not in self._entities:
            raise Refusal("404 Not Found", f"No such entity: {entity}.")
        return Message(
            entity,
            request.body.decode(),
            request.header("content-type"),
            _broker(request.header("brokerproperties") or "{}"),
            _custom(request.headers),
        )

    def _verify(self, token: str, resource: str) -> None:
        scheme, _, rest = token.partition(" ")
        parts = dict(parse_qsl(rest))
        if scheme != "SharedAccessSignature" or set(parts) != {"sr", "sig", "se", "skn"}:
            raise Refusal("401 Unauthorized", "MalformedToken: the token is malformed.")
        signed = f"{quote_plus(parts['sr'])}\n{parts['se']}".encode()
        expected = b64encode(digest(KEY.encode(), signed, sha256)).decode()
        if not compare_digest(parts["sig"], expected) or parts["skn"] != KEY_NAME:
            raise Refusal("401 Unauthorized", "InvalidSignature: The token is not valid.")
        if parts["sr"] != resource:
            raise Refusal("401 Unauthorized", "InvalidAudience: not for this entity.")
        if (
            int(parts["se"])
            <= (self._now - instant_of(datetime.fromisoformat("1970-01-01T00Z"))) / 1e7
        ):
            raise Refusal("401 Unauthorized", "ExpiredToken: The token is expired.")


def _broker(text: str) -> dict[str, Any]:
    given = json.loads(text)
    unknown = set(given) - set(_BROKER)
    if unknown:
        raise Refusal("400 Bad Request", f"Unknown properties: {unknown}.")
    return {name: _BROKER[name](value) for name, value in given.items()}


def _custom(headers: list[tuple[str, str]]) -> dict[str, Any]:
    """Read headers that hold values as JSON: a string has quotation marks, a number has none."""
    found = {}
    for name, text in headers:
        if name.lower() in _USUAL:
            continue
        try:
            found[name] = json.loads(text)
        except ValueError:
            detail = f"The value {text} of the HTTP header {name} is invalid."
            raise Refusal("400 Bad Request", detail) from None
    return found


def a_wrong_key() -> str:
    return b64encode(b64decode(KEY)[::-1]).decode()
