import pytest

from foliot.core.access import (
    Principal,
    check_sight,
    lies_within,
    require,
    scope_of,
    sees,
    sees_group,
)
from foliot.core.errors import CollectionNotFound, Forbidden
from foliot.core.ids import CollectionKey
from foliot.core.model.token import Role, Scope

KEY = CollectionKey("Sub", "Group", "Name")


@pytest.mark.parametrize(
    ("role", "needed", "is_enough"),
    [
        (Role.READER, Role.READER, True),
        (Role.READER, Role.CONTRIBUTOR, False),
        (Role.READER, Role.OWNER, False),
        (Role.CONTRIBUTOR, Role.READER, True),
        (Role.CONTRIBUTOR, Role.CONTRIBUTOR, True),
        (Role.CONTRIBUTOR, Role.OWNER, False),
        (Role.OWNER, Role.READER, True),
        (Role.OWNER, Role.CONTRIBUTOR, True),
        (Role.OWNER, Role.OWNER, True),
    ],
)
def test_a_role_includes_those_below_it(role: Role, needed: Role, *, is_enough: bool) -> None:
    if is_enough:
        require(Principal(role), needed)
        return
    with pytest.raises(Forbidden, match=f"The role {role} .* needs the role {needed}"):
        require(Principal(role), needed)


SCOPES: dict[str, tuple[Scope, bool, bool, bool]] = {
    "everywhere": (Scope(), True, True, True),
    "subscription": (Scope(subscription="sub"), True, True, True),
    "group": (Scope(subscription="sub", group="group"), True, True, True),
    "collection": (Scope(subscription="sub", group="group", collection="name"), True, True, True),
    "another collection": (
        Scope(subscription="sub", group="group", collection="other"),
        True,
        True,
        False,
    ),
    "another group": (Scope(subscription="sub", group="other"), True, False, False),
    "another subscription": (Scope(subscription="other"), False, False, False),
}


@pytest.mark.parametrize("row", SCOPES.values(), ids=SCOPES.keys())
def test_a_scope_tells_what_is_seen_in_any_letter_case(
    row: tuple[Scope, bool, bool, bool],
) -> None:
    scope, subscription, group, collection = row
    principal = Principal(Role.OWNER, scope)

    assert sees_group(principal, KEY.subscription) is subscription
    assert sees_group(principal, KEY.subscription, KEY.group) is group
    assert sees(principal, KEY) is collection
    assert lies_within(scope_of(KEY), scope) is collection


def test_a_collection_outside_the_scope_is_not_found() -> None:
    check_sight(Principal(Role.READER), KEY)
    with pytest.raises(CollectionNotFound, match="collection 'Name' in the resource group 'Group'"):
        check_sight(Principal(Role.OWNER, Scope(subscription="other")), KEY)
