"""Messages to service bus over AMQP: one connection for each queue or topic, kept while it is used.

Those that wait together for one entity travel together: each waits for one round trip, not for as
many as there are messages before it.
"""

import asyncio
from collections import deque
from collections.abc import Sequence

from azure.servicebus import ServiceBusMessage
from msgspec import Struct

from foliot.dispatch.amqp_client import OpenSender, open_sender
from foliot.dispatch.amqp_failures import failure_of, is_broken
from foliot.dispatch.amqp_message import amqp_message, batch_key, size_of
from foliot.dispatch.bus_message import Parcel
from foliot.dispatch.egress import EgressRules
from foliot.dispatch.messages import CANCELED, TIMEOUT, Failure
from foliot.dispatch.sender import HttpSettings, ca_file_of

# Below what the smallest plan of the service takes at a time, with room for properties.
_BATCH_BYTES = 128 * 1024
_BATCH_MESSAGES = 64
_IDLE_SECONDS = 60.0

Key = tuple[str, str, str, str]


class _Waiting(Struct, eq=False):
    parcel: Parcel
    message: ServiceBusMessage
    done: asyncio.Future[Failure | None]


class AmqpLinks:
    """The links of a server, by namespace, entity and key. They live in one event loop."""

    def __init__(
        self, egress: EgressRules, settings: HttpSettings, idle_seconds: float = _IDLE_SECONDS
    ) -> None:
        self._egress = egress
        self._ca_file = ca_file_of(settings)
        self._idle_seconds = idle_seconds
        self._links: dict[Key, _Link] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def send(self, parcel: Parcel) -> Failure | None:
        """Send a message by its deadline; None is success."""
        if self._is_closed:
            return CANCELED
        done = asyncio.get_running_loop().create_future()
        waiting = _Waiting(parcel, amqp_message(parcel), done)
        key = (parcel.base, parcel.message.entity, parcel.key_name, parcel.key.reveal())
        link = self._links.get(key)
        if link is None:
            link = self._links[key] = _Link(self._egress, self._ca_file)
        link.cancel_timer()
        link.users += 1
        link.add(waiting)
        try:
            async with asyncio.timeout_at(parcel.deadline):
                return await done
        except TimeoutError:
            return TIMEOUT
        finally:
            link.users -= 1
            if not link.users and not self._is_closed:
                loop = asyncio.get_running_loop()
                link.timer = loop.call_later(self._idle_seconds, self._forget, key)

    async def close(self) -> None:
        """Close all links; whoever waits is told."""
        self._is_closed = True
        for key in list(self._links):
            self._forget(key)
        await asyncio.gather(*self._closing)

    def _forget(self, key: Key) -> None:
        task = asyncio.create_task(self._links.pop(key).close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


class _Link:
    """What waits for one entity, and the connection it goes over."""

    def __init__(self, egress: EgressRules, ca_file: str | None) -> None:
        self._egress = egress
        self._ca_file = ca_file
        self._waiting: deque[_Waiting] = deque()
        self._open: OpenSender | None = None
        self._worker: asyncio.Task[None] | None = None
        self.users = 0
        self.timer: asyncio.TimerHandle | None = None

    def add(self, waiting: _Waiting) -> None:
        self._waiting.append(waiting)
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())

    def cancel_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    async def close(self) -> None:
        self.cancel_timer()
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        for waiting in self._waiting:
            _settle(waiting, CANCELED)
        await self._drop()

    async def _work(self) -> None:
        load: Sequence[_Waiting] = ()
        try:
            while load := self._next_load():
                await self._carry(load)
        except asyncio.CancelledError:
            for waiting in load:
                _settle(waiting, CANCELED)
            raise
        finally:
            self._worker = None

    def _next_load(self) -> list[_Waiting]:
        """Take what comes first, and as much of what follows as may go with it."""
        load: list[_Waiting] = []
        room = _BATCH_BYTES
        while self._waiting and len(load) < _BATCH_MESSAGES:
            waiting = self._waiting[0]
            if not waiting.done.done():
                room -= size_of(waiting.parcel)
                if load and (room < 0 or batch_key(waiting.parcel) != batch_key(load[0].parcel)):
                    break
                load.append(waiting)
            self._waiting.popleft()
        return load

    async def _carry(self, load: Sequence[_Waiting]) -> None:
        error = await self._attempt(load)
        if isinstance(error, Exception) and len(load) > 1 and not is_broken(error):
            # Whichever of them it was, the others must not suffer for it.
            for waiting in load:
                if not waiting.done.done():
                    await self._carry([waiting])
            return
        for waiting in load:
            _settle(waiting, _told(error, waiting.parcel))

    async def _attempt(self, load: Sequence[_Waiting]) -> Exception | Failure | None:
        """Send a load, over a new connection if the one that was kept turns out to be broken."""
        was_kept = self._open is not None
        result = await self._sent(load)
        if was_kept and isinstance(result, Exception) and is_broken(result):
            return await self._sent(load)
        return result

    async def _sent(self, load: Sequence[_Waiting]) -> Exception | Failure | None:
        latest = max((waiting.parcel for waiting in load), key=lambda parcel: parcel.deadline)
        try:
            if self._open is None:
                opened = await open_sender(latest, self._egress, self._ca_file)
                if isinstance(opened, Failure):
                    return opened
                self._open = opened
            await self._open.send([waiting.message for waiting in load], latest.deadline)
        except TimeoutError:
            await self._drop()
            return TIMEOUT
        except Exception as error:  # noqa: BLE001  (whatever it is, the next message starts anew)
            await self._drop()
            return error
        except BaseException:
            await self._drop()
            raise
        return None

    async def _drop(self) -> None:
        if self._open is not None:
            opened, self._open = self._open, None
            await opened.close()


def _settle(waiting: _Waiting, result: Failure | None) -> None:
    if not waiting.done.done():
        waiting.done.set_result(result)


def _told(error: Exception | Failure | None, parcel: Parcel) -> Failure | None:
    return failure_of(error, parcel, was_open=True) if isinstance(error, Exception) else error
