"""Keeps one AMQP connection for each queue or topic, while it is used, and sends in batches.

Messages that wait for the same entity go in one batch: each waits for one round trip, instead of
one for each message before it.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from azure.servicebus import ServiceBusMessage
from msgspec import Struct

from foliot.dispatch.egress.resolver import Resolver
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.client import ca_file_of
from foliot.dispatch.http.history_messages import CANCELED, TIMEOUT, Failure
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.local_shortage import Shortage, descriptors
from foliot.dispatch.service_bus.amqp_connection import AmqpSender, AmqpSettings, open_sender
from foliot.dispatch.service_bus.amqp_failures import failure_of, is_broken, shortage_of
from foliot.dispatch.service_bus.amqp_message import amqp_message, batch_key, size_of
from foliot.dispatch.service_bus.message import BusSend

# Below the limit of the service's smallest plan, with room for properties.
_BATCH_BYTES = 128 * 1024
_BATCH_MESSAGES = 64
_IDLE_SECONDS = 60.0
# The fraction of all descriptors that idle connections may use.
_IDLE_SHARE = 8

Key = tuple[str, str, str, str]


class _WaitingMessage(Struct, eq=False):
    bus_send: BusSend
    message: ServiceBusMessage
    done: asyncio.Future[Failure | None]


class AmqpPool:
    """The links of a server, by namespace, entity and key, in one event loop."""

    def __init__(
        self,
        egress: EgressRules,
        settings: HttpSettings,
        resolver: Resolver,
        idle_seconds: float = _IDLE_SECONDS,
    ) -> None:
        self._amqp_settings = AmqpSettings(egress, resolver, ca_file_of(settings))
        self._max_idle = descriptors() // _IDLE_SHARE
        self._idle_seconds = idle_seconds
        self._links: dict[Key, _PooledLink] = {}
        # Unused links, the latest one at the end.
        self._idle: dict[Key, asyncio.TimerHandle] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def send(self, bus_send: BusSend) -> Failure | None:
        """Send a message by its deadline; None is success."""
        if self._is_closed:
            return CANCELED
        done = asyncio.get_running_loop().create_future()
        waiting = _WaitingMessage(bus_send, amqp_message(bus_send), done)
        key = (bus_send.base, bus_send.message.entity, bus_send.key_name, bus_send.key.reveal())
        link = self._links.get(key)
        if link is None:
            link = self._links[key] = _PooledLink(self._amqp_settings, self._drop_idle)
        self._cancel_timer(key)
        link.users += 1
        link.add(waiting)
        try:
            async with asyncio.timeout_at(bus_send.deadline):
                return await done
        except TimeoutError:
            return TIMEOUT
        finally:
            link.users -= 1
            if not link.users and not self._is_closed:
                self._set_idle(key)

    async def close(self) -> None:
        """Close all links; waiting messages end as canceled."""
        self._is_closed = True
        for key in list(self._links):
            self._forget(key)
        await asyncio.gather(*self._closing)

    def _set_idle(self, key: Key) -> None:
        loop = asyncio.get_running_loop()
        self._idle[key] = loop.call_later(self._idle_seconds, self._forget, key)
        if len(self._idle) > self._max_idle:
            self._forget(next(iter(self._idle)))

    def _cancel_timer(self, key: Key) -> None:
        timer = self._idle.pop(key, None)
        if timer is not None:
            timer.cancel()

    async def _drop_idle(self) -> None:
        """Close unused connections, so that others can be opened."""
        for key in list(self._idle):
            self._forget(key)
        if self._closing:
            await asyncio.wait(self._closing)

    def _forget(self, key: Key) -> None:
        self._cancel_timer(key)
        task = asyncio.create_task(self._links.pop(key).close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


class _PooledLink:
    """The waiting messages of one entity, and the connection to it."""

    def __init__(self, settings: AmqpSettings, drop_idle: Callable[[], Awaitable[None]]) -> None:
        self._amqp_settings = settings
        self._drop_idle = drop_idle
        self._waiting: deque[_WaitingMessage] = deque()
        self._open: AmqpSender | None = None
        self._worker: asyncio.Task[None] | None = None
        self.users = 0

    def add(self, waiting: _WaitingMessage) -> None:
        self._waiting.append(waiting)
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())

    async def close(self) -> None:
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        for waiting in self._waiting:
            _settle(waiting, CANCELED)
        await self._drop()

    async def _work(self) -> None:
        batch: Sequence[_WaitingMessage] = ()
        try:
            while batch := self._next_batch():
                await self._send_batch(batch)
        except asyncio.CancelledError:
            for waiting in batch:
                _settle(waiting, CANCELED)
            raise
        finally:
            self._worker = None

    def _next_batch(self) -> list[_WaitingMessage]:
        """Take the first message, and as many of the next ones as fit into its batch."""
        batch: list[_WaitingMessage] = []
        room = _BATCH_BYTES
        while self._waiting and len(batch) < _BATCH_MESSAGES:
            waiting = self._waiting[0]
            if not waiting.done.done():
                room -= size_of(waiting.bus_send)
                if batch and (
                    room < 0 or batch_key(waiting.bus_send) != batch_key(batch[0].bus_send)
                ):
                    break
                batch.append(waiting)
            self._waiting.popleft()
        return batch

    async def _send_batch(self, batch: Sequence[_WaitingMessage]) -> None:
        error = await self._attempt(batch)
        if isinstance(error, Exception) and len(batch) > 1 and not _concerns_all(error):
            # One message may be the cause: send each alone, so that the others do not fail.
            for waiting in batch:
                if not waiting.done.done():
                    await self._send_batch([waiting])
            return
        for waiting in batch:
            _settle(waiting, _failure(error, waiting.bus_send))

    async def _attempt(self, batch: Sequence[_WaitingMessage]) -> Exception | Failure | None:
        """Send a batch; if an old connection turns out to be broken, use a new one."""
        was_kept = self._open is not None
        result = await self._sent(batch)
        if isinstance(result, Shortage):
            await self._drop_idle()
            return await self._sent(batch)
        if was_kept and isinstance(result, Exception) and is_broken(result):
            return await self._sent(batch)
        return result

    async def _sent(self, batch: Sequence[_WaitingMessage]) -> Exception | Failure | None:
        latest = max(
            (waiting.bus_send for waiting in batch), key=lambda bus_send: bus_send.deadline
        )
        try:
            if self._open is None:
                opened = await open_sender(latest, self._amqp_settings)
                if isinstance(opened, Failure):
                    return opened
                self._open = opened
            await self._open.send([waiting.message for waiting in batch], latest.deadline)
        except TimeoutError:
            await self._drop()
            return TIMEOUT
        except Exception as error:  # noqa: BLE001  (after any error the next batch opens a new connection)
            await self._drop()
            return shortage_of(error) or error
        except BaseException:
            await self._drop()
            raise
        return None

    async def _drop(self) -> None:
        if self._open is not None:
            opened, self._open = self._open, None
            await opened.close()


def _concerns_all(error: Exception) -> bool:
    return isinstance(error, Shortage) or is_broken(error)


def _settle(waiting: _WaitingMessage, result: Failure | Shortage | None) -> None:
    if waiting.done.done():
        return
    if isinstance(result, Shortage):
        waiting.done.set_exception(result)
    else:
        waiting.done.set_result(result)


def _failure(error: Exception | Failure | None, bus_send: BusSend) -> Failure | Shortage | None:
    if isinstance(error, Shortage):
        return error
    return failure_of(error, bus_send, was_open=True) if isinstance(error, Exception) else error
