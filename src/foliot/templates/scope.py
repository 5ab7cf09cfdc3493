"""Where and when a template is deployed."""

from collections.abc import Mapping

from msgspec import Struct

from foliot.core.instant import Instant


class TemplateScope(Struct, frozen=True, kw_only=True):
    """The resource group that a template is deployed to, the deployment, and the time.

    `mode` is "Incremental" or "Complete". Of resources only the `types` can be deployed; without
    any, all can.
    """

    subscription: str
    tenant: str
    group: str
    group_location: str
    group_tags: Mapping[str, str]
    deployment: str
    now: Instant
    mode: str
    types: tuple[str, ...] = ()
