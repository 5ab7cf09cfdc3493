"""Which failures are retried, and after how long."""

from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.instant import DAY, HOUR, MINUTE, SECOND
from foliot.core.model.action import Duration, RetryKind, RetryOn, RetryPolicy
from foliot.core.model.attempt import Outcome
from foliot.core.model.collection import Sku
from foliot.core.model.reason import Reason
from foliot.core.model.run import DueRun
from foliot.core.rules.retries import is_transient, pause_before_retry
from tests.support.builders import DEFINITION, a_collection, a_job, a_run

FAILED = Outcome(succeeded=False, message="no", reason=Reason.TIMEOUT)


def a_duration(ticks: int) -> Duration:
    return Duration("as given", ticks)


def exponential(**fields: Any) -> RetryPolicy:
    return RetryPolicy(kind=RetryKind.EXPONENTIAL, **fields)


def pause(
    policy: RetryPolicy,
    attempt: int = 1,
    *,
    outcome: Outcome = FAILED,
    sku: Sku = Sku.STANDARD,
    tag: str = "tag",
) -> int | None:
    action = replace(DEFINITION.action, retry_policy=policy)
    job = a_job(a_collection().id, definition=replace(DEFINITION, action=action))
    return pause_before_retry(
        DueRun(a_run(job, attempt=attempt, tag=tag), job, a_collection(sku=sku)), outcome
    )


GROWING: dict[str, tuple[RetryPolicy, Sku, list[int]]] = {
    "by default": (
        exponential(count=10),
        Sku.STANDARD,
        [30 * SECOND * 2**n for n in range(7)] + [HOUR] * 3,
    ),
    "from a second": (
        exponential(interval=a_duration(SECOND), count=4),
        *(Sku.STANDARD, [SECOND, 2 * SECOND, 4 * SECOND, 8 * SECOND]),
    ),
    "up to a limit": (
        exponential(interval=a_duration(MINUTE), max_interval=a_duration(3 * MINUTE), count=3),
        *(Sku.STANDARD, [MINUTE, 2 * MINUTE, 3 * MINUTE]),
    ),
    "from more than the default limit": (
        exponential(interval=a_duration(DAY), count=2),
        *(Sku.STANDARD, [DAY, DAY]),
    ),
    "up to 18 months": (
        exponential(interval=a_duration(DAY), max_interval=a_duration(548 * DAY), count=20),
        *(Sku.STANDARD, [DAY * 2**n for n in range(10)] + [548 * DAY] * 10),
    ),
    "on the free plan": (exponential(count=2), Sku.FREE, [HOUR, HOUR]),
}


@pytest.mark.parametrize(("policy", "sku", "pauses"), GROWING.values(), ids=GROWING)
def test_an_exponential_pause_doubles_up_to_its_limit_and_grows_by_a_fifth_at_most(
    policy: RetryPolicy, sku: Sku, pauses: list[int]
) -> None:
    found = [pause(policy, attempt + 1, sku=sku) for attempt in range(len(pauses))]

    assert all(
        each is not None and plain <= each < plain + plain / 5
        for plain, each in zip(pauses, found, strict=True)
    )
    assert pause(policy, len(pauses) + 1, sku=sku) is None


def test_the_jitter_depends_on_tag_and_attempt_alone() -> None:
    policy = exponential(interval=a_duration(HOUR), count=20)

    assert pause(policy, 1, tag="0" * 32) == pause(policy, 1, tag="0" * 32) == 40_098_085_278
    assert pause(policy, 2, tag="0" * 32) != pause(policy, 1, tag="0" * 32)
    assert pause(policy, 1, tag="1" * 32) != pause(policy, 1, tag="0" * 32)


def test_the_jitter_spreads_runs_evenly() -> None:
    policy = exponential(interval=a_duration(HOUR))
    counts = [0] * 10
    for number in range(10_000):
        found = pause(policy, tag=f"{number:032x}") or 0
        counts[(found - HOUR) * 50 // HOUR] += 1

    chi_squared = sum((count - 1000) ** 2 / 1000 for count in counts)
    # One in a thousand random spreads of 10 classes is beyond this.
    assert chi_squared < 27.9


@pytest.mark.parametrize("kind", [None, RetryKind.FIXED])
def test_a_fixed_pause_has_no_jitter_and_does_not_grow(kind: RetryKind | None) -> None:
    assert {pause(RetryPolicy(kind=kind), attempt) for attempt in (1, 2, 3, 4)} == {30 * SECOND}


@pytest.mark.parametrize(
    ("policy", "asked", "expected"),
    [
        pytest.param(RetryPolicy(), HOUR, HOUR, id="fixed"),
        pytest.param(exponential(interval=a_duration(SECOND)), HOUR, HOUR, id="exponential"),
        pytest.param(RetryPolicy(kind=RetryKind.NONE), HOUR, None, id="none"),
        pytest.param(RetryPolicy(interval=a_duration(DAY)), HOUR, DAY, id="earlier than planned"),
    ],
)
def test_a_target_may_ask_for_a_later_retry(
    policy: RetryPolicy, asked: int, expected: int | None
) -> None:
    assert pause(policy, outcome=replace(FAILED, retry_after=asked)) == expected


TRANSIENT = {
    *(Reason.NAME_RESOLUTION_FAILURE, Reason.CONNECT_FAILURE, Reason.SECURE_CHANNEL_FAILURE),
    *(Reason.CONNECTION_CLOSED, Reason.TIMEOUT, Reason.SERVER_BUSY, Reason.CANCELED),
}


@pytest.mark.parametrize("reason", Reason)
@pytest.mark.parametrize("kind", [RetryKind.FIXED, RetryKind.EXPONENTIAL])
def test_a_policy_may_retry_transient_failures_alone(kind: RetryKind, reason: Reason) -> None:
    outcome = Outcome(succeeded=False, message="no", reason=reason)
    transient_only = RetryPolicy(kind=kind, on=RetryOn.TRANSIENT)

    assert (pause(transient_only, outcome=outcome) is not None) is (reason in TRANSIENT)
    assert pause(RetryPolicy(kind=kind, on=RetryOn.ANY), outcome=outcome) is not None
    assert pause(RetryPolicy(kind=kind), outcome=outcome) is not None


@pytest.mark.parametrize(
    ("status", "transient"),
    [
        *((408, True), (425, True), (429, True), (500, True), (503, True), (599, True)),
        *((302, False), (400, False), (401, False), (404, False), (499, False), (600, False)),
    ],
)
@pytest.mark.parametrize(
    "reason", [Reason.HTTP_STATUS, Reason.EXPECTATION_FAILED, Reason.AUTHENTICATION_FAILURE]
)
def test_a_status_tells_whether_a_failure_is_transient(
    reason: Reason, status: int, transient: object
) -> None:
    outcome = Outcome(succeeded=False, message="no", reason=reason, status_code=status)

    assert is_transient(outcome) is transient
