"""Finds the known name that a misspelt one may mean, for a message."""

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

_LONGEST_NAME = 60
_MOST_NAMES = 1000
_SIMILAR = 0.65


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the known name that is most like this one, if any is like it."""
    # Very long names are no misspellings; comparing them, or very many names, would be slow.
    likely = [each for each in islice(known, _MOST_NAMES) if len(each) <= _LONGEST_NAME]
    return get_close_matches(name[:_LONGEST_NAME], likely, n=1, cutoff=_SIMILAR)


def shortened(name: str) -> str:
    """Return a name that somebody wrote, not too long for a message."""
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..."
