"""The scope of a token as text: the path of a subscription, a group or a collection, or `/`."""

import re

from foliot.core.errors import wrong
from foliot.core.model.token import Scope

_SEGMENT = r"[^/\s?#%]{1,100}"
_SCOPE = re.compile(
    rf"/?|/subscriptions/(?P<subscription>{_SEGMENT})"
    rf"(?:/resourceGroups/(?P<group>{_SEGMENT})"
    rf"(?:/providers/Microsoft\.Scheduler/jobCollections/(?P<collection>{_SEGMENT}))?)?/?",
    re.IGNORECASE,
)


def parse_scope(text: str) -> Scope:
    """Read the path of a subscription, a group or a collection, or `/` for everything."""
    match = _SCOPE.fullmatch(text)
    if match is None:
        raise wrong(
            (),
            text,
            "/ for everything, or /subscriptions/S, then /resourceGroups/G, then "
            "/providers/Microsoft.Scheduler/jobCollections/C",
        )
    parts = {name: part and part.lower() for name, part in match.groupdict().items()}
    return Scope(**parts)


def scope_text(scope: Scope) -> str:
    """Write a scope as it is read."""
    parts = (
        ("/subscriptions/", scope.subscription),
        ("/resourceGroups/", scope.group),
        ("/providers/Microsoft.Scheduler/jobCollections/", scope.collection),
    )
    return "".join(literal + part for literal, part in parts if part is not None) or "/"
