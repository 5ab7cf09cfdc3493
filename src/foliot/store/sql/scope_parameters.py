"""The parameters of statements that are limited to a scope."""

from foliot.core.model.token import Scope
from foliot.store.sql.dialect import Parameters


def scope_parameters(scope: Scope) -> Parameters:
    """Return the parts of a scope; an empty one matches everything."""
    return {
        "subscription": scope.subscription or "",
        "group": scope.group or "",
        "collection": scope.collection or "",
    }
