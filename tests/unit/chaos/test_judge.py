"""The judge of `make chaos` finds what is wrong when something is."""

from typing import Any

import pytest
from msgspec import structs

from chaos.facts import MINUTE, SECOND, Break, Delivery, Recorded, Told, parse, written
from chaos.judge import Evidence, joined, judge, percentile

AT = parse("2026-01-10T12:00:00.005Z")
TIMES = [AT, AT + MINUTE, AT + 2 * MINUTE]


def a_delivery(expected: int = AT, late: int = 1000, **changed: Any) -> Delivery:
    arrived = expected + late
    delivery = Delivery(
        job="j",
        expected=expected,
        tag=f"tag of {expected}",
        request_id=f"{expected} {arrived}",
        arrived=arrived,
        answered=arrived + 1000,
    )
    return structs.replace(delivery, **changed)


def an_entry(expected: int = AT, **changed: Any) -> Recorded:
    entry = Recorded(expected, expected + 500, expected + 3000, "completed", "Http Action - …")
    return structs.replace(entry, **changed)


def a_skip(count: int, first: int, last: int) -> Recorded:
    noun = "occurrence" if count == 1 else "occurrences"
    stretch = f"from {written(first)} to {written(last)}"
    message = f"Http Action - Skipped: {count} {noun} for host 'h', {stretch}: the service …"
    return an_entry(first, status="postponed", message=message)


def evidence(**changed: Any) -> Evidence:
    """Return what is left when all went well, except for what is changed."""
    history = changed.pop("history", [an_entry(time) for time in TIMES])
    executions = changed.pop("executions", 3)
    state = changed.pop("state", "completed")
    whole = Evidence(
        calendar={"j": TIMES},
        deliveries=[a_delivery(time) for time in TIMES],
        told={"j": Told(state, executions, history)},
    )
    return structs.replace(whole, **changed)


def test_all_is_well_when_the_three_sides_agree() -> None:
    found = judge(evidence())

    assert found.problems == []
    assert (found.occurrences, found.sent, found.skipped) == (3, 3, 0)
    assert (found.lost, found.early, found.duplicated, found.planned_twice) == (0, 0, 0, 0)
    assert found.lateness == [1000, 1000, 1000]


def test_a_lost_occurrence_is_found() -> None:
    found = judge(
        evidence(
            deliveries=[a_delivery(TIMES[0]), a_delivery(TIMES[2])],
            history=[an_entry(TIMES[0]), an_entry(TIMES[2])],
            executions=2,
        )
    )

    assert found.lost == 1
    assert found.problems == ["j at 2026-01-10T12:01:00.005000Z was lost"]


def test_an_early_occurrence_is_found() -> None:
    early = a_delivery(TIMES[1], late=-1)

    found = judge(evidence(deliveries=[a_delivery(TIMES[0]), early, a_delivery(TIMES[2])]))

    assert found.early == 1
    assert found.problems == ["j at 2026-01-10T12:01:00.005000Z was sent before its time"]


def test_a_doubled_occurrence_is_found() -> None:
    again = a_delivery(late=5 * SECOND)

    found = judge(evidence(deliveries=[*evidence().deliveries, again]))

    assert found.duplicated == 1
    assert found.problems == ["j at 2026-01-10T12:00:00.005000Z was repeated for no reason"]


@pytest.mark.parametrize(
    ("answered", "kill_at", "is_right"),
    [
        pytest.param(None, 2000, True, id="never answered"),
        pytest.param(9000, 2000, True, id="answered after the kill"),
        pytest.param(1500, 2000, True, id="answered so shortly before that it was not on disk"),
        pytest.param(1500, 6 * SECOND, False, id="answered long before the kill"),
        pytest.param(None, -SECOND, False, id="killed before it was sent"),
    ],
)
def test_a_repeat_is_right_if_it_was_in_flight_at_a_kill(
    answered: int | None, kill_at: int, *, is_right: bool
) -> None:
    first = a_delivery(answered=None if answered is None else AT + answered)
    rest = [a_delivery(time) for time in TIMES[1:]]
    again = a_delivery(late=15 * SECOND)
    kill = Break(AT + kill_at, AT + kill_at + 1000)

    found = judge(evidence(deliveries=[first, *rest, again], breaks=[kill]))

    assert found.duplicated == 1
    assert (found.problems == []) is is_right


@pytest.mark.parametrize(("client", "is_right"), [(7, True), (8, False)])
def test_a_repeat_is_right_only_if_it_was_the_killed_node_that_had_it_in_flight(
    client: int, *, is_right: bool
) -> None:
    first = a_delivery(client=client)
    rest = [a_delivery(time) for time in TIMES[1:]]
    again = a_delivery(late=15 * SECOND)
    kill = Break(AT + 1500, AT + 2000, clients=frozenset({7}))

    found = judge(evidence(deliveries=[first, *rest, again], breaks=[kill]))

    assert (found.problems == []) is is_right


def test_a_repeat_under_another_tag_is_found() -> None:
    again = a_delivery(late=15 * SECOND, tag="another")
    kill = Break(AT + 1500, AT + 2000)

    found = judge(evidence(deliveries=[*evidence().deliveries, again], breaks=[kill]))

    assert found.planned_twice == 1
    assert found.problems == ["j at 2026-01-10T12:00:00.005000Z was repeated under another tag"]


def test_a_retry_after_a_failure_is_right_and_the_failure_is_not_if_the_target_was_well() -> None:
    failed = an_entry(status="failed", message="Timeout")
    again = a_delivery(late=30 * SECOND)
    seen = evidence(
        deliveries=[*evidence().deliveries, again],
        history=[failed, *(an_entry(time) for time in TIMES)],
    )

    assert judge(structs.replace(seen, must_succeed=False)).problems == []
    assert judge(seen).problems == [
        "j at 2026-01-10T12:00:00.005000Z failed at a target that is well: Timeout"
    ]


def test_hops_of_a_redirect_are_one_attempt() -> None:
    hop = a_delivery(late=2000, request_id=a_delivery().request_id)

    assert judge(evidence(deliveries=[*evidence().deliveries, hop])).duplicated == 0


def test_skipped_occurrences_are_not_lost() -> None:
    found = judge(
        evidence(
            deliveries=[a_delivery(TIMES[2])],
            history=[a_skip(2, TIMES[0], TIMES[1]), an_entry(TIMES[2])],
            executions=1,
        )
    )

    assert (found.problems, found.lost, found.skipped) == ([], 0, 2)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        pytest.param(
            {"history": [*(an_entry(time) for time in TIMES), a_skip(1, TIMES[1], TIMES[1])]},
            "j at 2026-01-10T12:01:00.005000Z was sent, and recorded as skipped",
            id="sent and skipped",
        ),
        pytest.param(
            {
                "history": [a_skip(5, TIMES[0], TIMES[1]), an_entry(TIMES[2])],
                "deliveries": [a_delivery(TIMES[2])],
                "executions": 1,
            },
            "j: 5 are said to be skipped, 2 lie in that stretch",
            id="wrong number of skipped ones",
        ),
        pytest.param(
            {"history": [an_entry(TIMES[0]), an_entry(TIMES[1])]},
            "j at 2026-01-10T12:02:00.005000Z was sent, and is not in history",
            id="not in history",
        ),
        pytest.param(
            {"deliveries": [a_delivery(TIMES[0]), a_delivery(TIMES[1])]},
            "j at 2026-01-10T12:02:00.005000Z is in history as completed, and was never sent",
            id="never sent",
        ),
        pytest.param(
            {"history": [an_entry(), *(an_entry(time) for time in TIMES)]},
            "j at 2026-01-10T12:00:00.005000Z was completed 2 times",
            id="recorded twice",
        ),
        pytest.param(
            {"deliveries": [*(a_delivery(time) for time in TIMES), a_delivery(AT + 1)]},
            "j at 2026-01-10T12:00:00.005001Z was sent, and is in no calendar",
            id="sent outside the calendar",
        ),
        pytest.param(
            {"history": [an_entry(AT + 1), *(an_entry(time) for time in TIMES)]},
            "j at 2026-01-10T12:00:00.005001Z is recorded, and is in no calendar",
            id="recorded outside the calendar",
        ),
        pytest.param(
            {"executions": 4}, "j: executionCount is 4, 3 were started", id="wrong counter"
        ),
        pytest.param(
            {"state": "enabled"}, "j is enabled in the end, not completed", id="wrong final state"
        ),
        pytest.param({"told": {}}, "j is gone", id="the job is gone"),
    ],
)
def test_a_contradiction_is_found(changed: dict[str, Any], problem: str) -> None:
    assert problem in judge(evidence(**changed)).problems


def test_an_occurrence_that_was_completed_twice_was_planned_twice() -> None:
    history = [an_entry(), *(an_entry(time) for time in TIMES)]

    assert judge(evidence(history=history)).planned_twice == 1


def test_judgements_are_joined_with_the_lateness_of_the_first() -> None:
    late = judge(evidence(deliveries=[a_delivery(time, late=SECOND) for time in TIMES]))

    both = joined(judge(evidence()), late)

    assert both.occurrences == 6
    assert both.lateness == [1000, 1000, 1000]


def test_a_percentile_is_a_value_that_was_seen() -> None:
    values = list(range(1, 101))

    assert [percentile(values, share) for share in (0.5, 0.99, 1)] == [51, 100, 100]
    assert percentile([], 0.5) == 0
