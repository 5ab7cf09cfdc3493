"""What is remembered of runs by hand does not grow."""

import pytest

from foliot.core.errors import Conflict
from foliot.core.ids import JobId
from foliot.core.instant import MINUTE, Instant
from foliot.core.model.collection import Sku
from foliot.core.rules import request_windows
from foliot.core.rules.manual_runs import RUNS_OF_A_JOB, ManualRuns
from tests.support.builders import NOW, a_collection, a_job


def test_windows_that_are_over_are_forgotten_and_open_ones_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(request_windows, "_KEPT", 4)
    counted = ManualRuns(max_open_runs=10)
    free, standard = a_collection(sku=Sku.FREE), a_collection("other")
    tested = a_job(free.id, id=JobId(1))
    for _ in range(RUNS_OF_A_JOB):
        counted.add(free, tested, NOW)

    for number in range(20):
        later = Instant(NOW + number * MINUTE)
        counted.add(standard, a_job(standard.id, id=JobId(number + 2)), later)

    assert len(counted._windows._windows) <= 6  # noqa: SLF001
    with pytest.raises(Conflict, match="allows 10 runs by hand"):
        counted.check(free, tested, 0, Instant(NOW + 20 * MINUTE))
