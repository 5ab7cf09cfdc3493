"""How far a long piece of work is: a bar on a terminal, a line now and then elsewhere."""

import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TextIO

_WIDTH = 24
_EVERY = 1000


@contextmanager
def showing(out: TextIO) -> Generator[Callable[[str, int, int], None]]:
    """Return what is told of each row: what is being done, how many are done, of how many."""
    if not out.isatty():
        yield _Lines(out).show
        return
    bar = _Bar(out)
    try:
        yield bar.show
    finally:
        bar.leave()


class _Bar:
    """One line, drawn again and again."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._drawn = ""

    def show(self, what: str, done: int, total: int) -> None:
        if done % _EVERY and done != total:
            return
        filled = "#" * (_WIDTH * done // total)
        line = f"[{filled:-<{_WIDTH}}] {100 * done // total:3} %  {done} of {total} rows  {what}"
        # A line that is longer than the terminal would begin a new one each time.
        line = line[: shutil.get_terminal_size().columns - 1]
        self._out.write(f"\r{line:<{len(self._drawn)}}")
        self._out.flush()
        self._drawn = line

    def leave(self) -> None:
        if self._drawn:
            self._out.write("\n")


class _Lines:
    """A line whenever something else begins to be done, and for each tenth of it all."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._told: tuple[str, int] | None = None

    def show(self, what: str, done: int, total: int) -> None:
        step = what, 10 * done // total
        if step != self._told:
            self._told = step
            self._out.write(f"{what}: {done} of {total} rows ({100 * done // total} %)\n")
            self._out.flush()
