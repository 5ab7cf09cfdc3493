"""Formats times and numbers for pages; a script converts times to the viewer's time zone."""

import re

from markupsafe import Markup, escape

from foliot.core.instant import DAY, HOUR, MINUTE, SECOND, Instant, Wall, parse_instant, reading_of

NOTHING = Markup("&ndash;")
DUE = "due now"

_UNIX_EPOCH = parse_instant("1970-01-01")
_MILLISECOND = SECOND // 1000
_UNITS = ((DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (SECOND, "s"))
_FEW = 2
_TOLD_INSTANT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z| UTC)", re.ASCII)
ISO_INSTANT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z", re.ASCII)


def when(at: Instant | None, empty: Markup = NOTHING, *, zoned: bool = False) -> Markup:
    """Format an instant, to the second; `zoned` where a time in another zone stands beside it."""
    return _time(at, _utc(at), "at zoned" if zoned else "at") if at is not None else empty


def relative(at: Instant | None, now: Instant, empty: Markup = NOTHING) -> Markup:
    """Format an instant relative to now."""
    return _time(at, away(at, now), "relative") if at is not None else empty


def upcoming(at: Instant | None, now: Instant, empty: Markup = NOTHING) -> Markup:
    """Format a future instant relative to now; a past one is "due now"."""
    if at is None:
        return empty
    return _time(at, away(at, now) if at > now else DUE, "relative upcoming")


def away(at: Instant, now: Instant) -> str:
    """Return the distance of an instant: "in 4 min", "2 h ago"."""
    distance = abs(at - now)
    if distance < SECOND:
        return "now"
    text = span(distance, parts=1)
    return f"in {text}" if at > now else f"{text} ago"


def span(ticks: int, parts: int = _FEW) -> str:
    """Format a duration in its largest units: "1 h 12 min", "340 ms"."""
    if ticks < 0:
        return f"\N{MINUS SIGN}{span(-ticks, parts)}"
    if ticks < SECOND:
        return f"{ticks // _MILLISECOND} ms"
    if ticks < 10 * SECOND and parts > 1:
        return f"{ticks / SECOND:.1f} s"
    said: list[str] = []
    for size, unit in _UNITS:
        count, ticks = divmod(ticks, size)
        if count:
            said.append(f"{count} {unit}")
        elif said:
            break
    return " ".join(said[:parts])


def plain_times(text: str) -> str:
    """Rewrite ISO timestamps in a message of Foliot: "2026-01-31 08:30:00 UTC"."""
    return ISO_INSTANT.sub(r"\1 \2 UTC", text)


def local_times(text: str) -> Markup:
    """Escape a message of Foliot; its timestamps become times as all others of the page."""
    parts, end = Markup(), 0
    for found in _TOLD_INSTANT.finditer(text):
        at = parse_instant(f"{found[1]}T{found[2]}Z")
        parts += escape(text[end : found.start()]) + when(at)
        end = found.end()
    return parts + escape(text[end:])


def number(value: int) -> str:
    """Format a number with thousands separators."""
    return f"{value:,}"


def _time(at: Instant, text: str, kind: str) -> Markup:
    milliseconds = (at - _UNIX_EPOCH) // _MILLISECOND
    iso = f"{reading_of(Wall(at)):%Y-%m-%dT%H:%M:%S}Z"
    return Markup('<time class="{}" datetime="{}" data-ms="{}" title="{}">{}</time>').format(
        kind, iso, milliseconds, _utc(at), text
    )


def _utc(at: Instant) -> str:
    return f"{reading_of(Wall(at)):%Y-%m-%d %H:%M:%S} UTC"
