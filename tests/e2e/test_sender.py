"""The process that sends requests, a real one: stopped, spinning, killed, unable to start."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from foliot.core.model.attempt import NotSent, Outcome
from foliot.dispatch.egress.parse_rules import parse_egress
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.queue_endpoints import bus_endpoints, storage_endpoints
from foliot.dispatch.worker.client import WorkerClient
from foliot.dispatch.worker.launcher import WorkerTimeouts
from foliot.ports.health import Health
from foliot.serve import worker_process
from foliot.serve.worker_process import WorkerConfig, WorkerProcess
from tests.e2e.test_engine import children_of, is_running
from tests.support.dispatch_harness import a_request

QUICK = WorkerTimeouts(heartbeat_seconds=0.2, silent_heartbeats=10, away_seconds=60)


class Target:
    """Hears of every request, and answers those of a job only when told to."""

    def __init__(self) -> None:
        self.tags: list[str] = []
        self.may_answer = asyncio.Event()
        self._heard = asyncio.Condition()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode()
        async with self._heard:
            self.tags.append(request.partition("x-ms-execution-tag: ")[2].partition("\r")[0])
            self._heard.notify_all()
        await self.may_answer.wait()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        writer.close()

    async def until_reached(self, times: int) -> None:
        async with asyncio.timeout(60), self._heard:
            await self._heard.wait_for(lambda: len(self.tags) >= times)


def sender_process() -> int:
    """Return the process that sends for this one, which may have others: a browser, a database."""
    (found,) = (
        each
        for each in children_of(os.getpid())
        if b"worker_main" in Path(f"/proc/{each}/cmdline").read_bytes()
    )
    return found


def worker_config(rules: EgressRules) -> WorkerConfig:
    return WorkerConfig(
        egress=rules,
        http=HttpSettings(timeout_seconds=30),
        storage=storage_endpoints(),
        service_bus=bus_endpoints(),
        queue_format="text",
        log_level="info",
        log_format="console",
    )


@asynccontextmanager
async def sending(health: Health, timeouts: WorkerTimeouts = QUICK) -> AsyncGenerator[WorkerClient]:
    process = WorkerProcess(worker_config(parse_egress(None, None, None)))
    client = WorkerClient(process, health, timeouts)
    running = asyncio.create_task(client.run())
    yield client
    await client.close()
    running.cancel()
    await asyncio.wait([running])
    await process.stop()


@asynccontextmanager
async def a_target() -> AsyncGenerator[tuple[Target, str]]:
    target = Target()
    server = await asyncio.start_server(target.answer, "127.0.0.1", 0)
    address: tuple[str, int] = server.sockets[0].getsockname()[:2]
    yield target, f"http://127.0.0.1:{address[1]}/"
    target.may_answer.set()
    server.close()


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL, signal.SIGSEGV])
def test_whatever_happens_to_the_sender_all_is_sent_by_the_next_with_the_same_tags(
    number: signal.Signals,
) -> None:
    health = Health()

    async def steps() -> tuple[list[str], list[Outcome | NotSent], int]:
        async with a_target() as (target, uri), sending(health) as client:
            attempts = [
                client.dispatch(replace(a_request(uri), tag=f"tag{each}")) for each in range(9)
            ]
            await target.until_reached(9)
            sender = sender_process()
            os.kill(sender, number)
            await target.until_reached(18)
            target.may_answer.set()
            return target.tags, await asyncio.gather(*attempts), sender

    tags, outcomes, sender = asyncio.run(steps())

    # On a machine that is busy it may be taken for stuck once more.
    assert {tags.count(f"tag{each}") >= 2 for each in range(9)} == {True}
    assert [getattr(each, "succeeded", None) for each in outcomes] == [True] * 9
    assert not is_running(sender)
    assert health.problems == {}


@pytest.mark.parametrize(
    ("number", "is_repeated"), [(signal.SIGKILL, True), (signal.SIGSEGV, False)]
)
def test_a_request_during_which_the_sender_crashes_three_times_fails_unless_it_was_killed(
    number: signal.Signals,
    is_repeated: bool,  # noqa: FBT001  (a row of the table)
) -> None:
    async def steps() -> Outcome | NotSent:
        async with a_target() as (target, uri), sending(Health()) as client:
            attempt = client.dispatch(a_request(uri))
            for times in range(1, 4):
                await target.until_reached(times)
                sender = sender_process()
                os.kill(sender, number)
            if is_repeated:
                await target.until_reached(4)
                target.may_answer.set()
            return await attempt

    outcome = asyncio.run(steps())

    assert isinstance(outcome, Outcome)
    assert outcome.succeeded is is_repeated


def test_a_sender_that_cannot_be_started_is_a_problem_until_it_can(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    health = Health()
    broken = tmp_path / "python"

    async def steps() -> tuple[list[Outcome | NotSent], object]:
        async with a_target() as (target, uri):
            target.may_answer.set()
            monkeypatch.setattr(worker_process.sys, "executable", str(broken))
            async with sending(health, replace(QUICK, away_seconds=0.1)) as client:
                given_back = await client.dispatch(a_request(uri))
                problems = health.problems
                monkeypatch.undo()
                while not client.can_send:  # noqa: ASYNC110  (it tells nobody)
                    await asyncio.sleep(0.01)
                return [given_back, await client.dispatch(a_request(uri))], problems

    (given_back, outcome), problems = asyncio.run(steps())

    assert given_back == NotSent("there is no process that sends requests")
    assert problems == {"sender": "the process that sends requests cannot be started"}
    assert isinstance(outcome, Outcome)
    assert outcome.succeeded
    assert health.problems == {}


def test_a_socket_is_not_left_open_when_no_process_can_be_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[socket.socket] = []

    def pair() -> tuple[socket.socket, socket.socket]:
        made.extend(real())
        return made[-2], made[-1]

    real = socket.socketpair
    monkeypatch.setattr(worker_process.socket, "socketpair", pair)
    monkeypatch.setattr(worker_process.sys, "executable", str(tmp_path / "python"))

    async def steps() -> None:
        await WorkerProcess(worker_config(EgressRules())).start()

    with pytest.raises(OSError, match="No such file"):
        asyncio.run(steps())

    assert [each.fileno() for each in made[-2:]] == [-1, -1]
