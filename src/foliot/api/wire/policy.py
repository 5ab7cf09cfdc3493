"""The policy of a job: how its runs are made. Foliot's own: the old service had none."""

from foliot.api.wire.field_types import DURATION
from foliot.api.wire.fields import WireField, WireObject
from foliot.core.model.policy import Policy

POLICY = WireObject(Policy, WireField("timeout", "timeout", DURATION, "Timeout of an attempt"))
