"""Loads each command only when it is called or listed, so that none waits for the others."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand

from foliot.cli.plain_values import PlainCommand, PlainGroup

# Where the function of a command is, or the `typer.Typer` of a group of commands.
_COMMANDS: Mapping[str, str] = {
    "migrate": "foliot.cli.migrate:migrate_",
    "next": "foliot.cli.next:next_",
    "serve": "foliot.cli.serve:serve_",
    "token": "foliot.cli.token:token_app",
}


class LazyCommands(PlainGroup):
    """The group of all commands: it knows their names, and loads a command when asked for it."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        # Typer takes the names to list and to suggest from here.
        self.commands = {name: TyperCommand(name) for name in _COMMANDS}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002  (of the base class)
        """Return a command, or None if there is none of this name."""
        return _load(cmd_name) if cmd_name in _COMMANDS else None


def _load(name: str) -> Any:
    module, _, attribute = _COMMANDS[name].partition(":")
    found: typer.Typer | Callable[..., None] = getattr(import_module(module), attribute)
    app = typer.Typer(add_completion=False)
    if isinstance(found, typer.Typer):
        app.add_typer(found, name=name, cls=PlainGroup)
    else:
        app.command(name, cls=PlainCommand)(found)
    return typer.main.get_group(app).commands[name]
