"""The policy of a job: how its runs are made. A field that is None was not given."""

from msgspec import Struct

from foliot.core.model.action import Duration


class Policy(Struct, frozen=True, kw_only=True):
    """How the runs of a job are made; `timeout` is the most time that an attempt may take."""

    timeout: Duration | None = None
