"""The waits that `make chaos` measures after a break, and what it takes for overdue."""

from chaos.deadline import BOUND, waits
from chaos.facts import SECOND, Break, Delivery, parse
from chaos.judge import Evidence

AT = parse("2026-01-10T12:00:00.005Z")
KILL = Break(AT + SECOND, AT + 2 * SECOND, clients=frozenset({7}))


def an_attempt(at: int, *, client: int = 7) -> Delivery:
    arrived = AT + at
    return Delivery("j", AT, "tag", str(at), arrived, client=client, answered=arrived + SECOND)


def found(*attempts: Delivery, delays: tuple[int, ...] = (KILL.at,)) -> tuple[int, int, list[str]]:
    seen = Evidence(calendar={"j": [AT]}, deliveries=attempts, told={}, breaks=[KILL])
    measured = waits(seen, delays)
    return measured.longest, measured.struck_twice, list(measured.problems)


def test_a_first_attempt_is_measured_from_its_time() -> None:
    assert found(an_attempt(3000)) == (3000, 0, [])


def test_a_repeat_is_measured_from_the_break_of_the_one_before() -> None:
    assert found(an_attempt(0), an_attempt(16 * SECOND)) == (15 * SECOND, 0, [])


def test_an_attempt_that_another_break_delayed_is_measured_from_that() -> None:
    second = KILL.at + 18 * SECOND
    late = an_attempt(30 * SECOND)

    assert found(late, delays=(KILL.at, second)) == (11 * SECOND, 1, [])


def test_what_comes_later_than_that_is_overdue() -> None:
    late = an_attempt(SECOND + BOUND + 1)

    longest, _, problems = found(late)

    assert longest == BOUND + 1
    assert problems == [
        "j at 2026-01-10T12:00:00.005000Z was sent 20.0 s after the last break that could delay it"
    ]


def test_a_break_long_after_its_time_is_no_excuse() -> None:
    late = an_attempt(50 * SECOND)

    assert found(late, delays=(AT + 45 * SECOND,))[0] == 50 * SECOND
