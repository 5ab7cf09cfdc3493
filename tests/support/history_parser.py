"""Reads messages of history as the cmdlet Get-AzureRmSchedulerJobHistory does.

It follows GetHistoryDetails in Azure/azure-powershell,
src/ResourceManager/Scheduler/Commands.Scheduler/Utilities/Converter.cs, and fails where .NET would.
"""

from typing import NamedTuple


class Details(NamedTuple):
    """What the cmdlet shows of a message: the kind of action, its destination and the response."""

    kind: str
    destination: tuple[str, ...]
    response: str


def details_of(message: str) -> Details:
    """Return the details of a message; a message that breaks the cmdlet raises ValueError."""
    if "Http Action" in message:
        return _http(message)
    if "StorageQueue Action" in message:
        return _storage_queue(message)
    for kind in ("ServiceBusQueue", "ServiceBusTopic"):
        if f"{kind} Action" in message:
            return _service_bus(kind, message)
    raise ValueError(message)


def _http(message: str) -> Details:
    begin = message.find("'") + 1
    end = message.find("'", begin + 1)
    host = _substring(message, begin, end)
    if "Request to host" in message and "failed:" in message:
        return Details("Http", (host,), "Failed")
    begin = message.find("'", end + 1) + 1
    return Details("Http", (host,), _substring(message, begin, message.find("'", begin + 1)))


def _storage_queue(message: str) -> Details:
    names = message.split("'")
    if "does not exist" in message or "could not be found" in message:
        return Details("StorageQueue", (names[1],), "Failed")
    if "succeeded" in message:
        place = message.index("'", message.index(names[3])) + 2
        return Details("StorageQueue", (names[1], names[3]), message[place:])
    return Details("StorageQueue", (), "")


def _service_bus(kind: str, message: str) -> Details:
    begin = message.find("'") + 1
    end = min(at for sign in "';" if (at := message.find(sign, begin)) >= 0)
    entity = _substring(message, begin, end)
    begin = message.find("'", end + 1) + 1
    namespace = _substring(message, begin, message.find("'", begin))
    return Details(kind, (entity, namespace), message[: message.index(":")])


def _substring(message: str, begin: int, end: int) -> str:
    if end < begin:
        raise ValueError(message)
    return message[begin:end]
