"""Display names of collections, distinct where two have the same name, and of their states."""

from collections import defaultdict
from collections.abc import Callable, Iterable

from foliot.core.ids import CollectionKey
from foliot.core.model.collection import CollectionState

Naming = Callable[[CollectionKey], str]


def naming_of(keys: Iterable[CollectionKey]) -> Naming:
    """Return a function that gives each of these collections a distinct display name."""
    groups: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for key in keys:
        subscription, group, name = key.folded
        groups[name].add((subscription, group))

    def named(key: CollectionKey) -> str:
        subscription, group, name = key.folded
        others = groups[name] - {(subscription, group)}
        if not others:
            return key.name
        if any(other == group for _, other in others):
            return f"{key.name} ({key.subscription} / {key.group})"
        return f"{key.name} ({key.group})"

    return named


def collection_state(state: CollectionState) -> str:
    """Return the state of a collection in the words of the buttons, and in those of the API."""
    return "paused (disabled)" if state is CollectionState.DISABLED else state.value.lower()
