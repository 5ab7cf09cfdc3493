"""Cuts the time of a request into its steps, and draws each of them as a bar."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup
from msgspec import Struct

from foliot.core.model.exchange import Timings

_MILLISECONDS = 1000
_SECOND = 1.0
_PRECISE_BELOW = 10
_THINNEST = 0.6


class TimingStep(Struct, frozen=True):
    """A step of a request: its name, and its begin and end in seconds."""

    name: str
    kind: str
    begin: float
    end: float


def timing_steps(timings: Timings) -> Sequence[TimingStep]:
    """Return the steps of a request that were made, in order."""
    return list(_steps(timings))


def timing_bar(step: TimingStep, total: float) -> Markup:
    """Draw a step as a bar on a line that is as long as the whole request."""
    scale = 100 / total if total > 0 else 0.0
    width = max(_THINNEST, (step.end - step.begin) * scale)
    begin = min(step.begin * scale, 100 - width)
    return Markup(
        '<svg class="timing" aria-hidden="true" viewBox="0 0 100 6" preserveAspectRatio="none">'
        '<rect class="ground" width="100" height="6"/>'
        '<rect class="{}" x="{:.2f}" width="{:.2f}" height="6"/></svg>'
    ).format(step.kind, begin, width)


def seconds_text(seconds: float) -> str:
    """Format a duration: "0.4 ms", "12 ms", "1.52 s"."""
    if seconds >= _SECOND:
        return f"{seconds:.2f} s"
    milliseconds = seconds * _MILLISECONDS
    digits = 1 if milliseconds < _PRECISE_BELOW else 0
    return f"{milliseconds:.{digits}f} ms"


def _steps(timings: Timings) -> Iterator[TimingStep]:
    begin = 0.0
    for name, kind, end in (
        ("Name lookup", "lookup", timings.name_lookup),
        ("Connect", "connect", timings.connect),
        ("TLS handshake", "tls", timings.tls),
        ("Waiting for the first byte", "waiting", timings.first_byte),
        ("Receiving" if timings.first_byte else "Waiting", "receiving", timings.total),
    ):
        if end is not None and end >= begin:
            yield TimingStep(name, kind, begin, end)
            begin = end


# The functions that the template of an attempt calls.
DRAWING: Final[Mapping[str, Any]] = {
    "timing_steps": timing_steps,
    "timing_bar": timing_bar,
    "seconds_text": seconds_text,
}
