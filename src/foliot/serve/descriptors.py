"""How many descriptors there are, and for how many attempts at a time they are enough."""

import resource

from foliot.ports.logs import get_logger

# More than the most slots need; an unlimited number is none that can be counted on.
_MOST = 65_536
# Files, the database, connections to the API; what shares a process with them has half of the rest.
_FOR_OTHERS = 64
# A connection, one that is kept for later, and a name that is being resolved.
_FOR_A_SLOT = 3
_FEWEST_SLOTS = 8

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
    """Return how many attempts at a time there are descriptors for, at most as many as wanted."""
    room = max(0, limit - _FOR_OTHERS) // (2 if one_process else 1)
    slots = max(_FEWEST_SLOTS, min(wanted, room // _FOR_A_SLOT))
    if slots < wanted:
        _log.warning(
            "Too few descriptors for all slots; raise `ulimit -n`, or lower FOLIOT_SLOTS",
            slots=slots,
            wanted_slots=wanted,
            descriptors=limit,
        )
    return slots
