"""What takes long and is the same each time: made once in this process, for all its tests."""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import FileSystemBytecodeCache

from foliot.api import app, status
from foliot.api.openapi.document import describe
from foliot.api.openapi.page import page
from foliot.api.routes import OPERATIONS
from foliot.api.wire.pfx import certificate
from foliot.api.wire.pfx.open_pfx import open_in_subprocess
from foliot.core.limits import Limits
from foliot.portal import templating

_pages: dict[int, str] = {}


def keep_results(folder: Path) -> None:
    """Let all servers of this process share them, and all processes what is in a folder."""
    templates = FileSystemBytecodeCache(str(folder))
    templating._ENVIRONMENT.bytecode_cache = templates  # noqa: SLF001
    # Each server writes the description of its API when it starts, and few are asked for it.
    app.describe = lambda _, limits: _description(limits)
    status.page = lambda document: _pages[id(document)]
    # A PFX file is opened in a process of its own.
    certificate.open_in_subprocess = cache(open_in_subprocess)


@cache
def _description(limits: Limits) -> dict[str, Any]:
    document = describe(OPERATIONS, limits)
    _pages[id(document)] = page(document)
    return document
