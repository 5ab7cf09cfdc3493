"""How collections are named and found: in any letter case, shown as they were created."""

import re
from typing import NewType

from msgspec import Struct

from foliot.core.errors import Path, wrong

CollectionId = NewType("CollectionId", int)
JobId = NewType("JobId", int)

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,99}", re.ASCII)


class CollectionKey(Struct, frozen=True):
    """Where a collection stands: subscription, resource group, name."""

    subscription: str
    group: str
    name: str

    @property
    def folded(self) -> tuple[str, str, str]:
        """The parts as they are compared, in lower case."""
        return self.subscription.lower(), self.group.lower(), self.name.lower()


def check_name(path: Path, name: str) -> str:
    """Accept the name of a new collection or job."""
    if not _NAME.fullmatch(name):
        raise wrong(path, name, "1 to 100 letters, digits, - and _ that begin with a letter")
    return name
