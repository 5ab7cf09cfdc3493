"""Loaded by a server before anything else, where this folder is in its PYTHONPATH.

It changes nothing of Foliot's: Python itself is made to fail on demand.
"""

from pathlib import Path
from typing import Final

VARIABLE: Final = "CHAOS_FAULT"


class Injection:
    """A fault that can be switched on and off in processes that are told of it."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "fault"

    @property
    def environ(self) -> dict[str, str]:
        """What the processes need to be told."""
        return {"PYTHONPATH": str(Path(__file__).parent), VARIABLE: str(self._file)}

    def switch(self, *, on: bool) -> None:
        """Let the renewal of leases fail, or let it be."""
        if on:
            self._file.touch()
        else:
            self._file.unlink()
