"""Messages per second to a storage queue and over AMQP, beside Microsoft's own clients, as JSON.

Azurite and an AMQP peer made with Qpid Proton run as processes of their own. Foliot's dispatchers
and the bare clients send the same messages to them, with as many in flight, in turns; a figure is
the median of five rounds. `64 in flight` over AMQP has no counterpart: the bare client sends one
message after the other, Foliot sends those that wait together as a batch.
"""

import asyncio
import json
import platform
import statistics
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from time import perf_counter
from typing import IO, Any, cast

import uvloop
from azure.core.credentials import AzureNamedKeyCredential
from azure.servicebus import ServiceBusMessage as BareMessage
from azure.servicebus import TransportType
from azure.servicebus.aio import ServiceBusClient
from azure.storage.queue.aio import QueueClient

from foliot.core.ids import CollectionKey
from foliot.core.model.action import (
    Action,
    ActionKind,
    ActionPart,
    QueueMessage,
    ServiceBusAuthentication,
    ServiceBusMessage,
)
from foliot.core.model.attempt import Errand
from foliot.core.secret import Secret
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.queue_endpoints import bus_endpoints, storage_endpoints
from foliot.dispatch.service_bus.send import ServiceBusDispatcher
from foliot.dispatch.storage_queue import StorageQueueDispatcher
from foliot.ports import clock
from foliot.ports.dispatch import Dispatcher
from tests.support import azurite
from tests.support.amqp_peer import KEY, KEY_NAME

ROUNDS = 5
QUEUE_MESSAGES, BUS_MESSAGES = 600, 1500
IN_FLIGHT = 16
BATCHED = 64
TEXT = json.dumps({"report": "daily", "lines": ["x" * 60] * 8})

Send = Callable[[], Awaitable[Any]]
Senders = dict[str, tuple[Send, int]]


def main() -> None:
    with azurite.running() as service:
        queue = uvloop.run(measured(queue_senders(service), QUEUE_MESSAGES))
    with amqp_peer() as port:
        bus = uvloop.run(measured(bus_senders(port), BUS_MESSAGES))
    report = {
        "python": platform.python_version(),
        "rounds": ROUNDS,
        "storage queue, messages per second": _with_ratio(queue),
        "service bus over AMQP, messages per second": _with_ratio(bus),
    }
    print(json.dumps(report, indent=2))


async def measured(opening: Any, messages: int) -> dict[str, int]:
    """Measure in turns, so that a slow moment of the machine meets all."""
    found: dict[str, list[float]] = {}
    async with opening as senders:
        for send, in_flight in senders.values():
            await _send(send, in_flight, in_flight)
        for _ in range(ROUNDS):
            for name, (send, in_flight) in senders.items():
                found.setdefault(name, []).append(await _send(send, messages, in_flight))
    return {name: round(statistics.median(values)) for name, values in found.items()}


async def _send(send: Send, messages: int, in_flight: int) -> float:
    left = iter(range(messages))

    async def one_after_the_other() -> None:
        for _ in left:
            await send()

    begin = perf_counter()
    await asyncio.gather(*(one_after_the_other() for _ in range(in_flight)))
    return messages / (perf_counter() - begin)


@asynccontextmanager
async def queue_senders(service: azurite.Azurite) -> AsyncIterator[Senders]:
    queue = service.queue()
    endpoints = storage_endpoints(placed=json.dumps({azurite.ACCOUNT: service.url}))
    part = QueueMessage(
        storage_account=azurite.ACCOUNT,
        queue_name=queue.name,
        sas_token=Secret(queue.sas()),
        message=TEXT,
    )
    dispatcher = StorageQueueDispatcher(EgressRules(), clock.now, endpoints=endpoints)
    async with QueueClient(service.url, queue.name, credential=queue.sas()) as bare:
        yield {
            "foliot": (_through(dispatcher, ActionKind.STORAGE_QUEUE, part), IN_FLIGHT),
            "bare client": (lambda: bare.send_message(TEXT), IN_FLIGHT),
        }
    await dispatcher.close()


@asynccontextmanager
async def bus_senders(port: int) -> AsyncIterator[Senders]:
    endpoints = bus_endpoints(placed=json.dumps({"here": f"amqp://127.0.0.1:{port}"}))
    part = ServiceBusMessage(
        entity="orders",
        namespace="here",
        message=TEXT,
        authentication=ServiceBusAuthentication(sas_key=Secret(KEY), sas_key_name=KEY_NAME),
    )
    dispatcher = ServiceBusDispatcher(EgressRules(), clock.now, endpoints=endpoints)
    send = _through(dispatcher, ActionKind.SERVICE_BUS_QUEUE, part)
    client = ServiceBusClient(
        "127.0.0.1",
        AzureNamedKeyCredential(KEY_NAME, KEY),
        custom_endpoint_address=f"sb://127.0.0.1:{port}",
        transport_type=TransportType.Amqp,
        use_tls=False,
    )
    async with client, client.get_queue_sender("orders") as bare:
        yield {
            "foliot": (send, 1),
            "bare client": (lambda: bare.send_messages(_bare_message()), 1),
            f"foliot, {BATCHED} in flight": (send, BATCHED),
        }
    await dispatcher.close()


def _bare_message() -> BareMessage:
    properties = {f"x-ms-property-{number}": "some words" for number in range(6)}
    return BareMessage(TEXT, message_id="0" * 32, application_properties=cast("Any", properties))


def _through(dispatcher: Dispatcher, kind: ActionKind, part: ActionPart) -> Send:
    errand = Errand(
        action=Action(kind=kind, part=part),
        collection=CollectionKey("s", "g", "bench"),
        job="job",
        region="West Europe",
        expected_at=clock.now(),
        tag="0" * 32,
        request_id="1" * 32,
    )

    async def send() -> None:
        outcome = await dispatcher.dispatch(errand)
        if not outcome.succeeded:
            raise RuntimeError(outcome.message)

    return send


def _with_ratio(found: dict[str, int]) -> dict[str, float]:
    return found | {"foliot / bare client": round(found["foliot"] / found["bare client"], 2)}


@contextmanager
def amqp_peer() -> Iterator[int]:
    """Run an AMQP peer, which ends with its standard input."""
    command = [sys.executable, "-m", "tests.support.amqp_peer"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:  # noqa: S603
        try:
            yield int(cast("IO[bytes]", process.stdout).readline())
        finally:
            cast("IO[bytes]", process.stdin).close()


if __name__ == "__main__":
    main()
