"""Progress of what may take long: a line on a terminal, once it has taken two seconds."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from typing import TextIO

from foliot.core.instant import SECOND
from foliot.ports import clock

_QUIET_TICKS = 2 * SECOND
_WIDTH = 24


@contextmanager
def late_progress(out: TextIO) -> Generator["LateProgress"]:
    """Yield a line that is drawn again; nothing is written where nobody watches."""
    line = LateProgress(out)
    try:
        yield line
    finally:
        line.leave()


class LateProgress:
    """A line of progress."""

    def __init__(self, out: TextIO) -> None:
        self._out = out if out.isatty() else None
        self._since = clock.now()
        self._drawn = ""

    def show_part(self, what: str, done: int, total: int) -> None:
        """Show a bar."""
        share = done / total if total else 1.0
        filled = "#" * int(_WIDTH * share)
        self._show(f"[{filled:-<{_WIDTH}}] {int(100 * share):3} %  {what}")

    def show_size(self, what: str, size: int) -> None:
        """Show how much is written, where nobody knows how much it will be."""
        self._show(f"{what}  {size / 1e6:.1f} MB" if size else what)

    def leave(self) -> None:
        """Remove the line."""
        if self._out is not None and self._drawn:
            self._out.write(f"\r{'':<{len(self._drawn)}}\r")
            self._out.flush()

    def _show(self, line: str) -> None:
        if self._out is None or clock.now() - self._since < _QUIET_TICKS:
            return
        line = line[: shutil.get_terminal_size().columns - 1]
        self._out.write(f"\r{line:<{len(self._drawn)}}")
        self._out.flush()
        self._drawn = line
