"""Loads each command only when it is called or listed, so that none waits for the others."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand

from foliot.cli.plain_values import PlainCommand, PlainGroup

_REMOTE = "foliot.cli.remote"

_COLLECTION_COMMANDS = {
    name: f"{_REMOTE}.collections:{name}_collection"
    for name in ("show", "create", "update", "delete", "enable", "disable")
}
_JOB_COMMANDS = {
    "list": f"{_REMOTE}.jobs:list_jobs",
    "show": f"{_REMOTE}.jobs:show_job",
    "create": f"{_REMOTE}.job_saving:create_job",
    "update": f"{_REMOTE}.job_saving:update_job",
    "delete": f"{_REMOTE}.jobs:delete_job",
    "enable": f"{_REMOTE}.jobs:enable_job",
    "disable": f"{_REMOTE}.jobs:disable_job",
    "run": f"{_REMOTE}.job_running:run_job",
    "test": f"{_REMOTE}.job_running:try_job",
    "next": f"{_REMOTE}.jobs:next_runs",
    "history": f"{_REMOTE}.job_history:show_history",
    "why": f"{_REMOTE}.job_history:explain_time",
    "redrive": f"{_REMOTE}.job_running:redrive_runs",
    "backfill": f"{_REMOTE}.job_running:backfill_times",
    "retry": f"{_REMOTE}.job_running:retry_run",
    "cancel": f"{_REMOTE}.job_running:cancel_runs",
    "export": f"{_REMOTE}.jobs:export_jobs",
}
_CALENDAR_COMMANDS = {
    name: f"{_REMOTE}.calendars:{name}_calendar" for name in ("show", "import", "delete")
}
_ALERT_COMMANDS = {
    "list": f"{_REMOTE}.alerts:list_alerts",
    "show": f"{_REMOTE}.alerts:show_alert",
    "create": f"{_REMOTE}.alert_saving:create_alert",
    "update": f"{_REMOTE}.alert_saving:update_alert",
    "delete": f"{_REMOTE}.alerts:delete_alert",
    "enable": f"{_REMOTE}.alerts:enable_alert",
    "disable": f"{_REMOTE}.alerts:disable_alert",
    "test": f"{_REMOTE}.alerts:try_alert",
}

# Where the function of a command is, the `typer.Typer` of a group of commands, or a group.
Commands = Mapping[str, "str | Commands"]
COMMANDS: Commands = {
    "login": f"{_REMOTE}.login:log_in",
    "logout": f"{_REMOTE}.login:log_out",
    "collection": {"list": f"{_REMOTE}.collections:list_collections", **_COLLECTION_COMMANDS},
    "job": _JOB_COMMANDS,
    "runs": f"{_REMOTE}.runs:list_runs",
    "failures": f"{_REMOTE}.runs:list_failures",
    "audit": f"{_REMOTE}.audit:list_changes",
    "calendar": {"list": f"{_REMOTE}.calendars:list_calendars", **_CALENDAR_COMMANDS},
    "alert": _ALERT_COMMANDS,
    "apply": "foliot.cli.files.commands:apply_files",
    "diff": "foliot.cli.files.commands:diff_files",
    "export": "foliot.cli.files.commands:export_files",
    "import": "foliot.cli.import_jobs:import_app",
    "next": "foliot.cli.next:next_",
    "serve": "foliot.cli.serve:serve_",
    "token": "foliot.cli.token:token_app",
    "backup": "foliot.cli.local.backup:backup_",
    "restore": "foliot.cli.local.restore:restore_",
    "key": "foliot.cli.local.key:key_app",
    "doctor": "foliot.cli.doctor.command:doctor_",
    "ping": "foliot.cli.local.ping:ping_",
    "migrate": "foliot.cli.migrate:migrate_",
}
_GROUP_HELP = {
    "collection": "List, create, change and delete collections of jobs.",
    "job": "Create, change, run and watch jobs.",
    "calendar": "List, import and delete calendars of days off.",
    "alert": "Say who is told when jobs fail, are late or stop succeeding.",
}


class LazyCommands(PlainGroup):
    """A group of commands: it knows their names, and loads a command when asked for it."""

    table: ClassVar[Commands] = COMMANDS

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        # Typer takes the names to list and to suggest from here.
        self.commands = {name: TyperCommand(name) for name in self.table}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002  (of the base class)
        """Return a command, or None if there is none of this name."""
        found = self.table.get(cmd_name)
        return None if found is None else _load(cmd_name, found)


def _load(name: str, place: "str | Commands") -> Any:
    app = typer.Typer(add_completion=False)
    found = _found(name, place)
    if isinstance(found, typer.Typer):
        for command in found.registered_commands:
            command.cls = PlainCommand
        group = PlainGroup if isinstance(place, str) else _lazy_group(name, place)
        app.add_typer(found, name=name, cls=group)
    else:
        # Examples stand below the options, line by line as they are written.
        epilog: str | None = getattr(found, "examples", None)
        app.command(name, cls=PlainCommand, epilog=epilog)(found)
    return typer.main.get_group(app).commands[name]


def _found(name: str, place: "str | Commands") -> typer.Typer | Callable[..., None]:
    if not isinstance(place, str):
        return typer.Typer(no_args_is_help=True, help=_GROUP_HELP[name])
    module, _, attribute = place.partition(":")
    found: typer.Typer | Callable[..., None] = getattr(import_module(module), attribute)
    return found


def _lazy_group(name: str, table: Commands) -> type[LazyCommands]:
    return type(f"LazyCommandsOf{name.capitalize()}", (LazyCommands,), {"table": table})
