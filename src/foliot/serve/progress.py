"""Progress of what may take long: a line on a terminal, once it has taken two seconds.

A thread draws the line, so that it also shows what waits for another program. It has no colours.
"""

import os
import shutil
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import NamedTuple, TextIO, TypeVar

from foliot.core.instant import SECOND, Instant
from foliot.core.plurals import how_many, noun_after
from foliot.ports import clock

_QUIET_SECONDS = 2.0
_SECONDS_BETWEEN_DRAWINGS = 0.1
_WIDTH = 24
_MEGABYTE = 1_000_000

T = TypeVar("T")


class _Step(NamedTuple):
    """What is being done; how much of it is done, and in all, 0 if nobody knows; and of what."""

    what: str
    done: int = 0
    total: int = 0
    noun: str = ""


class ProgressLine:
    """What a line tells. Each method only remembers, so that it can be called for every row."""

    def __init__(self, what: str) -> None:
        self._step = _Step(what)

    def show(self, what: str) -> None:
        """Tell what is being done, where nobody knows how much it is."""
        self._step = _Step(what)

    def show_part(self, what: str, done: int, total: int) -> None:
        """Show a bar."""
        self._step = _Step(what, done, total)

    def show_rows(self, what: str, done: int, total: int) -> None:
        """Show a bar, and how many rows are done."""
        self._step = _Step(what, done, total, "row")

    def show_size(self, what: str, size: int) -> None:
        """Tell how many bytes are written, where nobody knows how many it will be."""
        self._step = _Step(f"{what}  {size / _MEGABYTE:.1f} MB" if size else what)

    def each(self, what: str, items: Collection[T]) -> Iterator[T]:
        """Go through items, and show a bar of those that are done."""
        for done, item in enumerate(items):
            self.show_part(what, done, len(items))
            yield item

    def counted(self, what: str, noun: str, items: Iterable[T]) -> Iterator[T]:
        """Go through items of an unknown number, and tell how many were read."""
        for done, item in enumerate(items, 1):
            self._step = _Step(what, done, noun=noun)
            yield item

    def text(self, seconds: int) -> str:
        """Return the line after some seconds."""
        what, done, total, noun = self._step
        parts = [what, f"{seconds} s"]
        # One step of one is either not done, or over.
        if total > 1:
            share = min(1.0, done / total)
            filled = "#" * int(_WIDTH * share)
            rows = [f"{done} of {total} {noun_after(total, noun)}"] if noun else []
            parts = [f"[{filled:-<{_WIDTH}}] {int(100 * share):3} %", *rows, *parts]
        elif noun:
            parts.insert(1, how_many(done, noun))
        return "  ".join(parts)


@contextmanager
def progress_line(what: str, out: TextIO | None = None) -> Generator[ProgressLine]:
    """Yield a line; nothing is written where nobody watches. It is removed at the end."""
    line = ProgressLine(what)
    out = sys.stderr if out is None else out
    if not _is_watched(out):
        yield line
        return
    left = Event()
    drawer = Thread(target=draw, args=(line, out, left.wait, clock.now), daemon=True)
    drawer.start()
    try:
        yield line
    finally:
        left.set()
        drawer.join()


def draw(
    line: ProgressLine,
    out: TextIO,
    is_left_within: Callable[[float], bool],
    now: Callable[[], Instant],
) -> None:
    """Draw a line again and again until it is left, and remove it."""
    since, drawn = now(), ""
    pause = _QUIET_SECONDS
    while not is_left_within(pause):
        pause = _SECONDS_BETWEEN_DRAWINGS
        # A line wider than the terminal would wrap, and each drawing would add one.
        text = line.text((now() - since) // SECOND)[: _columns(out) - 1]
        if text != drawn:
            out.write(f"\r{text:<{len(drawn)}}")
            out.flush()
            drawn = text
    if drawn:
        out.write(f"\r{'':<{len(drawn)}}\r")
        out.flush()


@contextmanager
def showing(out: TextIO) -> Generator[Callable[[str, int, int], None]]:
    """Yield a callback for each row of a database: the step, how many are done, of how many.

    Elsewhere than on a terminal it writes lines: the log of a service tells why it does not start.
    """
    if out.isatty():
        with progress_line("Opening the database", out) as line:
            yield line.show_rows
    else:
        yield _Lines(out).show


def _is_watched(out: TextIO | None) -> bool:
    # Without standard error Python has none, and a dumb terminal does not go back in a line.
    return out is not None and out.isatty() and os.environ.get("TERM") != "dumb"


def _columns(out: TextIO) -> int:
    """Return the width of the terminal, which standard output need not be."""
    try:
        found = os.get_terminal_size(out.fileno()).columns
    except (OSError, ValueError):
        found = 0
    return found or shutil.get_terminal_size().columns


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
