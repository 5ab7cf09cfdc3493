"""Attempts in a process of their own: batches on the way, and an outpost that ends."""

import asyncio
import socket

import pytest
from msgspec.structs import replace

from foliot.core.errand import Errand, Outcome
from foliot.dispatch.courier import Courier
from foliot.dispatch.outpost import Outpost
from tests.contract.dispatch.harness import an_errand, run


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
        async with asyncio.timeout(10), self._news:
            await self._news.wait_for(lambda: len(self.asked) >= times)

    def answer(self, tag: str) -> None:
        self._answers[tag].set_result(Outcome(succeeded=True, message=f"done {tag}", retry_after=7))


class Place:
    """Where outposts are started, and from where they disappear."""

    def __init__(self, *, failures: int = 0) -> None:
        self.hand = Hand()
        self.starts = 0
        self._failures = failures
        self._outposts: list[asyncio.Task[None]] = []
        self._theirs: list[socket.socket] = []

    async def start(self) -> socket.socket:
        self.starts += 1
        if self.starts <= self._failures:
            raise OSError("no more processes")
        ours, theirs = socket.socketpair()
        self._theirs.append(theirs)
        self._outposts.append(asyncio.create_task(Outpost(self.hand).serve(theirs)))
        return ours

    def kill(self) -> None:
        """End the last one in the middle of its work."""
        self._theirs[-1].shutdown(socket.SHUT_RDWR)


def errand(tag: str) -> Errand:
    return replace(an_errand(f"http://h/{tag}"), tag=tag)


def test_errands_arrive_as_they_are_and_outcomes_come_back() -> None:
    async def steps() -> tuple[list[Errand], list[Outcome]]:
        place = Place()
        courier = Courier(place.start)
        attempts = [asyncio.create_task(courier.dispatch(errand(tag))) for tag in "abc"]
        await place.hand.until_asked(3)
        for tag in "cab":
            place.hand.answer(tag)
        outcomes = await asyncio.gather(*attempts)
        await courier.close()
        return place.hand.asked, outcomes

    asked, outcomes = run(steps())

    assert asked == [errand(tag) for tag in "abc"]
    assert [outcome.message for outcome in outcomes] == ["done a", "done b", "done c"]
    assert outcomes[0] == Outcome(succeeded=True, message="done a", retry_after=7)


def test_a_large_errand_arrives_whole() -> None:
    body = "x" * 3_000_000

    async def steps() -> str | None:
        place = Place()
        courier = Courier(place.start)
        big = replace(an_errand("http://h/", method="POST", body=body), tag="a")
        attempt = asyncio.create_task(courier.dispatch(big))
        await place.hand.until_asked(1)
        place.hand.answer("a")
        await attempt
        await courier.close()
        return getattr(place.hand.asked[0].action.part, "body", None)

    assert run(steps()) == body


def test_what_an_outpost_has_not_answered_is_asked_of_the_next_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def steps() -> tuple[list[Errand], list[str], int]:
        place = Place()
        courier = Courier(place.start)
        attempts = [asyncio.create_task(courier.dispatch(errand(tag))) for tag in "ab"]
        await place.hand.until_asked(2)
        place.hand.answer("a")
        first = await attempts[0]
        place.kill()
        await place.hand.until_asked(3)
        place.hand.answer("b")
        second = await attempts[1]
        await courier.close()
        return place.hand.asked, [first.message, second.message], place.starts

    asked, messages, starts = run(steps())

    assert [each.tag for each in asked] == ["a", "b", "b"]
    assert asked[1] == asked[2]
    assert (messages, starts) == (["done a", "done b"], 2)
    assert "has ended; another one takes its place" in caplog.text


def test_an_errand_at_which_outposts_end_twice_has_failed() -> None:
    async def steps() -> Outcome:
        place = Place()
        courier = Courier(place.start)
        attempt = asyncio.create_task(courier.dispatch(errand("a")))
        for times in (1, 2):
            await place.hand.until_asked(times)
            place.kill()
        outcome = await attempt
        await courier.close()
        return outcome

    assert run(steps()) == Outcome(
        succeeded=False,
        message="The process that sends requests ended in the middle of the attempt.",
    )


def test_an_outpost_that_cannot_be_started_is_tried_again(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foliot.dispatch.courier._PAUSE_SECONDS", 0)

    async def steps() -> str:
        place = Place(failures=2)
        courier = Courier(place.start)
        attempt = asyncio.create_task(courier.dispatch(errand("a")))
        await place.hand.until_asked(1)
        place.hand.answer("a")
        outcome = await attempt
        await courier.close()
        return outcome.message

    assert run(steps()) == "done a"
    assert caplog.text.count("cannot be started: no more processes") == 2


def test_what_is_under_way_when_it_is_closed_has_failed() -> None:
    async def steps() -> Outcome:
        place = Place()
        courier = Courier(place.start)
        attempt = asyncio.create_task(courier.dispatch(errand("a")))
        await place.hand.until_asked(1)
        await courier.close()
        return await attempt

    assert run(steps()) == Outcome(
        succeeded=False, message="The request was canceled: the server is stopping."
    )


def test_an_answer_that_nobody_waits_for_is_dropped() -> None:
    async def steps() -> str:
        place = Place()
        courier = Courier(place.start)
        attempts = [asyncio.create_task(courier.dispatch(errand(tag))) for tag in "ab"]
        await place.hand.until_asked(2)
        attempts[0].cancel()
        place.hand.answer("a")
        place.hand.answer("b")
        outcome = await attempts[1]
        await courier.close()
        return outcome.message

    assert run(steps()) == "done b"
