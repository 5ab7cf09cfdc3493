"""The reference of the command line, and the names that it shares with the server."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from foliot.cli import app
from foliot.cli.remote.exit_codes import MEANINGS, ExitCode
from foliot.cli.remote.reference import command_page
from foliot.serve.settings.read import VARIABLES_OF_COMMANDS, read_settings

PAGE = Path(__file__).parents[3] / "docs/reference/command-line.md"


def test_the_reference_is_written_from_the_commands() -> None:
    assert PAGE.read_text() == command_page(), "run `make command-reference`"


def test_the_reference_has_every_exit_code() -> None:
    assert set(MEANINGS) == set(ExitCode)


def test_every_variable_of_commands_is_in_the_reference_and_no_reason_not_to_start() -> None:
    page = PAGE.read_text()

    assert [name for name in sorted(VARIABLES_OF_COMMANDS) if name not in page] == []
    assert read_settings({}, dict.fromkeys(VARIABLES_OF_COMMANDS, "x")) == read_settings({}, {})


def test_the_help_of_every_command_has_examples_of_it() -> None:
    commands = dict(every_command(typer.main.get_command(app), "foliot"))

    assert len(commands) > 50
    for path, command in commands.items():
        assert path in (command.epilog or ""), path


def every_command(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name in group.commands:
        command = group.get_command(None, name)
        if hasattr(command, "commands"):
            yield from every_command(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command
