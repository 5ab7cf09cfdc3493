"""File descriptors: raises their limit, and lowers the number of slots where they are too few."""

import resource

from foliot.ports.logs import get_logger

# Enough for the largest number of slots; with no hard limit, ask for this many.
_MOST = 65_536
# Files, the database, the API. With one process, API connections get half of the rest.
_RESERVED = 64
# A connection in use, an idle one, and a name lookup.
_PER_SLOT = 3
_MIN_SLOTS = 8

_log = get_logger("foliot.serve")


def raise_limit() -> int:
    """Raise the soft limit of descriptors as far as it goes, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST if hard == resource.RLIM_INFINITY else min(hard, _MOST)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return _MOST if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        return soft
    return wanted


def fitting_slots(wanted: int, limit: int, *, one_process: bool) -> int:
    """Return the number of slots for which there are descriptors, at most as many as wanted."""
    room = max(0, limit - _RESERVED) // (2 if one_process else 1)
    slots = max(_MIN_SLOTS, min(wanted, room // _PER_SLOT))
    if slots < wanted:
        _log.warning(
            "Too few descriptors for all slots; raise `ulimit -n`, or lower FOLIOT_SLOTS",
            slots=slots,
            wanted_slots=wanted,
            descriptors=limit,
        )
    return slots
