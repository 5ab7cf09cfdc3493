"""The text of a storage queue's message: what a job says, or that in an envelope with its facts."""

import re
from base64 import b64encode

from foliot.core.instant import format_instant
from foliot.core.model.action import QueueMessage
from foliot.core.model.attempt import AttemptRequest

# https://learn.microsoft.com/rest/api/storageservices/put-message
MAX_MESSAGE_BYTES = 64 * 1024

ENVELOPE = "envelope"

# Everything but what XML 1.0 calls a character (https://www.w3.org/TR/xml/#charsets).
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENVELOPE = (
    '<?xml version="1.0" encoding="utf-8"?>'
    '<StorageQueueMessage xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    ' xmlns:xsd="http://www.w3.org/2001/XMLSchema">{}</StorageQueueMessage>'
)


def uncarriable(text: str) -> str | None:
    """Return the first character that XML cannot carry, as its code point."""
    found = _NOT_IN_XML.search(text)
    return None if found is None else f"U+{ord(found[0]):04X}"


def escaped(text: str) -> str:
    """Write text as XML; a carriage return by its number, or readers would drop it."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#xD;")


def queue_text(message: QueueMessage, request: AttemptRequest) -> str:
    """Return what a queue is to keep."""
    if message.format != ENVELOPE:
        return message.message
    return _sealed(
        ExecutionTag=request.tag,
        ClientRequestId=request.request_id,
        ExpectedExecutionTime=format_instant(request.expected_at),
        SchedulerJobId=request.job,
        SchedulerJobCollectionId=request.collection.name,
        Region=_NOT_IN_XML.sub(" ", request.region or ""),
        Message=message.message,
    )


def least_bytes(message: QueueMessage) -> int:
    """Return how many bytes a queue keeps at least, whichever run the message is for."""
    text = _sealed(Message=message.message) if message.format == ENVELOPE else message.message
    return len(text.encode())


def _sealed(**fields: str) -> str:
    """Return an envelope in base64, as readers of the old service's messages expect it."""
    content = "".join(f"<{name}>{escaped(text)}</{name}>" for name, text in fields.items())
    return b64encode(_ENVELOPE.format(content).encode()).decode()
