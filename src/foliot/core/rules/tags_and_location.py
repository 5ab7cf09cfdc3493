"""What may be written on a collection or a resource group: location and tags; tags of a job.

By the rules of the old service. What is there already stays: only what a request adds or changes
is held against these rules.
"""

import re
import unicodedata

from foliot.core.errors import Invalid, Path, shown, wrong
from foliot.core.model.collection import Collection
from foliot.core.model.resource_group import ResourceGroup

MAX_TAGS = 15
MAX_TAG_NAME = 512
MAX_TAG_VALUE = 256
LOCATION_PATTERN = r"[A-Za-z0-9][A-Za-z0-9 ().,_-]{0,63}"
NOT_IN_A_TAG_NAME = r"<>%&\?/"

# Control characters, those that turn or hide what is written, halves of pairs, line separators.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def check_labels(
    new: Collection | ResourceGroup, old: Collection | ResourceGroup | None = None
) -> None:
    """Refuse a location or tags that are new and not as they must be."""
    location = None if old is None else old.location
    if new.location and new.location != location:
        _check_location(new.location)
    check_tags(new.tags or {}, (old and old.tags) or {}, ("tags",))


def check_tags(new: dict[str, str], old: dict[str, str], path: Path) -> None:
    """Refuse tags that are new and not as they must be."""
    if len(new) > max(MAX_TAGS, len(old)):
        raise Invalid(path, f"{len(new)} tags are too many; give at most {MAX_TAGS}.")
    for name, value in new.items():
        if name not in old:
            _check_tag_name(name, path)
        if old.get(name) != value:
            _check_tag_value(name, value, path)


def is_same_location(old: str | None, new: str | None) -> bool:
    """Tell whether a location stays the same; one that was never given may be given later."""
    return old is None or new is None or old.lower() == new.lower()


def _check_location(location: str) -> None:
    if not re.fullmatch(LOCATION_PATTERN, location, re.ASCII):
        expected = "a region such as West US, or 1 to 64 letters, digits and spaces"
        raise wrong(("location",), location, expected)


def _check_tag_name(name: str, path: Path) -> None:
    if not 0 < len(name) <= MAX_TAG_NAME:
        raise wrong(path, name, f"names of 1 to {MAX_TAG_NAME} characters")
    if _is_unseen(name) or not set(NOT_IN_A_TAG_NAME).isdisjoint(name):
        raise wrong(path, name, f"names without {NOT_IN_A_TAG_NAME} and control characters")


def _check_tag_value(name: str, value: str, path: Path) -> None:
    if len(value) > MAX_TAG_VALUE:
        problem = f"{shown(name)} has a value of {len(value)} characters; give at most"
        raise Invalid(path, f"{problem} {MAX_TAG_VALUE}.")
    if _is_unseen(value):
        raise Invalid(path, f"{shown(name)} has a control character in its value.")


def _is_unseen(text: str) -> bool:
    return any(unicodedata.category(character) in _UNSEEN for character in text)
