"""Identifiers: keys of collections, matched in any letter case, and checks of new names."""

import re
from typing import NewType

from msgspec import Struct

from foliot.core.errors import Path, wrong

CollectionId = NewType("CollectionId", int)
JobId = NewType("JobId", int)

# The rules that clients of the old service know.
_SUBSCRIPTION = re.compile(r"[\w.-]{1,90}", re.ASCII)
_GROUP = re.compile(r"[\w.()-]{0,89}[\w()-]")
_DEPLOYMENT = re.compile(r"(?!\.+$)[\w.()-]{1,64}")
MAX_NAME = 100
NAME_PATTERN = rf"[A-Za-z][A-Za-z0-9_-]{{0,{MAX_NAME - 1}}}"
_NAME = re.compile(NAME_PATTERN, re.ASCII)


class CollectionKey(Struct, frozen=True):
    """The key of a collection: subscription, resource group, name."""

    subscription: str
    group: str
    name: str

    @property
    def folded(self) -> tuple[str, str, str]:
        """The parts in lower case, as they are compared."""
        return self.subscription.lower(), self.group.lower(), self.name.lower()


def check_key(key: CollectionKey) -> None:
    """Check the key of a new collection; an existing one keeps its key, whatever the rules say."""
    check_subscription(key.subscription)
    check_group(key.group)
    check_name(("name",), key.name)


def check_subscription(subscription: str) -> None:
    """Check the name of a new subscription."""
    if not _SUBSCRIPTION.fullmatch(subscription):
        raise wrong(("subscription",), subscription, "1 to 90 letters, digits, . - and _")


def check_group(group: str) -> None:
    """Check the name of a new resource group."""
    if not _GROUP.fullmatch(group):
        expected = "1 to 90 letters, digits, . - _ ( and ) that do not end with a dot"
        raise wrong(("group",), group, expected)


def check_deployment(name: str) -> None:
    """Check the name of a deployment."""
    if not _DEPLOYMENT.fullmatch(name):
        raise wrong(("name",), name, "1 to 64 letters, digits, . - _ ( and ), not only dots")


def check_name(path: Path, name: str) -> str:
    """Check the name of a new collection, job or calendar, and return it."""
    if not _NAME.fullmatch(name):
        expected = f"1 to {MAX_NAME} letters, digits, - and _ that begin with a letter"
        raise wrong(path, name, expected)
    return name
