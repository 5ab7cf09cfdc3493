"""`foliot serve`: the server. Its options come from the table of settings."""

import gc
import os
import sys
from inspect import Parameter, Signature
from typing import Annotated

import typer

from foliot.cli.plain_values import examples_text
from foliot.cli.refusal import refusing
from foliot.serve.settings import read_settings
from foliot.serve.settings.describe import help_text
from foliot.serve.settings.setting import Setting
from foliot.serve.settings.table import TABLE


def serve_(**options: str | bool | None) -> None:
    """Serve the API until SIGTERM or Ctrl-C.

    Each option is also a variable of the environment, named in its help; the option wins.
    """
    # What is loaded is no garbage: to look for some would take a sixth of the time to start.
    gc.disable()
    # Here, since no other command needs the server's parts.
    from foliot.serve.main import Console, serve  # noqa: PLC0415

    with refusing("serve"):
        serve(
            read_settings(options, os.environ),
            Console(typer.echo, is_terminal=sys.stdout.isatty()),
        )


def _parameter(setting: Setting) -> Parameter:
    option = typer.Option(setting.option, metavar=setting.metavar, help=help_text(setting))
    return Parameter(
        setting.name,
        Parameter.KEYWORD_ONLY,
        default=False if setting.is_flag else None,
        annotation=Annotated[bool if setting.is_flag else str | None, option],
    )


# Typer reads the options of a command from the signature of its function.
serve_.__dict__["__signature__"] = Signature(
    [_parameter(each) for each in TABLE if each.option is not None]
)


serve_.__dict__["examples"] = examples_text(
    """
foliot serve
foliot serve --port 8081 --data-dir /var/lib/foliot
foliot serve --tls auto --host 0.0.0.0
"""
)
