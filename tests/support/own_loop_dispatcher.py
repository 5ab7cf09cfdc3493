"""A dispatcher and a target in an event loop of their own, as in the worker process."""

import asyncio
from threading import Thread

from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from tests.contract.dispatch.target import Target, answer, target
from tests.support.dispatch_harness import dispatcher


class OwnLoopDispatcher:
    """A dispatcher and a target in an event loop of their own, as in the worker process."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.target: Target | None = None
        self.requests: list[AttemptRequest] = []
        self.failure: Exception | None = None
        self.reply: NotSent | None = None
        self._stop = asyncio.Event()
        self._ready = asyncio.Event()
        self._thread = Thread(target=self._run)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._ready.wait(), self.loop).result(10)

    async def dispatch(self, request: AttemptRequest) -> Outcome | NotSent:
        self.requests.append(request)
        if self.failure is not None:
            raise self.failure
        if self.reply is not None:
            return self.reply
        future = asyncio.run_coroutine_threadsafe(self._opened.dispatch(request), self.loop)
        return await asyncio.wrap_future(future)

    async def close(self) -> None:
        """Leave that to `end`."""

    def end(self) -> None:
        self.loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    @property
    def url(self) -> str:
        assert self.target is not None
        return self.target.url("/report")

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._serve())
        self.loop.close()

    async def _serve(self) -> None:
        routes = {"/report": answer(body=b"thanks")}
        async with target(routes) as self.target, dispatcher() as self._opened:
            self._ready.set()
            await self._stop.wait()
