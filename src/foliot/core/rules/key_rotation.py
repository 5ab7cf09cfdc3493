"""Which round of a change of secret keys is next, from the keys that nodes have loaded."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from foliot.core.plurals import how_many

_ROTATE = "stop the server and run `foliot key rotate`"
_THREE_ROUNDS = "set old,new on every node, one after the other"


class KeyState(Struct, frozen=True):
    """The keys of one node, by name: it encrypts with the first, and decrypts with all."""

    node: str
    keys: tuple[str, ...]


class KeysHere(Struct, frozen=True):
    """The keys given to this command, and whether they are in a file that a command can change."""

    keys: Sequence[str]
    are_in_file: bool = False


def next_step(states: Sequence[KeyState], sealed: Mapping[str, int], here: KeysHere) -> str:
    """Return what to do next, in words; `sealed` is how many values each key has encrypted."""
    if not states:
        return _closed_here(sealed, here) or "No node runs."
    unknown = [state.node for state in states if not state.keys]
    if unknown:
        return f"Wait: {_names(unknown)} does not tell its keys. It runs an older version."
    every = {key for state in states for key in state.keys}
    lost = sorted(key for key in sealed if key not in every)
    if lost:
        values = how_many(sealed[lost[0]], "value")
        return f"No node has the key {lost[0]}, which has encrypted {values}."
    closed = _closed_here(sealed, here)
    if closed:
        return closed
    if len(every) == 1:
        can_rotate = here.are_in_file and len(states) == 1
        return f"Nothing. To change the key, {_ROTATE if can_rotate else _THREE_ROUNDS}."
    return _step_of_rotation(states, sealed, every)


def _closed_here(sealed: Mapping[str, int], here: KeysHere) -> str | None:
    closed = sorted(key for key in sealed if key not in here.keys)
    if not closed:
        return None
    values = how_many(sealed[closed[0]], "value")
    return f"The keys given here do not open {values}: give this command the key {closed[0]} too."


def _step_of_rotation(
    states: Sequence[KeyState], sealed: Mapping[str, int], every: set[str]
) -> str:
    missing = [state.node for state in states if set(state.keys) != every]
    first = {state.keys[0] for state in states}
    if len(first) > 1:
        newest = _newest(states)
        behind = [state.node for state in states if state.keys[0] != newest]
        return f"Round 2 of 3 is under way: set the key {newest} first on {_names(behind)}."
    (used,) = first
    others = sorted(every - {used})
    if missing and all(used in state.keys for state in states):
        if any(sealed.get(key, 0) for key in others):
            return f"Give {_names(missing)} the key {others[0]} too."
        return (
            f"Round 1 or 3 of 3 is under way: {_names(missing)} has other keys. Give every node"
            f" {used} and {others[0]}, or {used} alone."
        )
    if any(sealed.get(key, 0) for key in others):
        return f"Restart one node: it encrypts with {used} what {others[0]} has encrypted."
    return (
        f"Every node has {used} and {others[0]}. If {others[0]} is the new one, begin round 2: set"
        f" it first. If it is the old one, begin round 3: set {used} alone."
    )


def _newest(states: Sequence[KeyState]) -> str:
    """Return the key of the node that was started last."""
    return states[-1].keys[0]


def _names(nodes: Sequence[str]) -> str:
    return ", ".join(nodes)
