"""Finding the request that crashes the worker process."""

import pytest

from foliot.dispatch.worker.crash_suspects import CrashSuspects, Finding


def test_after_one_end_all_are_sent_again() -> None:
    assert CrashSuspects().after_end([1, 2, 3]) == Finding(None, [1, 2, 3])


def test_after_two_ends_half_of_the_suspects_are_sent_and_then_the_others() -> None:
    suspects = CrashSuspects()
    suspects.after_end([1, 2, 3])

    assert suspects.after_end([1, 2, 3, 4]) == Finding(None, [1, 2, 4])
    assert suspects.has_ended(1) == ()
    assert suspects.has_ended(4) == ()
    assert suspects.has_ended(2) == [3]
    assert suspects.has_ended(3) == ()


def test_suspects_held_back_last_go_first() -> None:
    suspects = CrashSuspects()
    for _ in range(2):
        suspects.after_end([1, 2, 3, 4])

    assert suspects.after_end([1, 2]) == Finding(None, [1])
    assert suspects.has_ended(1) == [2]
    assert suspects.has_ended(2) == [3, 4]


def test_a_suspect_that_was_alone_at_an_end_is_guilty_and_the_others_go_on() -> None:
    suspects = CrashSuspects()
    for _ in range(2):
        suspects.after_end([1, 2])

    assert suspects.after_end([1, 5]) == Finding(1, [5, 2])
    assert suspects.after_end([5, 2]) == Finding(None, [5, 2])


def test_a_suspect_that_was_given_up_while_held_back_is_not_sent() -> None:
    suspects = CrashSuspects()
    for _ in range(2):
        suspects.after_end([1, 2])

    assert suspects.has_ended(2) == ()
    assert suspects.has_ended(1) == ()


def test_an_end_without_a_suspect_in_progress_proves_nothing() -> None:
    suspects = CrashSuspects()
    for _ in range(2):
        suspects.after_end([1, 2, 3, 4])

    for _ in range(3):
        assert suspects.after_end([9]) == Finding(None, [9])
    assert suspects.after_end([9, 1, 2]) == Finding(None, [9, 1])


@pytest.mark.parametrize("guilty", [0, 1, 77, 255, 510, 511])
def test_the_guilty_request_is_found_within_few_ends(guilty: int) -> None:
    suspects, in_progress, ends, found = CrashSuspects(), set(range(512)), 0, None
    while found is None and ends < 20:
        if guilty in in_progress:
            ends += 1
            found, again = suspects.after_end(sorted(in_progress))
            in_progress = set(again)
        else:
            answered = sorted(in_progress)
            in_progress = set()
            for number in answered:
                in_progress.update(suspects.has_ended(number))

    assert found == guilty
    assert ends <= 12
