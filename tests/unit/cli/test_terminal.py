"""The sign on a terminal that something goes on."""

import signal
from functools import partial
from io import StringIO

import pytest
from rich.console import Console

from foliot.cli.remote import terminal


def a_console(console: Console, **_: object) -> Console:
    return console


def test_ctrl_c_while_a_line_is_told_ends_the_sign_first(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, told = StringIO(), list[str]()
    console = Console(file=screen, force_terminal=True)
    monkeypatch.setattr(terminal, "Console", partial(a_console, console))

    def tell(line: str) -> None:
        signal.raise_signal(signal.SIGINT)
        told.append(line)

    def wait() -> None:
        with terminal.spinning("Job a runs", tell) as tell_above:
            tell_above("Attempt 1 failed.")
            pytest.fail("Ctrl-C was lost")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            wait()
    finally:
        signal.signal(signal.SIGINT, before)

    assert told == ["Attempt 1 failed."]
    show_cursor, hide_cursor = "\x1b[?25h", "\x1b[?25l"
    assert screen.getvalue().rindex(show_cursor) > screen.getvalue().rindex(hide_cursor)
