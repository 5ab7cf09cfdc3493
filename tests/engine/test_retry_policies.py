"""Retries with growing pauses and by reason, in virtual time, on a real store."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from foliot.core.instant import DAY, HOUR, MINUTE, SECOND
from foliot.core.model.attempt import Outcome
from foliot.core.model.job import JobState
from foliot.core.model.reason import Reason
from tests.support.engine_world import World

BUSY = Outcome(succeeded=False, message="no", reason=Reason.HTTP_STATUS, status_code=503)
MISSING = Outcome(succeeded=False, message="no", reason=Reason.HTTP_STATUS, status_code=404)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        yield made


def action(**policy: Any) -> dict[str, Any]:
    request = {"uri": "http://example.com/", "method": "GET"}
    return {"type": "Http", "request": request, "retryPolicy": policy}


def pauses(world: World) -> list[int]:
    times = [sent.sent_at for sent in world.targets.sent]
    return [later - earlier for earlier, later in pairwise(times)]


def test_pauses_double_up_to_their_limit_with_a_jitter_of_a_fifth_at_most(world: World) -> None:
    world.targets.answer = lambda _: BUSY
    policy = {"retryInterval": "PT1S", "maxRetryInterval": "PT10S", "retryCount": 6}
    world.add_job(action=action(retryType="exponential", **policy))

    world.advance_to("2026-01-10T01:00:00Z")

    plain = [each * SECOND for each in (1, 2, 4, 8, 10, 10)]
    assert all(low <= each < low * 6 / 5 for low, each in zip(plain, pauses(world), strict=True))
    assert len({each % SECOND for each in pauses(world)}) == 6
    assert world.job().state is JobState.FAULTED


def test_the_jitter_is_the_same_after_a_restart_and_on_another_node(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    found = []
    for has_restarts in (False, True):
        with World(tmp_path_factory.mktemp("world")) as world:
            world.targets.answer = lambda _: BUSY
            world.add_job(action=action(retryType="exponential", retryCount=3))
            for minutes in range(20):
                world.advance_to(f"2026-01-10T00:{minutes:02}:00Z")
                if has_restarts:
                    world.kill_engine()
                    world.start_engine()
            found.append((world.targets.sent[0].tag, pauses(world)))

    assert found[0] == found[1]
    assert len(found[0][1]) == 3


@pytest.mark.parametrize(
    ("asked", "earliest"),
    [(MINUTE, 2 * MINUTE), (HOUR, HOUR), (DAY, DAY)],
    ids=["sooner than planned", "later", "as late as possible"],
)
@pytest.mark.parametrize("kind", ["fixed", "exponential"])
def test_a_target_may_move_its_retry_to_a_later_time(
    world: World, kind: str, asked: int, earliest: int
) -> None:
    answer = Outcome(succeeded=False, message="no", reason=Reason.HTTP_STATUS, retry_after=asked)
    world.targets.answer = lambda _: answer
    world.add_job(action=action(retryType=kind, retryInterval="PT2M", retryCount=1))

    world.advance_to("2026-01-12T00:00:00Z")

    assert earliest <= pauses(world)[0] <= earliest * 6 / 5


@pytest.mark.parametrize(
    ("outcome", "attempts"),
    [
        pytest.param(BUSY, 5, id="busy"),
        pytest.param(MISSING, 1, id="missing"),
        pytest.param(Outcome(succeeded=False, message="no", reason=Reason.TIMEOUT), 5, id="silent"),
        pytest.param(
            Outcome(succeeded=False, message="no", reason=Reason.SECRET_MISSING), 1, id="no secret"
        ),
    ],
)
def test_a_failure_that_is_not_transient_is_given_up_at_once(
    world: World, outcome: Outcome, attempts: int
) -> None:
    world.targets.answer = lambda _: outcome
    world.add_job(action=action(retryOn="transient"))

    world.advance_to("2026-01-10T01:00:00Z")

    assert len(world.targets.sent) == attempts
    assert world.job().state is JobState.FAULTED


def test_the_error_action_follows_what_is_given_up_at_once(world: World) -> None:
    world.targets.answer = lambda _: MISSING
    error = action(retryType="none")
    world.add_job(action=action(retryOn="transient") | {"errorAction": error})

    world.advance_to("2026-01-10T01:00:00Z")

    assert [entry.is_error_action for entry in world.history()] == [False, True]
