"""Changes by callers: when, and by whom."""

from typing import NamedTuple

from foliot.core.instant import Instant
from foliot.core.model.audit import Author

_NOBODY = Author()


class Change(NamedTuple):
    """When a caller changed something, and the name of the caller.

    The audit log also tells what else is known of the author.
    """

    at: Instant
    by: str
    author: Author = _NOBODY
