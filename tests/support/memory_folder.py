"""Where the files of tests are: in memory, if there is room, as a disk makes every commit wait."""

import os
import shutil
from functools import cache
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108  (folders in it have names of their own)
_NEEDED = 3 * 1024**3


@cache
def memory_folder() -> str | None:
    """Return a folder in memory, or None where files have to be on a disk."""
    if not os.access(_MEMORY, os.W_OK) or shutil.disk_usage(_MEMORY).free < _NEEDED:
        return None
    return str(_MEMORY)
