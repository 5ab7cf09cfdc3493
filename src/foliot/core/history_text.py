"""Messages in history: clients of the old service parse their beginnings.

A message begins with the kind of its action. Clients read the quoted names of the destination too,
and fail where a message lacks them: the PowerShell cmdlets count apostrophes. So the text after the
destination has no apostrophe, unless it comes after "failed:".
"""

import re
from urllib.parse import urlsplit

from foliot.core.model.action import (
    Action,
    ActionKind,
    HttpRequest,
    QueueMessage,
    ServiceBusMessage,
)

# Control characters but for tabs and line breaks; what has no width, joins or turns the direction
# of what follows; separators of lines; tags.
_UNSEEN = re.compile(
    "[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def history_note(action: Action, begin: str, end: str) -> str:
    """Return a message about an action, with the destination of the action between two texts."""
    return storable(f"{_kind(action)} Action - {begin} {_destination(action)}{end}")


def failure_note(action: Action, reason: str, text: str) -> str:
    """Return the message of a failure without a response: a name as in .NET, and a sentence."""
    begin = "Request to" if isinstance(action.part, HttpRequest) else "Message to"
    return history_note(action, begin, f" failed: {reason} {text}")


def storable(message: str) -> str:
    r"""Write as an escape what no database takes, and what a reader would not see or be misled by.

    Line breaks and tabs stay: control characters, direction overrides and characters without width
    become \x1b, \u202e, \u200b.
    """
    if message.replace("\r\n", "").isprintable():
        return message
    whole = message.encode(errors="replace").decode().replace("\0", "\ufffd")
    return _UNSEEN.sub(_escaped, whole)


def entity_kind(kind: ActionKind) -> str:
    """Return `queue` or `topic`, by the kind of action."""
    return "topic" if kind is ActionKind.SERVICE_BUS_TOPIC else "queue"


def _kind(action: Action) -> str:
    return ActionKind.HTTP if action.kind is ActionKind.HTTPS else action.kind


def _destination(action: Action) -> str:
    match action.part:
        case HttpRequest(uri=uri):
            return f"host '{_host(uri)}'"
        case QueueMessage(storage_account=account, queue_name=queue):
            return f"storage account '{account}' queue '{queue}'"
        case ServiceBusMessage(entity=entity, namespace=namespace):
            return f"{entity_kind(action.kind)} '{entity}' of namespace '{namespace}'"


def _host(uri: str) -> str:
    try:
        return urlsplit(uri).hostname or "?"
    except ValueError:
        return "?"


def _escaped(match: re.Match[str]) -> str:
    number = ord(match[0])
    if number < 0x100:  # noqa: PLR2004  (what two digits are enough for)
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"  # noqa: PLR2004
