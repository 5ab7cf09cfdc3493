"""Writes docs/reference/settings.md from the table: `make settings-reference`."""

import sys
from collections.abc import Iterator

from foliot.serve.settings.describe import default_text
from foliot.serve.settings.setting import Setting
from foliot.serve.settings.table import SECTIONS

_INTRODUCTION = """\
# Settings

<!-- Written by `make settings-reference` from src/foliot/serve/settings/table.py. -->

`foliot serve` reads these settings once, when it starts. An option wins over its variable. An empty
variable is not set. A variable that begins with `FOLIOT_` and is neither listed here nor of the
[command line](command-line.md) is refused, with the nearest name: a misspelt one would be missed.
Secrets have no option, since a command line is visible to everyone on the machine.
"""


def reference_page() -> str:
    """Return the page."""
    return "\n".join([_INTRODUCTION, *_sections()])


def _sections() -> Iterator[str]:
    for title, settings in SECTIONS.items():
        yield f"## {title}\n"
        yield "| variable | option | value | default | meaning |\n|---|---|---|---|---|"
        yield from map(_row, settings)
        yield ""


def _row(setting: Setting) -> str:
    option = "" if setting.option is None else f"`{setting.option}`"
    default = default_text(setting)
    cells = (
        f"`{setting.variable}`",
        option,
        setting.parser.expected,
        default if setting.default is not None or setting.is_flag else f"`{default}`",
        f"{setting.help} {setting.details}".strip(),
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.stdout.write(reference_page())
