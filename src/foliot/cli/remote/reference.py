"""Writes docs/reference/command-line.md from the commands: `make command-reference`."""

import sys
from collections.abc import Iterator
from typing import Any

import typer

from foliot.cli import app
from foliot.cli.remote.exit_codes import MEANINGS

_INTRODUCTION = """\
# Command line

<!-- Written by `make command-reference` from the commands in src/foliot/cli. -->

`foliot` runs a server (`foliot serve`) and talks to one. [How to use it](../how-to/command-line.md)
shows the daily work. Each command has `--help` with examples.

## Which server, which collection

| option | variable | meaning |
|---|---|---|
| `--server` | `FOLIOT_SERVER` | the URL of the server |
| `--token` | `FOLIOT_TOKEN` | the token; others on the machine can read options, so prefer the variable or `foliot login` |
| `--ca` | `FOLIOT_CA` | a file with the authority of the server's certificate |
| `--collection`, `-c` | `FOLIOT_COLLECTION` | `SUBSCRIPTION/GROUP/NAME`, or the name alone if only one collection has it; `--subscription` and `--group` narrow it down |
| `--output`, `-o` | | `table` (default), `json`, `jsonl` (one line for each) or `yaml` |

- An option wins over its variable, and both over the profile that `foliot login` has saved. Without any of them the server
  whose data directory is `foliot-data` here, or `FOLIOT_DATA_DIR`, is called with its own token, if it runs and listens on
  an address of this machine.
- A token belongs to its server: a saved one is never sent to another URL, nor that of a data directory whose server does not run.
- The collection may be left out if there is only one.
- Tables have colours and fit the width on a terminal. In a pipe they are plain columns, as wide as they need to be.
  `NO_COLOR` turns colours off. Times are UTC.
- Proxies of the environment are not used, and redirects are not followed.

## What can be typed

| what | examples |
|---|---|
| a period | `30s`, `5m`, `12h`, `7d`, `1h30m`, `PT5M` |
| how often (`--every`) | `5m`, `12h`, `1d`, `2 weeks`, `month` |
| a time | `now`, `9:00` (the next one), `tomorrow 9:00`, `monday 17:30`, `in 10m`, `2h ago`, `2026-03-01T09:00Z`; without an offset it is one of `--zone`, or of the clock of this machine |
| a time in the past (`--since`, `--from`) | `12h` is so long ago; `9:00` and `monday 17:30` are the last ones; otherwise as above |
| retries | `5x30s`: 5 retries, 30 seconds apart; `10x5s-10m`: 5 seconds apart at first, then doubled up to 10 minutes; `none` |

## Exit codes

An error is one line on standard error. The codes stay the same in later versions.

| code | meaning |
|---|---|
"""  # noqa: E501  (rows of tables)
_SHARED = {"server", "token", "ca", "collection", "subscription", "group", "output", "help"}
_ONLY_IN_HELP = {"help", "install_completion", "show_completion"}


def command_page() -> str:
    """Return the page."""
    codes = "".join(f"| {code.value} | {meaning} |\n" for code, meaning in MEANINGS.items())
    root: Any = typer.main.get_command(app)
    return f"{_INTRODUCTION}{codes}\n" + "\n".join(_commands(root, "foliot")).rstrip("\n") + "\n"


def _commands(group: Any, path: str) -> Iterator[str]:
    for name in group.commands:
        command = group.get_command(None, name)
        if hasattr(command, "commands"):
            yield from _commands(command, f"{path} {name}")
        else:
            yield from _command(command, f"{path} {name}")


def _command(command: Any, path: str) -> Iterator[str]:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    usage = " ".join([path, *(_argument(each) for each in arguments), "[OPTIONS]"])
    yield f"## {path}\n\n`{usage}`\n"
    yield f"{command.help}\n"
    if path == "foliot serve":
        yield "Its options are [settings](settings.md).\n"
        yield from _examples(command)
        return
    hidden = _ONLY_IN_HELP if path in {"foliot login", "foliot logout"} else _SHARED
    options = [
        each
        for each in command.params
        if each.param_type_name == "option" and each.name not in hidden
    ]
    rows = [*map(_row, arguments), *map(_row, options)]
    if rows:
        yield "| | |\n|---|---|"
        yield from rows
        yield ""
    yield from _examples(command)


def _examples(command: Any) -> Iterator[str]:
    lines = [line for line in command.epilog.splitlines() if line and line != "Examples:"]
    yield "\n".join(["```text", *lines, "```", ""])


def _argument(parameter: Any) -> str:
    name = str(parameter.metavar or parameter.name.upper())
    return name if parameter.required else f"[{name}]"


def _row(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        said = f"`{_argument(parameter)}`"
    else:
        flags = ", ".join(f"`{each}`" for each in parameter.opts)
        takes = "" if parameter.is_flag else f" `{parameter.metavar or parameter.name.upper()}`"
        said = f"{flags}{takes}"
    default = parameter.default
    has_default = isinstance(default, int | str) and not isinstance(default, bool)
    added = f" `{default}` by default." if has_default else ""
    return f"| {said} | {parameter.help}{added} |"


if __name__ == "__main__":
    sys.stdout.write(command_page())
