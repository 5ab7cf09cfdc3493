"""A wall clock that can be set, for one process: a library it loads first, built on the spot."""

import mmap
import os
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from chaos.facts import SECOND, Delivery, now

_SOURCE = Path(__file__).with_suffix(".c")
_AHEAD = struct.Struct("=q")


class FalseClock:
    """The clock of a server, so many seconds ahead of ours; it remembers when it was set."""

    def __init__(self, folder: Path) -> None:
        self._library = folder / "false_clock.so"
        self._file = folder / "ahead"
        self._file.write_bytes(_AHEAD.pack(0))
        self._jumps = [(0, 0)]
        compiler = os.environ.get("CC", "cc")
        build = [compiler, "-O2", "-shared", "-fPIC", "-o", str(self._library), str(_SOURCE)]
        subprocess.run(build, check=True)  # noqa: S603  (our own command)

    @property
    def environ(self) -> dict[str, str]:
        """What the process needs to be told."""
        return {"LD_PRELOAD": str(self._library), "FALSE_CLOCK": str(self._file)}

    def set(self, seconds: int) -> None:
        """Make it jump."""
        with self._file.open("r+b") as file, mmap.mmap(file.fileno(), _AHEAD.size) as shared:
            # Eight bytes at once: whoever reads meanwhile finds the old or the new.
            shared[:] = _AHEAD.pack(seconds)
        self._jumps.append((now(), seconds * SECOND))

    def now(self) -> int:
        """Return what it shows."""
        return self.shown_at(now())

    def shown_at(self, moment: int) -> int:
        """Return what it showed at a moment of the true clock."""
        return moment + next(ahead for at, ahead in reversed(self._jumps) if at <= moment)

    def as_shown(self, deliveries: Sequence[Delivery]) -> list[Delivery]:
        """Return deliveries at the moments that this clock showed."""
        return [
            structs.replace(
                each,
                arrived=self.shown_at(each.arrived),
                answered=None if each.answered is None else self.shown_at(each.answered),
            )
            for each in deliveries
        ]
