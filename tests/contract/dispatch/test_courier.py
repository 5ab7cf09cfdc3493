"""Attempts in a process of their own: batches on the way, and an outpost that ends or is stuck."""

import asyncio
import itertools
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.model.attempt import Errand, NotSent, Outcome
from foliot.dispatch.worker.client import AttemptBrokeDown, Courier, Patience
from foliot.dispatch.worker.server import Outpost
from foliot.ports.health import Health
from tests.support.dispatch_harness import an_errand
from tests.support.virtual_time import VirtualLoop, run_virtually


class Hand:
    """Carries out nothing by itself: a test says when and how an attempt ends."""

    def __init__(self) -> None:
        self.asked: list[Errand] = []
        self._news = asyncio.Condition()
        self._answers: dict[str, asyncio.Future[Outcome]] = {}

    async def dispatch(self, errand: Errand) -> Outcome:
        async with self._news:
            self.asked.append(errand)
            self._news.notify_all()
        answer = asyncio.get_running_loop().create_future()
        self._answers[errand.tag] = answer
        return await answer

    async def close(self) -> None:
        """Leave nothing behind."""

    async def until_asked(self, times: int) -> None:
        async with asyncio.timeout(1000), self._news:
            await self._news.wait_for(lambda: len(self.asked) >= times)

    def break_down(self, tag: str) -> None:
        self._answers[tag].set_exception(ValueError("hush"))

    def answer(self, tag: str) -> None:
        self._answers[tag].set_result(Outcome(succeeded=True, message=f"done {tag}", retry_after=7))


class StoppableOutpost(Outpost):
    """An outpost that can be stopped, as a signal does: it neither reads nor answers."""

    is_stopped = False

    def _received(self, message: bytes) -> None:
        if not self.is_stopped:
            super()._received(message)


class Place:
    """Where outposts are started, and from where they disappear."""

    def __init__(self, *, failures: int = 0, failure: Exception | None = None) -> None:
        self._failure = failure or OSError("no more processes")
        self.hand = Hand()
        self.health = Health()
        self.failures = failures
        self.starts = self.kills = 0
        self.are_stopped = False
        self.are_killed_by_others = False
        self.started_at: list[float] = []
        self._outposts: list[StoppableOutpost] = []
        self._serving: list[asyncio.Task[None]] = []
        self._theirs: list[socket.socket] = []

    async def start(self) -> socket.socket:
        self.starts += 1
        self.started_at.append(asyncio.get_running_loop().time())
        if self.starts <= self.failures:
            raise self._failure
        ours, theirs = socket.socketpair()
        outpost = StoppableOutpost(self.hand)
        self._outposts.append(outpost)
        self._theirs.append(theirs)
        if not self.are_stopped:
            self._serving.append(asyncio.create_task(outpost.serve(theirs)))
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
        self._outposts[-1].is_stopped = True

    @asynccontextmanager
    async def courier(self, **patience: Any) -> AsyncGenerator[Courier]:
        courier = Courier(self, self.health, Patience(**patience))
        running = asyncio.create_task(courier.run())
        yield courier
        await courier.close()
        running.cancel()
        await asyncio.wait([running, *self._serving], timeout=1000)
        for each in self._theirs:
            each.close()


def errand(tag: str) -> Errand:
    return replace(an_errand(f"http://h/{tag}"), tag=tag)


def begin(courier: Courier, tags: str) -> list[asyncio.Task[Outcome | NotSent]]:
    return [asyncio.create_task(courier.dispatch(errand(tag))) for tag in tags]


def message(reply: Outcome | NotSent) -> str:
    return reply.message if isinstance(reply, Outcome) else reply.reason


def test_errands_arrive_as_they_are_and_outcomes_come_back() -> None:
    place = Place()

    async def steps() -> list[Outcome | NotSent]:
        async with place.courier() as courier:
            attempts = begin(courier, "abc")
            await place.hand.until_asked(3)
            for tag in "cab":
                place.hand.answer(tag)
            return await asyncio.gather(*attempts)

    outcomes = run_virtually(steps())

    assert place.hand.asked == [errand(tag) for tag in "abc"]
    assert [message(each) for each in outcomes] == ["done a", "done b", "done c"]
    assert outcomes[0] == Outcome(succeeded=True, message="done a", retry_after=7)


def test_a_large_errand_arrives_whole() -> None:
    body = "x" * 3_000_000
    place = Place()

    async def steps() -> None:
        async with place.courier() as courier:
            big = replace(an_errand("http://h/", method="POST", body=body), tag="a")
            attempt = asyncio.create_task(courier.dispatch(big))
            await place.hand.until_asked(1)
            place.hand.answer("a")
            await attempt

    run_virtually(steps())

    assert getattr(place.hand.asked[0].action.part, "body", None) == body


def test_what_an_outpost_has_not_answered_is_asked_of_the_next_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    place = Place()

    async def steps() -> list[str]:
        async with place.courier() as courier:
            attempts = begin(courier, "ab")
            await place.hand.until_asked(2)
            place.hand.answer("a")
            first = await attempts[0]
            place.end()
            await place.hand.until_asked(3)
            place.hand.answer("b")
            return [message(first), message(await attempts[1])]

    messages = run_virtually(steps())

    asked = place.hand.asked
    assert [each.tag for each in asked] == ["a", "b", "b"]
    assert asked[1] == asked[2]
    assert (messages, place.starts) == (["done a", "done b"], 2)
    assert "Worker process ended; another one starts" in caplog.text


def test_an_outpost_that_is_stuck_is_killed_and_all_it_had_is_sent_by_the_next(
    caplog: pytest.LogCaptureFixture,
) -> None:
    place = Place()

    async def steps() -> tuple[list[str], float]:
        async with place.courier() as courier:
            first = begin(courier, "ab")
            await place.hand.until_asked(2)
            place.stop()
            later = begin(courier, "c")
            await place.hand.until_asked(5)
            seconds = asyncio.get_running_loop().time()
            for tag in "abc":
                place.hand.answer(tag)
            return [message(await each) for each in [*first, *later]], seconds

    messages, seconds = run_virtually(steps())

    assert messages == ["done a", "done b", "done c"]
    assert [each.tag for each in place.hand.asked] == ["a", "b", "a", "b", "c"]
    assert (place.kills, place.starts) == (1, 2)
    assert seconds < 20
    assert "stuck and is killed" in caplog.text


def test_an_outpost_that_is_alive_but_misses_the_deadline_of_an_attempt_is_killed() -> None:
    place = Place()

    async def steps() -> tuple[str, float]:
        async with place.courier(attempt_seconds=30) as courier:
            (attempt,) = begin(courier, "a")
            await place.hand.until_asked(2)
            seconds = asyncio.get_running_loop().time()
            place.hand.answer("a")
            return message(await attempt), seconds

    answer, seconds = run_virtually(steps())

    assert answer == "done a"
    assert 30 <= seconds < 40
    assert place.kills == 1


def test_an_outpost_that_answers_its_heartbeats_is_left_alone() -> None:
    place = Place()

    async def steps() -> str:
        async with place.courier() as courier:
            (attempt,) = begin(courier, "a")
            await asyncio.sleep(60)
            place.hand.answer("a")
            return message(await attempt)

    assert run_virtually(steps()) == "done a"
    assert (place.kills, place.starts) == (0, 1)


def test_a_server_that_stood_still_itself_does_not_kill_its_outpost() -> None:
    place = Place()

    async def steps() -> str:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        async with place.courier() as courier:
            (attempt,) = begin(courier, "a")
            await place.hand.until_asked(1)
            for _ in range(8):
                loop.stand_still(200)
                await asyncio.sleep(3)
            place.hand.answer("a")
            return message(await attempt)

    assert run_virtually(steps()) == "done a"
    assert (place.kills, place.starts) == (0, 1)


def test_a_request_at_which_outposts_end_again_and_again_fails_and_the_others_do_not() -> None:
    place = Place()

    async def steps() -> tuple[str, list[str]]:
        async with place.courier() as courier:
            attempts = begin(courier, "abcdefgP")
            sent = 0
            # Whenever the last one arrives, the outpost ends.
            while not attempts[-1].done():
                await asyncio.sleep(1)
                asked, sent = place.hand.asked[sent:], len(place.hand.asked)
                if "P" in {each.tag for each in asked}:
                    place.end()
                elif place.starts > 2:
                    for each in asked:
                        place.hand.answer(each.tag)
            await asyncio.sleep(1)
            for each in place.hand.asked[sent:]:
                place.hand.answer(each.tag)
            return message(await attempts[-1]), [message(await each) for each in attempts[:-1]]

    failure, others = run_virtually(steps())

    assert failure == (
        "The process that sends requests ended each time this attempt was made,"
        " the last time with no other request under way that could be the cause."
    )
    assert others == [f"done {tag}" for tag in "abcdefg"]


def end_within_a_request(place: Place, times: int) -> tuple[Outcome | NotSent, list[float]]:
    """End outposts while a request is under way alone; return its outcome and when each began."""

    async def steps() -> Outcome | NotSent:
        async with place.courier() as courier:
            (attempt,) = begin(courier, "a")
            for ends in range(1, times + 1):
                await place.hand.until_asked(ends)
                place.end()
            asked = asyncio.create_task(place.hand.until_asked(times + 1))
            await asyncio.wait([asked, attempt], return_when="FIRST_COMPLETED")
            if not attempt.done():
                place.hand.answer("a")
            asked.cancel()
            return await attempt

    return run_virtually(steps()), place.started_at


def test_a_request_does_not_fail_because_others_kill_outposts() -> None:
    place = Place()
    place.are_killed_by_others = True

    outcome, _ = end_within_a_request(place, 7)

    assert message(outcome) == "done a"


@pytest.mark.parametrize(("is_kill", "ends"), [(False, 3), (True, 8)], ids=["crash", "kill"])
def test_a_request_fails_that_was_alone_under_way_at_many_ends(
    is_kill: bool,  # noqa: FBT001  (a row of the table)
    ends: int,
) -> None:
    place = Place()
    place.are_killed_by_others = is_kill

    outcome, _ = end_within_a_request(place, ends)

    assert message(outcome).startswith("The process that sends requests ended each time")


def test_outposts_that_end_again_and_again_begin_after_growing_pauses() -> None:
    place = Place()
    place.are_killed_by_others = True

    _, started_at = end_within_a_request(place, 7)
    pauses = [after - before for before, after in itertools.pairwise(started_at)]

    assert pauses == pytest.approx([0, 0.25, 0.5, 1, 2, 2, 2])


def test_an_outpost_that_has_worked_for_long_is_followed_by_the_next_at_once() -> None:
    place = Place()

    async def steps() -> None:
        async with place.courier() as courier:
            for ends in range(1, 4):
                begin(courier, "abc"[ends - 1])
                await place.hand.until_asked(2 * ends - 1)
                await asyncio.sleep(71 if ends > 1 else 0)
                place.end()
                await place.hand.until_asked(2 * ends)
                place.hand.answer("abc"[ends - 1])

    run_virtually(steps())

    assert place.started_at == pytest.approx([0, 0, 71, 142])


def test_an_outpost_that_cannot_be_started_is_tried_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    place = Place(failures=2)

    async def steps() -> str:
        async with place.courier() as courier:
            (attempt,) = begin(courier, "a")
            await place.hand.until_asked(1)
            place.hand.answer("a")
            return message(await attempt)

    assert run_virtually(steps()) == "done a"
    assert caplog.text.count("cannot be started error=no more processes") == 2
    assert place.health.problems == {}


@pytest.mark.parametrize(
    "failure", [OSError("no more processes"), RuntimeError("can't start new thread")], ids=repr
)
def test_without_an_outpost_for_long_requests_are_given_back_until_there_is_one(
    failure: Exception,
) -> None:
    place = Place(failures=1_000_000, failure=failure)

    async def steps() -> tuple[list[Outcome | NotSent], list[object]]:
        async with place.courier() as courier:
            (attempt,) = begin(courier, "a")
            replies, seen = [await attempt], [courier.can_send, place.health.problems]
            replies.append(await courier.dispatch(errand("b")))
            place.failures = 0
            await asyncio.sleep(10)
            seen += [courier.can_send, place.health.problems]
            (attempt,) = begin(courier, "c")
            await place.hand.until_asked(1)
            place.hand.answer("c")
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
def test_an_outpost_that_never_begins_to_work_is_given_nothing(
    never: str, caplog: pytest.LogCaptureFixture
) -> None:
    place = Place()
    place.are_stopped = True

    async def steps() -> Outcome | NotSent:
        async with place.courier(start_seconds=4) as courier:
            (attempt,) = begin(courier, "a")
            if never == "lives":
                for _ in range(8):
                    await asyncio.sleep(2)
                    place.end()
            return await attempt

    assert isinstance(run_virtually(steps()), NotSent)
    assert place.hand.asked == []
    assert place.starts > 1
    expected = {"answers": "it has not answered in time", "lives": "it has ended at once"}
    assert expected[never] in caplog.text


def test_what_is_under_way_when_it_is_closed_was_not_sent() -> None:
    place = Place()

    async def steps() -> Outcome | NotSent:
        async with place.courier() as courier:
            (attempt,) = begin(courier, "a")
            await place.hand.until_asked(1)
        return await attempt

    assert run_virtually(steps()) == NotSent("the server is stopping")


def test_an_attempt_that_breaks_down_over_there_does_so_here(
    caplog: pytest.LogCaptureFixture,
) -> None:
    place = Place()

    async def steps() -> None:
        async with place.courier() as courier:
            (attempt,) = begin(courier, "a")
            await place.hand.until_asked(1)
            place.hand.break_down("a")
            with pytest.raises(AttemptBrokeDown, match="ValueError"):
                await attempt

    run_virtually(steps())

    assert "Attempt broke down job=" in caplog.text
    assert "error=ValueError" in caplog.text
    assert "hush" not in caplog.text


def test_an_answer_that_nobody_waits_for_is_dropped() -> None:
    place = Place()

    async def steps() -> str:
        async with place.courier() as courier:
            attempts = begin(courier, "ab")
            await place.hand.until_asked(2)
            attempts[0].cancel()
            place.hand.answer("a")
            place.hand.answer("b")
            return message(await attempts[1])

    assert run_virtually(steps()) == "done b"
