"""The worker process: `main`, and the dispatchers that make its attempts."""

import pickle
import signal
import socket
import sys

import uvloop

from foliot.core.model.action import HttpRequest, QueueMessage, ServiceBusMessage
from foliot.dispatch.http.attempt import HttpDispatcher
from foliot.dispatch.router import Dispatchers
from foliot.dispatch.service_bus.send import ServiceBusDispatcher
from foliot.dispatch.storage_queue import StorageQueueDispatcher
from foliot.dispatch.worker.server import WorkerServer
from foliot.ports import clock
from foliot.serve.process_setup import reduce_garbage_collection, set_up_logging
from foliot.serve.worker_process import SECONDS_TO_CANCEL, WorkerConfig


def dispatchers(config: WorkerConfig) -> Dispatchers:
    """Return the dispatchers, one for each kind of action."""
    egress, http = config.egress, config.http
    queues = StorageQueueDispatcher(
        egress, clock.now, http, config.storage, default_format=config.queue_format
    )
    return Dispatchers(
        {
            HttpRequest: HttpDispatcher(egress, clock.now, http),
            QueueMessage: queues,
            ServiceBusMessage: ServiceBusDispatcher(egress, clock.now, http, config.service_bus),
        },
        seconds_for=lambda request: http.seconds_for(request) + SECONDS_TO_CANCEL,
    )


def main() -> None:
    """Send requests for the server at the other end of a socket, until that closes."""
    # Terminals and service managers signal both processes; the server decides when this one ends.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    config: WorkerConfig = pickle.load(sys.stdin.buffer)  # noqa: S301  (written by the server)
    set_up_logging(config.log_level, config.log_format)
    reduce_garbage_collection()
    with socket.socket(fileno=int(sys.argv[1])) as sock:
        uvloop.run(_serve(config, sock))


async def _serve(config: WorkerConfig, sock: socket.socket) -> None:
    await WorkerServer(dispatchers(config)).serve(sock)


if __name__ == "__main__":
    main()
