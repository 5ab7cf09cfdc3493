"""Numbers the destinations of an alert, so that a message stays with its destination.

A destination that an update leaves as it is, or moves to another position, keeps its number. So
does one whose address is corrected: the list is as long as before, and has another address of the
same type at that position. Any other one is new, and what waits for one that is gone is dropped.
"""

from itertools import count

from msgspec import structs

from foliot.core.model.alert import AlertDefinition, AlertDestination
from foliot.core.rules.alert_limits import places_of


def number_destinations(new: AlertDefinition, old: AlertDefinition | None) -> AlertDefinition:
    """Return a definition whose destinations have the numbers of those that they were before."""
    if old is not None and new.destinations == old.destinations:
        numbers, following = old.destination_numbers, old.next_number
    else:
        numbers, following = _numbered(new.destinations, old)
    return structs.replace(new, destination_numbers=numbers, next_number=following)


def _numbered(
    destinations: tuple[AlertDestination, ...], old: AlertDefinition | None
) -> tuple[tuple[int, ...], int]:
    known = {} if old is None else _by_place(old)
    places = [_place(each) for each in destinations]
    corrected = {} if old is None else _corrected(destinations, old)
    first_free = 0 if old is None else max([old.next_number, *(each + 1 for each in old.numbers)])
    free = count(first_free)
    numbers = tuple(
        known[place] if place in known else corrected[index] if index in corrected else next(free)
        for index, place in enumerate(places)
    )
    return numbers, next(free)


def _corrected(destinations: tuple[AlertDestination, ...], old: AlertDefinition) -> dict[int, int]:
    """Return the numbers of destinations at a position that has only got another address."""
    if len(destinations) != len(old.destinations):
        return {}
    before, now = _by_place(old), {_place(each) for each in destinations}
    return {
        index: number
        for index, (new, was, number) in enumerate(
            zip(destinations, old.destinations, old.numbers, strict=True)
        )
        if type(new) is type(was) and _place(was) not in now and _place(new) not in before
    }


def _by_place(definition: AlertDefinition) -> dict[frozenset[str], int]:
    places = map(_place, definition.destinations)
    return dict(zip(places, definition.numbers, strict=True))


def _place(destination: AlertDestination) -> frozenset[str]:
    return frozenset(places_of(destination))
