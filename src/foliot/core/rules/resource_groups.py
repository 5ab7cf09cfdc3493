"""Checks a resource group that somebody saves or deletes."""

from foliot.core.errors import Conflict
from foliot.core.ids import check_group, check_subscription
from foliot.core.model.resource_group import ResourceGroup
from foliot.core.rules.tags_and_location import check_labels, is_same_location

# As many as a subscription of the old service could have.
MAX_GROUPS = 980
# One transaction deletes as many in a few seconds, for which the engine has to wait.
MAX_DELETED_JOBS = 50_000


def check_group_count(present: int) -> None:
    """Refuse one more stored group than a subscription may have."""
    if present >= MAX_GROUPS:
        raise Conflict(
            f"The subscription has {present} resource groups, and may have {MAX_GROUPS}."
        )


def check_deleted_jobs(name: str, count: int) -> None:
    """Refuse to delete a group with more jobs than can be deleted at once."""
    if count > MAX_DELETED_JOBS:
        raise Conflict(
            f"The resource group '{name}' has {count} jobs, and {MAX_DELETED_JOBS} can be deleted "
            "at once; delete some of its collections first."
        )


def check_saved_group(new: ResourceGroup, old: ResourceGroup | None) -> None:
    """Refuse a name that a new group cannot have, a new location, or labels that are not valid."""
    if old is None:
        check_subscription(new.subscription)
        check_group(new.name)
    elif old.is_stored and not is_same_location(old.location, new.location):
        raise Conflict(
            f"The location of the resource group '{old.name}' is '{old.location}' "
            f"and cannot be changed to '{new.location}'."
        )
    check_labels(new, old)
