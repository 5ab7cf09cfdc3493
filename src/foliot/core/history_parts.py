"""Reads the messages of history: the response of an attempt, or why there was none."""

import re

from msgspec import Struct

from foliot.core.model.exchange import Headers

_RESPONSE = re.compile(
    r"Http Action - Response from host '(?P<host>[^']*)': '(?P<status>[^']*)' "
    r"(?:Expectation failed: (?P<problem>.*?) )?Response Headers: "
    r"(?P<headers>|(?:.*?\r\n)) Body: (?P<body>.*)",
    re.DOTALL,
)
_FAILURE = re.compile(
    r"\w+ Action - (?:Request|Message) to .*? failed: (?P<name>\S+) (?P<text>.*)", re.DOTALL
)
_DELIVERY = re.compile(r"\w+ Action - Message to .* succeeded: '(?P<status>[^']*)'", re.DOTALL)


class ReceivedResponse(Struct, frozen=True, kw_only=True):
    """A response as history has it: the name of its status, headers, the beginning of its body.

    `problem` says what the job expects, and the response is not.
    """

    host: str
    status_name: str
    problem: str | None
    headers: Headers
    body: str

    def header(self, name: str) -> str | None:
        """Return the first value of a header; its name is in lower case."""
        return next((value for each, value in self.headers if each.lower() == name), None)


class FailureDetails(Struct, frozen=True):
    """Why there was no response that counts: a name, and a sentence."""

    name: str
    text: str


class AcceptedMessage(Struct, frozen=True):
    """A message that a queue or topic accepted, and how."""

    status_name: str


class HistoryNote(Struct, frozen=True):
    """Any other message, such as that of a skipped occurrence."""

    text: str


HistoryDetails = ReceivedResponse | FailureDetails | AcceptedMessage | HistoryNote


def read_message(message: str) -> HistoryDetails:
    """Return what a message tells; `dispatch` and `core/history_text` write them."""
    if found := _RESPONSE.fullmatch(message):
        return ReceivedResponse(
            host=found["host"],
            status_name=found["status"],
            problem=found["problem"],
            headers=_headers(found["headers"]),
            body=found["body"],
        )
    if found := _FAILURE.fullmatch(message):
        return FailureDetails(found["name"], found["text"])
    if found := _DELIVERY.fullmatch(message):
        return AcceptedMessage(found["status"])
    return HistoryNote(message)


def _headers(lines: str) -> Headers:
    parts = (line.partition(":") for line in lines.split("\r\n") if line)
    return tuple((name.strip(), value.strip()) for name, _, value in parts)
