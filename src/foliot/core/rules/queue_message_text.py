"""The text of a storage queue's message: the job's own, or in the old service's envelope."""

import re
from base64 import b64encode
from uuid import UUID

from foliot.core.errors import Invalid, Path
from foliot.core.instant import Instant, format_instant
from foliot.core.job_defaults import ENVELOPE
from foliot.core.model.action import Action, QueueMessage
from foliot.core.model.attempt import AttemptRequest
from foliot.core.model.job import Definition

# https://learn.microsoft.com/rest/api/storageservices/put-message
MAX_MESSAGE_BYTES = 64 * 1024

# Everything but what XML 1.0 calls a character (https://www.w3.org/TR/xml/#charsets).
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# As the old service's serializer wrote it into a string, indented and named after the encoding of
# strings; consumers decode base64 and UTF-8, and parse a string again. A queue message of it is in
# https://thuru.net/2014/04/04/windows-azure-scheduler/ and in comments of its consumers.
_ENVELOPE = (
    '<?xml version="1.0" encoding="utf-16"?>\r\n'
    '<StorageQueueMessage xmlns:xsd="http://www.w3.org/2001/XMLSchema"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\r\n'
    "{}</StorageQueueMessage>"
)


def uncarriable(text: str) -> str | None:
    """Return the code point of the first character that XML does not allow, if there is one."""
    found = _NOT_IN_XML.search(text)
    return None if found is None else f"U+{ord(found[0]):04X}"


def escaped(text: str) -> str:
    """Escape text for XML, also carriage returns, which XML parsers would drop."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#xD;")


def queue_text(message: QueueMessage, request: AttemptRequest, default: str) -> str:
    """Return the text of the message; without a format of its own it has the default."""
    if (message.format or default) != ENVELOPE:
        return message.message
    return _envelope(
        ExecutionTag=request.tag,
        ClientRequestId=str(UUID(request.request_id)),
        ExpectedExecutionTime=_without_zone(request.expected_at),
        SchedulerJobId=request.job,
        SchedulerJobCollectionId=request.collection.name,
        Region=_NOT_IN_XML.sub(" ", request.region or ""),
        Message=message.message,
    )


def check_message_sizes(new: Definition, old: Definition | None, default: str) -> None:
    """Refuse a changed message that no queue could hold, before it is due."""
    path, before = ("action",), None if old is None else old.action
    _check_size(new.action, before, path, default)
    if new.action.error_action is not None:
        before = None if before is None else before.error_action
        _check_size(new.action.error_action, before, (*path, "errorAction"), default)


def _check_size(new: Action, old: Action | None, path: Path, default: str) -> None:
    message = new.part
    if not isinstance(message, QueueMessage) or (old is not None and message == old.part):
        return
    if (size := _least_bytes(message, default)) > MAX_MESSAGE_BYTES:
        most = f"give at most {MAX_MESSAGE_BYTES}, a queue's own limit"
        raise Invalid(
            (*path, "queueMessage", "message"),
            f"has {size} bytes as it goes to the queue; {most}.",
        )


def _least_bytes(message: QueueMessage, default: str) -> int:
    """Return the smallest number of bytes that the message has in any run."""
    is_wrapped = (message.format or default) == ENVELOPE
    text = _envelope(Message=message.message) if is_wrapped else message.message
    return len(text.encode())


def _envelope(**fields: str) -> str:
    """Return an envelope in base64, as consumers of the old service's messages expect."""
    content = "".join(f"  <{name}>{escaped(text)}</{name}>\r\n" for name, text in fields.items())
    return b64encode(_ENVELOPE.format(content).encode()).decode()


def _without_zone(at: Instant) -> str:
    # With a zone, .NET consumers would convert the time to that of their machine.
    return format_instant(at).removesuffix("Z")
