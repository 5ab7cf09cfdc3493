"""Progress of a long step: a bar on a terminal, lines elsewhere."""

import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TextIO

from foliot.core.plurals import noun_after

_WIDTH = 24
_EVERY = 1000


@contextmanager
def showing(out: TextIO) -> Generator[Callable[[str, int, int], None]]:
    """Yield a callback for each row: the step, how many rows are done, of how many."""
    if not out.isatty():
        yield _Lines(out).show
        return
    bar = _Bar(out)
    try:
        yield bar.show
    finally:
        bar.leave()


class _Bar:
    """A bar in one line, which is redrawn."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._drawn = ""

    def show(self, what: str, done: int, total: int) -> None:
        if done % _EVERY and done != total:
            return
        filled = "#" * (_WIDTH * done // total)
        rows = f"{done} of {total} {noun_after(total, 'row')}"
        line = f"[{filled:-<{_WIDTH}}] {100 * done // total:3} %  {rows}  {what}"
        # A line wider than the terminal would wrap, and each redraw would add one.
        line = line[: shutil.get_terminal_size().columns - 1]
        self._out.write(f"\r{line:<{len(self._drawn)}}")
        self._out.flush()
        self._drawn = line

    def leave(self) -> None:
        if self._drawn:
            self._out.write("\n")


class _Lines:
    """A line for each new step, and for each tenth of the rows."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._told: tuple[str, int] | None = None

    def show(self, what: str, done: int, total: int) -> None:
        step = what, 10 * done // total
        if step != self._told:
            self._told = step
            rows = f"{done} of {total} {noun_after(total, 'row')}"
            self._out.write(f"{what}: {rows} ({100 * done // total} %)\n")
            self._out.flush()
