"""Decides which columns of a table fit a terminal; the others stand below their row, by name."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

_GAP = 2


class Layout(NamedTuple):
    """The columns of a row with their widths, and the columns that stand below it."""

    beside: Sequence[int]
    widths: Sequence[int]
    below: Sequence[int]


def lay_out(
    headings: Sequence[str], rows: Sequence[Sequence[str]], ranks: Sequence[int], width: int
) -> Layout:
    """Choose the columns that fit beside each other.

    The one with the highest rank leaves first, then those without a rank, from the right; the first
    column stays.
    """
    widths = [max(map(cell_len, column)) for column in zip(headings, *rows, strict=True)]
    leaving = sorted(range(1, len(headings)), key=lambda each: (ranks[each], each))
    beside = set(range(len(headings)))
    while leaving and sum(widths[each] + _GAP for each in beside) - _GAP > width:
        beside.remove(leaving.pop())
    kept = sorted(beside)
    below = [each for each in range(len(headings)) if each not in beside]
    return Layout(kept, [widths[each] for each in kept], below)


def row_text(cells: Sequence[str], layout: Layout) -> list[str]:
    """Return the cells that stand beside each other, padded."""
    return [
        cells[each] + " " * (width - cell_len(cells[each]) + _GAP)
        for each, width in zip(layout.beside, layout.widths, strict=True)
    ]


def lines_below(
    headings: Sequence[str], cells: Sequence[str], layout: Layout, width: int
) -> list[str]:
    """Return the cells below a row with their names, as many to a line as fit.

    Empty ones are left out. One that does not fit has a line of its own, which is longer.
    """
    lines: list[str] = []
    for each in layout.below:
        told = f"{headings[each].strip().lower()}: {cells[each]}"
        if not cells[each]:
            continue
        if lines and cell_len(f"{lines[-1]}  {told}") <= width:
            lines[-1] += f"  {told}"
        else:
            lines.append(told)
    return lines
