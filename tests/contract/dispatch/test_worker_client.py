"""The client of the worker process: batches, and workers that end or are stuck."""

import asyncio
import itertools
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.exchange import (
    SHOWN_BYTES,
    Exchange,
    ShownRequest,
    ShownResponse,
    Timings,
)
from foliot.core.model.reason import Reason
from foliot.dispatch.worker.client import AttemptBrokeDown, WorkerClient
from foliot.dispatch.worker.launcher import WorkerTimeouts
from foliot.dispatch.worker.protocol import read_requests
from foliot.dispatch.worker.server import WorkerServer
from foliot.ports.health import Health
from tests.support.dispatch_harness import a_request
from tests.support.virtual_time import VirtualLoop, run_virtually


def outcome(tag: str) -> Outcome:
    return Outcome(
        succeeded=False,
        message=f"done {tag}",
        retry_after=7,
        reason=Reason.HTTP_STATUS,
        host="h",
        status_code=503,
    )


class ManualDispatcher:
    """Makes no attempt by itself: a test says when and how an attempt ends."""

    def __init__(self) -> None:
        self.asked: list[AttemptRequest] = []
        self.aborted: list[str] = []
        self._news = asyncio.Condition()
        self._answers: dict[str, asyncio.Future[Outcome]] = {}

    async def dispatch(self, request: AttemptRequest) -> Outcome:
        async with self._news:
            self.asked.append(request)
            self._news.notify_all()
        answer = asyncio.get_running_loop().create_future()
        self._answers[request.tag] = answer
        try:
            return await answer
        except asyncio.CancelledError:
            async with self._news:
                self.aborted.append(request.tag)
                self._news.notify_all()
            raise

    async def close(self) -> None:
        """Leave nothing behind."""

    async def until_asked(self, times: int) -> None:
        async with asyncio.timeout(1000), self._news:
            await self._news.wait_for(lambda: len(self.asked) >= times)

    async def until_aborted(self, times: int) -> None:
        async with asyncio.timeout(1000), self._news:
            await self._news.wait_for(lambda: len(self.aborted) >= times)

    def break_down(self, tag: str) -> None:
        self._answers[tag].set_exception(ValueError("hush"))

    def answer(self, tag: str, **fields: Any) -> None:
        self._answers[tag].set_result(replace(outcome(tag), **fields))


class StoppableWorker(WorkerServer):
    """A worker that can be stopped, as a signal does: it neither reads nor answers."""

    is_stopped = False

    def __init__(self, dispatcher: ManualDispatcher) -> None:
        super().__init__(dispatcher)
        self.received: list[AttemptRequest] = []

    def _received(self, message: bytes) -> None:
        if not self.is_stopped:
            self.received += [each for _, each in read_requests(message) if each is not None]
            super()._received(message)


class Launcher:
    """Starts workers in this process, and ends them."""

    def __init__(self, *, failures: int = 0, failure: Exception | None = None) -> None:
        self._failure = failure or OSError("no more processes")
        self.dispatcher = ManualDispatcher()
        self.health = Health()
        self.failures = failures
        self.starts = self.kills = 0
        self.are_stopped = False
        self.are_killed_by_others = False
        self.started_at: list[float] = []
        self._workers: list[StoppableWorker] = []
        self._serving: list[asyncio.Task[None]] = []
        self._theirs: list[socket.socket] = []

    async def start(self) -> socket.socket:
        self.starts += 1
        self.started_at.append(asyncio.get_running_loop().time())
        if self.starts <= self.failures:
            raise self._failure
        ours, theirs = socket.socketpair()
        worker = StoppableWorker(self.dispatcher)
        self._workers.append(worker)
        self._theirs.append(theirs)
        if not self.are_stopped:
            self._serving.append(asyncio.create_task(worker.serve(theirs)))
        return ours

    def end(self) -> None:
        """End the last one in the middle of its work."""
        with suppress(OSError):  # it may have ended before
            self._theirs[-1].shutdown(socket.SHUT_RDWR)

    def kill(self) -> None:
        self.kills += 1
        if self._theirs:
            self.end()

    async def was_killed(self) -> bool:
        return self.are_killed_by_others

    def stop(self) -> None:
        self._workers[-1].is_stopped = True

    @property
    def received_tags(self) -> list[str]:
        return [each.tag for worker in self._workers for each in worker.received]

    @asynccontextmanager
    async def client(self, **timeouts: Any) -> AsyncGenerator[WorkerClient]:
        client = WorkerClient(self, self.health, WorkerTimeouts(**timeouts))
        running = asyncio.create_task(client.run())
        yield client
        await client.close()
        running.cancel()
        await asyncio.wait([running, *self._serving], timeout=1000)
        for each in self._theirs:
            each.close()


def request(tag: str, **fields: Any) -> AttemptRequest:
    return replace(a_request(f"http://h/{tag}"), tag=tag, **fields)


def begin(client: WorkerClient, tags: str) -> list[asyncio.Future[Outcome | NotSent]]:
    return [client.dispatch(request(tag)) for tag in tags]


def message(reply: Outcome | NotSent) -> str:
    return reply.message if isinstance(reply, Outcome) else reply.reason


def test_requests_arrive_unchanged_and_outcomes_come_back() -> None:
    launcher = Launcher()

    async def steps() -> list[Outcome | NotSent]:
        async with launcher.client() as client:
            attempts = begin(client, "abc")
            await launcher.dispatcher.until_asked(3)
            for tag in "cab":
                launcher.dispatcher.answer(tag)
            return await asyncio.gather(*attempts)

    outcomes = run_virtually(steps())

    assert launcher.dispatcher.asked == [request(tag) for tag in "abc"]
    assert [message(each) for each in outcomes] == ["done a", "done b", "done c"]
    assert outcomes[0] == outcome("a")


def test_a_large_request_arrives_whole() -> None:
    body = "x" * 3_000_000
    launcher = Launcher()

    async def steps() -> None:
        async with launcher.client() as client:
            big = replace(a_request("http://h/", method="POST", body=body), tag="a")
            attempt = client.dispatch(big)
            await launcher.dispatcher.until_asked(1)
            launcher.dispatcher.answer("a")
            await attempt

    run_virtually(steps())

    assert getattr(launcher.dispatcher.asked[0].action.part, "body", None) == body


def test_the_next_worker_gets_the_requests_without_an_answer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    launcher = Launcher()

    async def steps() -> list[str]:
        async with launcher.client() as client:
            attempts = begin(client, "ab")
            await launcher.dispatcher.until_asked(2)
            launcher.dispatcher.answer("a")
            first = await attempts[0]
            launcher.end()
            await launcher.dispatcher.until_asked(3)
            launcher.dispatcher.answer("b")
            return [message(first), message(await attempts[1])]

    messages = run_virtually(steps())

    asked = launcher.dispatcher.asked
    assert [each.tag for each in asked] == ["a", "b", "b"]
    assert asked[1] == asked[2]
    assert (messages, launcher.starts) == (["done a", "done b"], 2)
    assert "Worker process ended; another one starts" in caplog.text


def test_a_stuck_worker_is_killed_and_the_next_one_gets_its_requests(
    caplog: pytest.LogCaptureFixture,
) -> None:
    launcher = Launcher()

    async def steps() -> tuple[list[str], float]:
        async with launcher.client() as client:
            first = begin(client, "ab")
            await launcher.dispatcher.until_asked(2)
            launcher.stop()
            later = begin(client, "c")
            await launcher.dispatcher.until_asked(5)
            seconds = asyncio.get_running_loop().time()
            for tag in "abc":
                launcher.dispatcher.answer(tag)
            return [message(await each) for each in [*first, *later]], seconds

    messages, seconds = run_virtually(steps())

    assert messages == ["done a", "done b", "done c"]
    assert [each.tag for each in launcher.dispatcher.asked] == ["a", "b", "a", "b", "c"]
    assert (launcher.kills, launcher.starts) == (1, 2)
    assert seconds < 20
    assert "stuck and is killed" in caplog.text


def test_a_worker_that_misses_the_deadline_of_an_attempt_is_killed() -> None:
    launcher = Launcher()

    async def steps() -> tuple[str, float]:
        async with launcher.client(attempt_seconds=30) as client:
            (attempt,) = begin(client, "a")
            await launcher.dispatcher.until_asked(2)
            seconds = asyncio.get_running_loop().time()
            launcher.dispatcher.answer("a")
            return message(await attempt), seconds

    answer, seconds = run_virtually(steps())

    assert answer == "done a"
    assert 30 <= seconds < 40
    assert launcher.kills == 1


@pytest.mark.parametrize(
    ("timeout", "earliest", "latest"),
    [pytest.param(5, 15, 20, id="shorter"), pytest.param(120, 130, 135, id="longer")],
)
def test_an_attempt_with_a_timeout_of_its_own_has_a_deadline_of_its_own(
    timeout: float, earliest: float, latest: float
) -> None:
    launcher = Launcher()

    async def steps() -> float:
        async with launcher.client() as client:
            given = request("a", timeout_seconds=timeout)
            attempt = client.dispatch(given)
            await launcher.dispatcher.until_asked(2)
            launcher.dispatcher.answer("a")
            await attempt
            return asyncio.get_running_loop().time()

    assert earliest <= run_virtually(steps()) < latest
    assert launcher.kills == 1


def test_a_worker_that_answers_heartbeats_is_left_alone() -> None:
    launcher = Launcher()

    async def steps() -> str:
        async with launcher.client() as client:
            (attempt,) = begin(client, "a")
            await asyncio.sleep(60)
            launcher.dispatcher.answer("a")
            return message(await attempt)

    assert run_virtually(steps()) == "done a"
    assert (launcher.kills, launcher.starts) == (0, 1)


def test_a_server_that_was_paused_does_not_kill_its_worker() -> None:
    launcher = Launcher()

    async def steps() -> str:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        async with launcher.client() as client:
            (attempt,) = begin(client, "a")
            await launcher.dispatcher.until_asked(1)
            for _ in range(8):
                loop.stand_still(200)
                await asyncio.sleep(3)
            launcher.dispatcher.answer("a")
            return message(await attempt)

    assert run_virtually(steps()) == "done a"
    assert (launcher.kills, launcher.starts) == (0, 1)


def test_only_the_request_that_crashes_workers_fails() -> None:
    launcher = Launcher()

    async def steps() -> tuple[str, list[str]]:
        async with launcher.client() as client:
            attempts = begin(client, "abcdefgP")
            sent = 0
            # Whenever the last one arrives, the worker ends.
            while not attempts[-1].done():
                await asyncio.sleep(1)
                asked, sent = launcher.dispatcher.asked[sent:], len(launcher.dispatcher.asked)
                if "P" in {each.tag for each in asked}:
                    launcher.end()
                elif launcher.starts > 2:
                    for each in asked:
                        launcher.dispatcher.answer(each.tag)
            await asyncio.sleep(1)
            for each in launcher.dispatcher.asked[sent:]:
                launcher.dispatcher.answer(each.tag)
            return message(await attempts[-1]), [message(await each) for each in attempts[:-1]]

    failure, others = run_virtually(steps())

    assert failure == (
        "Http Action - Request to host 'h' failed: UnknownError "
        "The process that sends requests ended each time this attempt was made,"
        " the last time with no other request under way that could be the cause."
    )
    assert others == [f"done {tag}" for tag in "abcdefg"]


def end_within_a_request(launcher: Launcher, times: int) -> tuple[Outcome | NotSent, list[float]]:
    """End workers while one request is open; return its outcome and when each worker began."""

    async def steps() -> Outcome | NotSent:
        async with launcher.client() as client:
            (attempt,) = begin(client, "a")
            for ends in range(1, times + 1):
                await launcher.dispatcher.until_asked(ends)
                launcher.end()
            asked = asyncio.create_task(launcher.dispatcher.until_asked(times + 1))
            await asyncio.wait([asked, attempt], return_when="FIRST_COMPLETED")
            if not attempt.done():
                launcher.dispatcher.answer("a")
            asked.cancel()
            return await attempt

    return run_virtually(steps()), launcher.started_at


def test_a_request_does_not_fail_because_somebody_kills_workers() -> None:
    launcher = Launcher()
    launcher.are_killed_by_others = True

    outcome, _ = end_within_a_request(launcher, 7)

    assert message(outcome) == "done a"


@pytest.mark.parametrize(("is_kill", "ends"), [(False, 3), (True, 8)], ids=["crash", "kill"])
def test_a_request_fails_that_was_the_only_open_one_at_many_ends(
    is_kill: bool,  # noqa: FBT001  (a row of the table)
    ends: int,
) -> None:
    launcher = Launcher()
    launcher.are_killed_by_others = is_kill

    outcome, _ = end_within_a_request(launcher, ends)

    assert "UnknownError The process that sends requests ended each time" in message(outcome)


def test_workers_that_keep_ending_restart_after_growing_pauses() -> None:
    launcher = Launcher()
    launcher.are_killed_by_others = True

    _, started_at = end_within_a_request(launcher, 7)
    pauses = [after - before for before, after in itertools.pairwise(started_at)]

    assert pauses == pytest.approx([0, 0.25, 0.5, 1, 2, 2, 2])


def test_a_worker_that_has_run_for_long_is_replaced_at_once() -> None:
    launcher = Launcher()

    async def steps() -> None:
        async with launcher.client() as client:
            for ends in range(1, 4):
                begin(client, "abc"[ends - 1])
                await launcher.dispatcher.until_asked(2 * ends - 1)
                await asyncio.sleep(71 if ends > 1 else 0)
                launcher.end()
                await launcher.dispatcher.until_asked(2 * ends)
                launcher.dispatcher.answer("abc"[ends - 1])

    run_virtually(steps())

    assert launcher.started_at == pytest.approx([0, 0, 71, 142])


def test_a_worker_that_cannot_start_is_tried_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    launcher = Launcher(failures=2)

    async def steps() -> str:
        async with launcher.client() as client:
            (attempt,) = begin(client, "a")
            await launcher.dispatcher.until_asked(1)
            launcher.dispatcher.answer("a")
            return message(await attempt)

    assert run_virtually(steps()) == "done a"
    assert caplog.text.count("cannot be started error=no more processes") == 2
    assert launcher.health.problems == {}


@pytest.mark.parametrize(
    "failure", [OSError("no more processes"), RuntimeError("can't start new thread")], ids=repr
)
def test_without_a_worker_requests_are_given_back_until_there_is_one(
    failure: Exception,
) -> None:
    launcher = Launcher(failures=1_000_000, failure=failure)

    async def steps() -> tuple[list[Outcome | NotSent], list[object]]:
        async with launcher.client() as client:
            (attempt,) = begin(client, "a")
            replies, seen = [await attempt], [client.can_send, launcher.health.problems]
            replies.append(await client.dispatch(request("b")))
            launcher.failures = 0
            await asyncio.sleep(10)
            seen += [client.can_send, launcher.health.problems]
            (attempt,) = begin(client, "c")
            await launcher.dispatcher.until_asked(1)
            launcher.dispatcher.answer("c")
            return [*replies, await attempt], seen

    replies, seen = run_virtually(steps())

    given_back = NotSent("there is no process that sends requests")
    assert replies[:2] == [given_back, given_back]
    assert message(replies[2]) == "done c"
    assert seen == [
        False,
        {"sender": "the process that sends requests cannot be started"},
        True,
        {},
    ]


@pytest.mark.parametrize("never", ["answers", "lives"])
def test_a_worker_that_never_gets_ready_gets_no_requests(
    never: str, caplog: pytest.LogCaptureFixture
) -> None:
    launcher = Launcher()
    launcher.are_stopped = True

    async def steps() -> Outcome | NotSent:
        async with launcher.client(start_seconds=4) as client:
            (attempt,) = begin(client, "a")
            if never == "lives":
                for _ in range(8):
                    await asyncio.sleep(2)
                    launcher.end()
            return await attempt

    assert isinstance(run_virtually(steps()), NotSent)
    assert launcher.dispatcher.asked == []
    assert launcher.starts > 1
    expected = {"answers": "it has not answered in time", "lives": "it has ended at once"}
    assert expected[never] in caplog.text


def test_closing_the_client_gives_back_open_requests() -> None:
    launcher = Launcher()

    async def steps() -> Outcome | NotSent:
        async with launcher.client() as client:
            (attempt,) = begin(client, "a")
            await launcher.dispatcher.until_asked(1)
        return await attempt

    assert run_virtually(steps()) == NotSent("the server is stopping")


def test_an_exception_in_the_worker_is_raised_by_the_client(
    caplog: pytest.LogCaptureFixture,
) -> None:
    launcher = Launcher()

    async def steps() -> None:
        async with launcher.client() as client:
            (attempt,) = begin(client, "a")
            await launcher.dispatcher.until_asked(1)
            launcher.dispatcher.break_down("a")
            with pytest.raises(AttemptBrokeDown, match="ValueError"):
                await attempt

    run_virtually(steps())

    assert "Attempt broke down job=" in caplog.text
    assert "error=ValueError" in caplog.text
    assert "hush" not in caplog.text


def test_a_reply_that_nobody_waits_for_is_dropped() -> None:
    launcher = Launcher()

    async def steps() -> str:
        async with launcher.client() as client:
            attempts = begin(client, "ab")
            await launcher.dispatcher.until_asked(2)
            attempts[0].cancel()
            launcher.dispatcher.answer("a")
            launcher.dispatcher.answer("b")
            return message(await attempts[1])

    assert run_virtually(steps()) == "done b"


def test_a_test_is_not_sent_again_and_accuses_nobody() -> None:
    launcher = Launcher()

    async def steps() -> list[str]:
        async with launcher.client() as client:
            other = begin(client, "a")
            replies: list[str] = []
            for tag in ("t", "u", "v"):
                asked = len(launcher.dispatcher.asked)
                test = client.dispatch(request(tag, is_test=True))
                await launcher.dispatcher.until_asked(asked + 1 + (not asked))
                launcher.end()
                replies.append(message(await test))
                await launcher.dispatcher.until_asked(len(launcher.dispatcher.asked) + 1)
            launcher.dispatcher.answer("a")
            return [*replies, message(await other[0])]

    *replies, other = run_virtually(steps())

    assert replies == ["the process that sends requests has ended"] * 3
    assert other == "done a"
    assert [each.tag for each in launcher.dispatcher.asked].count("t") == 1


def test_the_exchange_of_a_test_comes_back_whole() -> None:
    body = "ö" * SHOWN_BYTES
    launcher = Launcher()

    async def steps() -> Outcome | NotSent:
        async with launcher.client() as client:
            attempt = client.dispatch(request("a", is_test=True))
            await launcher.dispatcher.until_asked(1)
            launcher.dispatcher.answer("a", exchange=exchange(body))
            return await attempt

    found = run_virtually(steps())

    assert launcher.dispatcher.asked[0].is_test
    assert found == replace(outcome("a"), exchange=exchange(body))


def exchange(body: str) -> Exchange:
    sent = ShownRequest(method="GET", uri="http://h/", headers=(("Host", "h"),), body=None)
    response = ShownResponse(status_code=200, headers=(("A", "b"),), body=body, is_cut=True)
    return Exchange(
        request=sent, redirects=("x",), response=response, timings=Timings(total=0.25, connect=0.1)
    )


def test_an_attempt_that_nobody_waits_for_any_more_is_aborted_in_the_worker() -> None:
    launcher = Launcher()

    async def steps() -> tuple[list[str], list[str]]:
        dispatcher = launcher.dispatcher
        async with launcher.client() as client:
            attempts = begin(client, "abc")
            await dispatcher.until_asked(3)
            attempts[1].cancel()
            await dispatcher.until_aborted(1)
            aborted = list(dispatcher.aborted)
            for tag in "ac":
                dispatcher.answer(tag)
            replies = await asyncio.gather(*attempts, return_exceptions=True)
            return aborted, [
                "canceled" if isinstance(each, BaseException) else message(each) for each in replies
            ]

    assert run_virtually(steps()) == (["b"], ["done a", "canceled", "done c"])
    assert (launcher.kills, launcher.starts) == (0, 1)


def test_an_attempt_that_was_canceled_before_it_was_sent_is_never_made() -> None:
    launcher = Launcher()

    async def steps() -> list[str]:
        async with launcher.client() as client:
            (given_up,) = begin(client, "a")
            await asyncio.sleep(0)
            given_up.cancel()
            (kept,) = begin(client, "b")
            await launcher.dispatcher.until_asked(1)
            launcher.dispatcher.answer("b")
            await kept
            await asyncio.sleep(60)
            return [each.tag for each in launcher.dispatcher.asked]

    assert run_virtually(steps()) == ["b"]


def test_an_attempt_that_is_canceled_at_once_does_not_reach_the_worker() -> None:
    launcher = Launcher()

    async def steps() -> list[str]:
        async with launcher.client() as client:
            (first,) = begin(client, "a")
            await launcher.dispatcher.until_asked(1)
            (given_up,) = begin(client, "b")
            given_up.cancel()
            launcher.dispatcher.answer("a")
            await first
            return launcher.received_tags

    assert run_virtually(steps()) == ["a"]


def test_the_next_worker_does_not_get_a_canceled_attempt() -> None:
    launcher = Launcher()

    async def steps() -> list[str]:
        async with launcher.client() as client:
            given_up, kept = begin(client, "ab")
            await launcher.dispatcher.until_asked(2)
            launcher.stop()
            given_up.cancel()
            await asyncio.sleep(0)
            launcher.end()
            await launcher.dispatcher.until_asked(3)
            launcher.dispatcher.answer("b")
            await kept
            await asyncio.sleep(60)
            return [each.tag for each in launcher.dispatcher.asked]

    assert run_virtually(steps()) == ["a", "b", "b"]


def test_an_attempt_that_ends_while_it_is_canceled_harms_no_other() -> None:
    launcher = Launcher()

    async def steps() -> str:
        async with launcher.client() as client:
            ending, other = begin(client, "ab")
            await launcher.dispatcher.until_asked(2)
            launcher.dispatcher.answer("a")
            ending.cancel()
            await asyncio.sleep(60)
            launcher.dispatcher.answer("b")
            return message(await other)

    assert run_virtually(steps()) == "done b"
    assert launcher.kills == 0
