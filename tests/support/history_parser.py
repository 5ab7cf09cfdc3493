"""Reads messages of history as the cmdlet Get-AzureRmSchedulerJobHistory does.

It follows GetHistoryDetails in Azure/azure-powershell,
src/ResourceManager/Scheduler/Commands.Scheduler/Utilities/Converter.cs, and fails where .NET would:
the cmdlet takes the texts between apostrophes, whatever stands around them.
"""

from typing import NamedTuple

_BODY = "Body: "


class Details(NamedTuple):
    """What the cmdlet shows of a message: the kind of action, its destination and the response."""

    kind: str
    destination: tuple[str, ...]
    response: str
    body: str


def details_of(message: str) -> Details:
    """Return the details of a message; a message that breaks the cmdlet raises ValueError."""
    if "Http Action" in message:
        return _http(message)
    if "StorageQueue Action" in message:
        return _storage_queue(message)
    for kind in ("ServiceBusQueue", "ServiceBusTopic"):
        if f"{kind} Action" in message:
            return _service_bus(kind, message)
    # The parser returns null here, and the next line of the cmdlet fails.
    raise ValueError(f"NullReferenceException: no kind of action in {message!r}")


def _http(message: str) -> Details:
    begin = _index_of(message, "'") + 1
    end = _index_of(message, "'", begin + 1)
    host = _substring(message, begin, end)
    if "Request to host" in message and "failed:" in message:
        return Details("Http", (host,), "Failed", message)
    begin = _index_of(message, "'", end + 1) + 1
    response = _substring(message, begin, _index_of(message, "'", begin + 1))
    body = _substring(message, message.find(_BODY) + len(_BODY), len(message))
    return Details("Http", (host,), response, body)


def _storage_queue(message: str) -> Details:
    if "does not exist" in message or "could not be found" in message:
        name, _ = _quoted(message, 0)
        return Details("StorageQueue", (name,), "Failed", message)
    if "succeeded" not in message:
        return Details("StorageQueue", (), "", message)
    account, end = _quoted(message, 0)
    queue, end = _quoted(message, end + 1)
    response = _substring(message, end + 2, len(message))
    return Details("StorageQueue", (account, queue), response, message)


def _service_bus(kind: str, message: str) -> Details:
    entity, end = _quoted(message, 0, closing="';")
    namespace, _ = _quoted(message, end + 1)
    response = _substring(message, 0, _index_of(message, ":"))
    return Details(kind, (entity, namespace), response, message)


def _quoted(message: str, start: int, closing: str = "'") -> tuple[str, int]:
    """Return the text after the next apostrophe up to a closing character, and where it ends."""
    begin = _index_of(message, "'", start) + 1
    end = _index_of(message, closing, begin)
    return _substring(message, begin, end), end


def _index_of(message: str, wanted: str, start: int = 0) -> int:
    """Return where one of the characters stands first, or -1."""
    if start > len(message):
        raise ValueError(f"ArgumentOutOfRangeException: IndexOf from {start} in {message!r}")
    places = [place for sign in wanted if (place := message.find(sign, start)) >= 0]
    return min(places, default=-1)


def _substring(message: str, begin: int, end: int) -> str:
    if not begin <= end <= len(message):
        raise ValueError(f"ArgumentOutOfRangeException: {begin} to {end} of {message!r}")
    return message[begin:end]
