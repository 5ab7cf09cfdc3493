"""The text of a storage queue's message: the job's own, or in the old service's envelope."""

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
    """Return the code point of the first character that XML does not allow, if there is one."""
    found = _NOT_IN_XML.search(text)
    return None if found is None else f"U+{ord(found[0]):04X}"


def escaped(text: str) -> str:
    """Escape text for XML, also carriage returns, which XML parsers would drop."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#xD;")


def queue_text(message: QueueMessage, request: AttemptRequest) -> str:
    """Return the text of the message."""
    if message.format != ENVELOPE:
        return message.message
    return _envelope(
        ExecutionTag=request.tag,
        ClientRequestId=request.request_id,
        ExpectedExecutionTime=format_instant(request.expected_at),
        SchedulerJobId=request.job,
        SchedulerJobCollectionId=request.collection.name,
        Region=_NOT_IN_XML.sub(" ", request.region or ""),
        Message=message.message,
    )


def least_bytes(message: QueueMessage) -> int:
    """Return the smallest number of bytes that the message has in any run."""
    text = _envelope(Message=message.message) if message.format == ENVELOPE else message.message
    return len(text.encode())


def _envelope(**fields: str) -> str:
    """Return an envelope in base64, as readers of the old service's messages expect."""
    content = "".join(f"<{name}>{escaped(text)}</{name}>" for name, text in fields.items())
    return b64encode(_ENVELOPE.format(content).encode()).decode()
