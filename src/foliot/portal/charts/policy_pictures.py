"""Draws what each policy of a job does, as small timelines.

A tick is a planned time, a bar an attempt, a dotted line is waiting, a cross is a skipped run. The
stylesheet gives them the colours of the theme; shapes differ too, for readers without colours.
"""

from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup

_WIDTH, _BASE, _ROW, _BAR = 150, 12, 11, 8


class _AttemptBar(NamedTuple):
    """An attempt, from one time to another; a failed one has a notch at its end."""

    begin: int
    end: int
    row: int = 0
    kind: str = "good"


class _WaitLine(NamedTuple):
    """A stretch in which nothing is sent, up to an attempt."""

    begin: int
    end: int
    row: int = 0


class _SkipMark(NamedTuple):
    """A planned time that is skipped, or an attempt that is cut off."""

    at: int
    row: int = 0


class _Stretch(NamedTuple):
    """A stretch in which no server runs, or a window of time."""

    begin: int
    end: int
    kind: str = "down"


_Shape = _AttemptBar | _WaitLine | _SkipMark | _Stretch


class _PolicyPicture(NamedTuple):
    """A timeline: what it shows in words, the planned times, and what is drawn."""

    words: str
    ticks: tuple[int, ...]
    shapes: tuple[_Shape, ...]


_TWO, _THREE, _FOUR = (20, 80), (15, 60, 105), (15, 45, 75, 105)
_LONG = _AttemptBar(15, 75)
_FAILED = "bad"
_RETRIED = (_AttemptBar(15, 27, kind=_FAILED), _WaitLine(27, 50), _AttemptBar(50, 62, kind=_FAILED))
_PICTURES = {
    "overlap.allow": _PolicyPicture(
        "A run starts while the run before it is still open.",
        _THREE,
        (_LONG, _AttemptBar(60, 120, 1)),
    ),
    "overlap.skip": _PolicyPicture(
        "The run that comes due while another is open is skipped.",
        _THREE,
        (_LONG, _SkipMark(60, 1), _AttemptBar(105, 140)),
    ),
    "overlap.queue": _PolicyPicture(
        "The run that comes due while another is open starts when that one has ended.",
        _THREE,
        (_LONG, _WaitLine(60, 75, 1), _AttemptBar(75, 100, 1), _AttemptBar(105, 140)),
    ),
    "catchUp.latest": _PolicyPicture(
        "After the server was down, the latest of three missed runs starts.",
        _FOUR,
        (
            _Stretch(10, 85),
            _SkipMark(15),
            _SkipMark(45),
            _AttemptBar(86, 100),
            _AttemptBar(105, 119, 1),
        ),
    ),
    "catchUp.all": _PolicyPicture(
        "After the server was down, all missed runs start, the oldest first.",
        _FOUR,
        (
            _Stretch(10, 85),
            _AttemptBar(86, 98),
            _AttemptBar(99, 111, 1),
            _AttemptBar(112, 124),
            _AttemptBar(125, 137, 1),
        ),
    ),
    "catchUp.none": _PolicyPicture(
        "After the server was down, no missed run starts.",
        _FOUR,
        (_Stretch(10, 85), _SkipMark(15), _SkipMark(45), _SkipMark(75), _AttemptBar(105, 119)),
    ),
    "catchUpWindow": _PolicyPicture(
        "A run missed before the window is skipped, a run missed within it starts.",
        (15, 60),
        (_Stretch(10, 85), _Stretch(50, 85, "window"), _SkipMark(15), _AttemptBar(86, 106)),
    ),
    "startWithin": _PolicyPicture(
        "A run that cannot start within the time is skipped.",
        _TWO,
        (_Stretch(20, 45, "window"), _SkipMark(60), _WaitLine(20, 60), _AttemptBar(80, 110)),
    ),
    "jitter": _PolicyPicture(
        "Each run starts late by a part of the jitter.",
        _TWO,
        (
            _Stretch(20, 50, "window"),
            _AttemptBar(32, 56),
            _Stretch(80, 110, "window"),
            _AttemptBar(100, 124),
        ),
    ),
    "timeout": _PolicyPicture(
        "An attempt that takes longer than the timeout is cut off and has failed.",
        (15,),
        (_AttemptBar(15, 85, kind=_FAILED), _SkipMark(88)),
    ),
    "pauseAfter": _PolicyPicture(
        "After two runs given up in a row the job is disabled: no more runs start.",
        _FOUR,
        (
            _AttemptBar(15, 30, kind=_FAILED),
            _AttemptBar(45, 60, kind=_FAILED),
            _SkipMark(75),
            _SkipMark(105),
        ),
    ),
    "retry.fixed": _PolicyPicture(
        "A failed attempt is repeated after the same wait each time.",
        (15,),
        (*_RETRIED, _WaitLine(62, 85), _AttemptBar(85, 105)),
    ),
    "retry.exponential": _PolicyPicture(
        "A failed attempt is repeated after a wait that doubles each time.",
        (15,),
        (
            *(
                _AttemptBar(15, 27, kind=_FAILED),
                _WaitLine(27, 39),
                _AttemptBar(39, 51, kind=_FAILED),
            ),
            *(
                _WaitLine(51, 75),
                _AttemptBar(75, 87, kind=_FAILED),
                _WaitLine(87, 135),
                _AttemptBar(135, 148),
            ),
        ),
    ),
    "expect": _PolicyPicture(
        "A response that is not as expected makes the attempt fail; the retry succeeds.",
        (15,),
        (_AttemptBar(15, 40, kind=_FAILED), _WaitLine(40, 75), _AttemptBar(75, 100)),
    ),
}


def policy_picture(name: str) -> Markup:
    """Draw what a policy does."""
    picture = _PICTURES[name]
    rows = 1 + max((getattr(each, "row", 0) for each in picture.shapes), default=0)
    height = _BASE + rows * _ROW + 3
    ticks = "".join(f"M{at} 2v8" for at in picture.ticks)
    return Markup(
        '<svg class="policy-timeline" role="img" aria-label="{}" viewBox="0 0 {} {}" width="{}" '
        'height="{}">{}<path class="axis" d="M2 {}h{}"/><path class="tick" d="{}"/>{}</svg>'
    ).format(
        *(picture.words, _WIDTH, height, _WIDTH, height),
        Markup("").join(_drawn(picture.shapes, (_Stretch,), height)),
        *(_BASE - 2, _WIDTH - 4, ticks),
        Markup("").join(_drawn(picture.shapes, (_AttemptBar, _WaitLine, _SkipMark), height)),
    )


def _drawn(shapes: tuple[_Shape, ...], kinds: tuple[type, ...], height: int) -> Iterator[Markup]:
    for shape in shapes:
        if isinstance(shape, kinds):
            yield _draw(shape, height)


def _draw(shape: _Shape, height: int) -> Markup:
    match shape:
        case _AttemptBar(begin, end, row, kind):
            return Markup('<path class="{}" d="M{} {}h{}v{}h{}z"/>').format(
                kind, begin, _top(row), end - begin, _BAR, begin - end
            )
        case _WaitLine(begin, end, row):
            return Markup('<path class="wait" d="M{} {}H{}"/>').format(
                begin, _top(row) + _BAR // 2, end
            )
        case _SkipMark(at, row):
            return Markup('<path class="cross" d="M{} {}l7 7m0-7l-7 7"/>').format(at - 3, _top(row))
        case _Stretch(begin, end, kind):
            return Markup('<path class="{}" d="M{} 1H{}V{}H{}z"/>').format(
                kind, begin, end, height - 1, begin
            )


def _top(row: int) -> int:
    return _BASE + 1 + row * _ROW
