"""The time zones that a form offers: the viewer's own first, then UTC, then all others."""

from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from foliot.core.recurrence.zone import zone_names

UTC = "UTC"


class ZoneOption(NamedTuple):
    """A time zone, with words where the name does not say enough."""

    name: str
    words: str = ""


def zone_options(viewer: ZoneInfo | None) -> list[ZoneOption]:
    """Return all time zones for a list."""
    mine = UTC if viewer is None else viewer.key
    first = [] if mine == UTC else [ZoneOption(mine, "your time zone")]
    return [
        *first,
        ZoneOption(UTC, "coordinated universal time"),
        *(ZoneOption(name) for name in _sorted_names() if name not in (mine, UTC)),
    ]


def zone_called(text: str) -> str:
    """Return the zone that a user means: its name in any letter case, or its city alone."""
    folded = text.strip().replace(" ", "_").lower()
    if folded in _by_folded_name():
        return _by_folded_name()[folded]
    cities = [name for lower, name in _by_folded_name().items() if lower.endswith(f"/{folded}")]
    return cities[0] if len(cities) == 1 and folded else text.strip()


@lru_cache(maxsize=1)
def _sorted_names() -> tuple[str, ...]:
    return tuple(sorted(zone_names()))


@lru_cache(maxsize=1)
def _by_folded_name() -> dict[str, str]:
    return {name.lower(): name for name in zone_names()}
