"""Messages of history in the order in which people read them: the reason first, headers last.

History itself keeps a message as Azure Scheduler wrote it.
"""

import re
from typing import Final

from foliot.core.history_parts import FailureDetails, ReceivedResponse, read_message

_SECRETS: Final = {
    "sasKey": "key",
    "sasToken": "shared access signature",
    "password": "password",
    "secret": "secret",
    "pfx": "certificate",
}
_MISSING: Final = re.compile(
    rf"[\w.]*\b({'|'.join(_SECRETS)}) is not set; send it again\.", re.ASCII
)


def reason_first(message: str) -> str:
    """Return what a message tells: status, what is wrong, the body, then the headers."""
    match read_message(message):
        case ReceivedResponse(status_name=status, problem=problem, headers=headers, body=body):
            said = " ".join(part for part in (problem, body.strip()) if part)
            pairs = "; ".join(f"{name}: {value}" for name, value in headers)
            told = f"{status}: {said}" if said else status
            return f"{told} (headers: {pairs})" if pairs else told
        case FailureDetails(name=name, text=text):
            return f"{name}: {for_people(text)}"
        case _:
            return message


def for_people(text: str) -> str:
    """Return the text of a failure; one that tells a client what to send says what to do here."""
    return _MISSING.sub(_set_it, text)


def _set_it(found: re.Match[str]) -> str:
    return f"The {_SECRETS[found[1]]} is missing: edit the job and set it."
