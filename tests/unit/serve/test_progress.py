import io
import os
from collections.abc import Callable

import pytest

from foliot.core.instant import SECOND, Instant
from foliot.serve.progress import ProgressLine, draw, progress_line, showing


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.get_terminal_size", lambda **_: os.terminal_size((80, 24)))


def drawn(*steps: Callable[[ProgressLine], object]) -> str:
    """Draw a line after each step, a second apart."""
    line, out, coming, waited = ProgressLine("Copying"), Terminal(), iter(steps), [0.0]

    def is_left_within(seconds: float) -> bool:
        waited.append(seconds)
        step = next(coming, None)
        if step is not None:
            step(line)
        return step is None

    draw(line, out, is_left_within, lambda: Instant(len(waited) * SECOND))
    assert waited[1] == 2.0
    return out.getvalue()


def test_a_line_is_drawn_again_when_it_changes_and_removed_at_the_end() -> None:
    shown = drawn(
        lambda line: line.show_rows("Copying history", 1000, 2500),
        lambda line: line.show_rows("Copying run", 2500, 2500),
        lambda line: line.show("Checking"),
    )

    lines = [
        "[#########---------------]  40 %  1000 of 2500 rows  Copying history  1 s",
        "[########################] 100 %  2500 of 2500 rows  Copying run  2 s    ",
        f"{'Checking  3 s':<69}",
        " " * 13,
        "",
    ]
    assert shown.split("\r")[1:] == lines


def test_what_ends_within_two_seconds_shows_nothing() -> None:
    assert drawn() == ""


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        pytest.param(lambda line: line.show_size("Dumping", 1_500_000), "Dumping  1.5 MB", id="MB"),
        pytest.param(lambda line: line.show_size("Dumping", 0), "Dumping", id="no size yet"),
        pytest.param(
            lambda line: next(line.each("Jobs", [1, 2])),
            f"[{'-' * 24}]   0 %  Jobs",
            id="first of two",
        ),
        pytest.param(
            lambda line: list(line.each("Jobs", [1, 2])),
            f"[{'#' * 12}{'-' * 12}]  50 %  Jobs",
            id="second of two",
        ),
        pytest.param(lambda line: next(line.each("Jobs", [1])), "Jobs", id="only one"),
        pytest.param(
            lambda line: list(line.counted("Reading", "entry", iter("abc"))),
            "Reading  3 entries",
            id="of an unknown number",
        ),
    ],
)
def test_a_line_tells_as_much_as_is_known(
    step: Callable[[ProgressLine], object], expected: str
) -> None:
    assert drawn(step).split("\r")[1] == f"{expected}  1 s"


def test_a_narrow_terminal_gets_what_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.get_terminal_size", lambda **_: os.terminal_size((40, 24)))

    shown = drawn(lambda line: line.show_rows("Copying history", 1000, 2500))

    assert {len(line) for line in shown.split("\r")[1:-1]} == {39}


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_nothing_is_left_where_nothing_was_done(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", term)
    out = Terminal()

    with progress_line("Copying", out), showing(out):
        pass

    assert out.getvalue() == ""


def test_a_service_has_a_line_in_its_log_for_each_tenth_and_each_kind() -> None:
    out = io.StringIO()

    with showing(out) as progress:
        for done in range(1, 2501):
            progress("Copying history" if done <= 1500 else "Copying run", done, 2500)

    lines = out.getvalue().splitlines()
    assert lines[0] == "Copying history: 1 of 2500 rows (0 %)"
    assert lines[1] == "Copying history: 250 of 2500 rows (10 %)"
    assert "Copying run: 1501 of 2500 rows (60 %)" in lines
    assert lines[-1] == "Copying run: 2500 of 2500 rows (100 %)"
    assert len(lines) == 12
