"""The runs that a page showed before it asked, in a field of its form: so many ids, each a time."""

import re
from collections.abc import Mapping
from typing import Final

from foliot.core.errors import Invalid
from foliot.core.instant import Instant

FIELD: Final = "runs"
_MOST: Final = 1000
# One pair after the other, each by itself: a pattern of all could take for ever.
_PAIR: Final = re.compile(r"(\d{1,18}):(\d{1,19})", re.ASCII)


def write_shown_runs(runs: Mapping[int, Instant]) -> str:
    """Write which runs a page shows, for `read_shown_runs`."""
    return " ".join(f"{id_}:{at}" for id_, at in runs.items())


def read_shown_runs(text: str) -> Mapping[int, Instant]:
    """Read which runs a page has shown."""
    pairs = [_PAIR.fullmatch(each) for each in text.split()]
    if len(pairs) > _MOST or not all(pairs):
        raise Invalid((FIELD,), "is not what the page has made; open it again.")
    return {int(pair[1]): Instant(int(pair[2])) for pair in pairs if pair}
