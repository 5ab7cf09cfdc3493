"""Both ways to watch sockets, under connections that are kept, and under ones that are not."""

import asyncio

import pytest
import uvloop

from foliot.dispatch.http import curl_multi
from foliot.dispatch.http.socket_events import EpollSockets, LoopSockets
from tests.contract.dispatch.target import answer, target
from tests.support.dispatch_harness import a_request, dispatcher, run

WAYS = pytest.mark.parametrize("way", [EpollSockets, LoopSockets])


@WAYS
@pytest.mark.parametrize("header", [{}, {"Connection": "close"}], ids=["kept", "closed"])
def test_many_requests_in_a_row_are_answered(
    monkeypatch: pytest.MonkeyPatch, way: type, header: dict[str, str]
) -> None:
    monkeypatch.setattr(curl_multi, "watched_sockets", way)

    async def steps() -> list[bool]:
        async with target({"*": answer(**header)}) as server, dispatcher() as opened:
            outcomes = [
                await asyncio.gather(
                    *(opened.dispatch(a_request(server.url(f"/{n}"))) for n in range(20))
                )
                for _ in range(5)
            ]
            return [each.succeeded for row in outcomes for each in row]

    assert run(steps()) == [True] * 100


@WAYS
def test_a_connection_that_was_closed_while_idle_is_replaced(
    monkeypatch: pytest.MonkeyPatch, way: type
) -> None:
    monkeypatch.setattr(curl_multi, "watched_sockets", way)

    async def steps() -> tuple[bool, bool, int]:
        async with target() as server, dispatcher() as opened:
            first = await opened.dispatch(a_request(server.url()))
            for connection in list(server.open_connections):
                connection.close()
            await server.all_gone()
            second = await opened.dispatch(a_request(server.url()))
            return first.succeeded, second.succeeded, server.connections

    assert run(steps()) == (True, True, 2)


def test_a_timer_that_is_almost_due_can_be_moved() -> None:
    async def steps() -> None:
        loop = asyncio.get_running_loop()
        made = curl_multi.Transfers(8)
        # uvloop's handle of such a time cannot say when it is.
        made._arm_timer(loop.time() + 0.0001)  # noqa: SLF001
        made._set_timer(10)  # noqa: SLF001
        await made.close()

    uvloop.run(steps())
