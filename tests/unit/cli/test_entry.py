"""How `foliot` ends, whatever happens: with one line and an exit code."""

import sys
from types import SimpleNamespace

import pytest

import foliot.__main__
from foliot.cli import entry


def end_of(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run `foliot` with arguments, and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["foliot", *arguments])
    with pytest.raises(SystemExit) as ended:
        foliot.__main__.main()
    return int(ended.value.code or 0)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("jbo", "foliot: No such command 'jbo'. Did you mean 'job'? See `foliot --help`."),
        ("job show", "foliot job show: Missing argument 'JOB'. See `foliot job show --help`."),
        ("job list --x", "foliot job list: No such option: --x. See `foliot job list --help`."),
        (
            "job create --every",
            "foliot job create: Option '--every' requires an argument. See "
            "`foliot job create --help`.",
        ),
        (
            "runs --limit no",
            "foliot runs: Invalid value for '--limit' / '-n': \"no\" is not valid; give a whole "
            "number from 1 to 10000. See `foliot runs --help`.",
        ),
    ],
)
def test_a_command_that_was_not_understood_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: str,
    expected: str,
) -> None:
    assert end_of(monkeypatch, *arguments.split()) == 2
    assert capsys.readouterr() == ("", f"{expected}\n")


def test_a_group_without_a_command_shows_its_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert end_of(monkeypatch, "calendar") == 2
    shown = capsys.readouterr()
    assert "Usage: foliot calendar" in shown.out
    assert shown.err == ""


def test_an_error_of_our_own_is_told_by_its_place_and_without_its_values(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_: object) -> None:
        raise LookupError("hunter2")

    monkeypatch.setattr(entry, "app", fail)

    assert end_of(monkeypatch, "job", "list") == 70
    told = capsys.readouterr().err
    assert "this is an error in Foliot itself" in told
    assert "LookupError < cli/test_entry.py:" in told
    assert told.count("\n") == 1
    assert "hunter2" not in told


def test_an_interrupt_while_commands_are_loaded_has_the_code_of_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "foliot.cli.entry", SimpleNamespace(run=interrupt))

    assert end_of(monkeypatch, "job", "list") == 130
    assert capsys.readouterr() == ("", "")
