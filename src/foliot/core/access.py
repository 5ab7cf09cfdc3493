"""Permissions: a role says what a caller may do, a scope says where."""

from msgspec import Struct

from foliot.core.errors import CollectionNotFound, Forbidden
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.audit import Author
from foliot.core.model.change import Change
from foliot.core.model.token import Role, Scope

_RANKS = {Role.READER: 0, Role.CONTRIBUTOR: 1, Role.OWNER: 2}


class Principal(Struct, frozen=True):
    """The caller of a request: a role, a scope, the name and id of its token, and its address."""

    role: Role
    scope: Scope = Scope()
    name: str = ""
    token_id: int | None = None
    address: str | None = None
    request_id: str | None = None

    def changing_at(self, at: Instant) -> Change:
        """Return the change that the caller makes now."""
        author = Author(
            name=self.name,
            token_id=self.token_id,
            role=self.role,
            address=self.address,
            request_id=self.request_id,
        )
        return Change(at, self.name, author)


def require(principal: Principal, role: Role) -> None:
    """Refuse a caller whose role is lower than this one."""
    if _RANKS[principal.role] < _RANKS[role]:
        raise Forbidden(f"The role {principal.role} does not allow this; it needs the role {role}.")


def require_everything(principal: Principal) -> None:
    """Refuse a caller whose scope is only a part of the server."""
    if principal.scope != Scope():
        raise Forbidden("This is about the whole server; it needs a token without a scope.")


def sees_group(principal: Principal, subscription: str, group: str | None = None) -> bool:
    """Tell whether the caller may see anything of a subscription, or of a group in it."""
    scope = principal.scope
    if scope.subscription is not None and scope.subscription != subscription.lower():
        return False
    return group is None or scope.group is None or scope.group == group.lower()


def sees_all_of(principal: Principal, subscription: str) -> bool:
    """Tell whether the caller may see every collection of a subscription."""
    return sees_group(principal, subscription) and principal.scope.group is None


def sees_all_of_group(principal: Principal) -> bool:
    """Tell whether a caller that sees something of a group may see every collection of it."""
    return principal.scope.collection is None


def sees(principal: Principal, key: CollectionKey) -> bool:
    """Tell whether a collection lies in the caller's scope."""
    return reaches(principal.scope, key)


def reaches(scope: Scope, key: CollectionKey) -> bool:
    """Tell whether a collection lies in a scope."""
    subscription, group, name = key.folded
    return (
        scope.subscription in (None, subscription)
        and scope.group in (None, group)
        and scope.collection in (None, name)
    )


def scope_of(key: CollectionKey) -> Scope:
    """Return the scope that is one collection."""
    subscription, group, name = key.folded
    return Scope(subscription=subscription, group=group, collection=name)


def lies_within(inner: Scope, outer: Scope) -> bool:
    """Tell whether a scope is a part of another, or the same."""
    return all(
        wide is None or wide == narrow
        for wide, narrow in (
            (outer.subscription, inner.subscription),
            (outer.group, inner.group),
            (outer.collection, inner.collection),
        )
    )


def check_sight(principal: Principal, key: CollectionKey) -> None:
    """Raise CollectionNotFound outside the caller's scope: it must not learn what exists there."""
    if not sees(principal, key):
        raise CollectionNotFound(key.name, key.group)
