"""Descriptors decide how many attempts there may be at a time."""

import resource
from typing import Any

import pytest

from foliot.serve import descriptors
from foliot.serve.descriptors import fitting_slots, raise_limit

INFINITY = resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("limit", "one_process", "slots"),
    [(65_536, False, 512), (1024, False, 320), (1024, True, 160), (256, False, 64), (20, True, 8)],
)
def test_slots_are_as_many_as_there_are_descriptors_for(
    limit: int, one_process: Any, slots: int, caplog: pytest.LogCaptureFixture
) -> None:
    assert fitting_slots(512, limit, one_process=one_process) == slots
    assert (f"descriptors={limit}" in caplog.text) is (slots < 512)


@pytest.mark.parametrize(
    ("soft", "hard", "expected"),
    [
        (1024, 4096, 4096),
        (4096, 4096, 4096),
        (1024, INFINITY, 65_536),
        (1024, 1_048_576, 65_536),
        (INFINITY, INFINITY, 65_536),
        (100_000, 1_048_576, 100_000),
    ],
)
def test_the_soft_limit_is_raised_as_far_as_it_goes(
    soft: int, hard: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = [(soft, hard)]
    monkeypatch.setattr(descriptors.resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(descriptors.resource, "setrlimit", lambda _, pair: limits.append(pair))

    assert raise_limit() == expected
    assert len(limits) == (1 if soft in {expected, INFINITY} else 2)


def test_a_limit_that_cannot_be_raised_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(descriptors.resource, "getrlimit", lambda _: (256, 1024))
    monkeypatch.setattr(descriptors.resource, "setrlimit", refuse)

    assert raise_limit() == 256
