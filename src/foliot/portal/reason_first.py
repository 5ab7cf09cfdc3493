"""Messages of history in the order in which people read them: the reason first, headers last.

History itself keeps a message as Azure Scheduler wrote it.
"""

from foliot.core.history_parts import FailureDetails, ReceivedResponse, read_message


def reason_first(message: str) -> str:
    """Return what a message tells: status, what is wrong, the body, then the headers."""
    match read_message(message):
        case ReceivedResponse(status_name=status, problem=problem, headers=headers, body=body):
            said = " ".join(part for part in (problem, body.strip()) if part)
            pairs = "; ".join(f"{name}: {value}" for name, value in headers)
            told = f"{status}: {said}" if said else status
            return f"{told} (headers: {pairs})" if pairs else told
        case FailureDetails(name=name, text=text):
            return f"{name}: {text}"
        case _:
            return message
