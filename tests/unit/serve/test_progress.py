import io
import os

import pytest

from foliot.serve.progress import showing


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.get_terminal_size", lambda **_: os.terminal_size((80, 24)))


def work(out: io.StringIO) -> None:
    with showing(out) as progress:
        for done in range(1, 2501):
            progress("Copying history" if done <= 1500 else "Copying run", done, 2500)


def test_on_a_terminal_it_is_one_line_that_is_drawn_again() -> None:
    out = Terminal()

    work(out)

    assert out.getvalue() == (
        "\r[#########---------------]  40 %  1000 of 2500 rows  Copying history"
        "\r[###################-----]  80 %  2000 of 2500 rows  Copying run    "
        "\r[########################] 100 %  2500 of 2500 rows  Copying run\n"
    )


def test_a_narrow_terminal_gets_what_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.get_terminal_size", lambda **_: os.terminal_size((40, 24)))
    out = Terminal()

    work(out)

    drawn = out.getvalue().rstrip("\n").split("\r")[1:]
    assert {len(line) for line in drawn} == {39}


def test_a_failure_has_a_line_of_its_own() -> None:
    out = Terminal()

    def fail() -> None:
        with showing(out) as progress:
            progress("Copying job", 1000, 3000)
            raise OSError("lost")

    with pytest.raises(OSError, match="lost"):
        fail()

    assert out.getvalue().endswith("1000 of 3000 rows  Copying job\n")


def test_on_a_terminal_nothing_is_left_where_nothing_was_done() -> None:
    out = Terminal()

    with showing(out):
        pass

    assert out.getvalue() == ""


def test_elsewhere_it_is_a_line_for_each_tenth_and_each_kind() -> None:
    out = io.StringIO()

    work(out)

    lines = out.getvalue().splitlines()
    assert lines[0] == "Copying history: 1 of 2500 rows (0 %)"
    assert lines[1] == "Copying history: 250 of 2500 rows (10 %)"
    assert "Copying run: 1501 of 2500 rows (60 %)" in lines
    assert lines[-1] == "Copying run: 2500 of 2500 rows (100 %)"
    assert len(lines) == 12
