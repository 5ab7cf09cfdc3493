"""Alerts with defaults, so that a test names only what matters to it."""

from typing import Any

from msgspec.structs import replace

from foliot.core.ids import CollectionId
from foliot.core.model.alert import (
    Alert,
    AlertConditions,
    AlertDefinition,
    WebhookDestination,
)
from foliot.core.secret import Secret
from tests.support.builders import NOW

WEBHOOK = WebhookDestination(uri="https://alerts.example.com/in", secret=Secret("whsec_c2VjcmV0"))
ALERT_DEFINITION = AlertDefinition(
    conditions=AlertConditions(failed_in_a_row=1), destinations=(WEBHOOK,)
)


def an_alert(collection_id: CollectionId, name: str = "On call", **fields: Any) -> Alert:
    alert = Alert(
        collection_id=collection_id, name=name, definition=ALERT_DEFINITION, changed_at=NOW
    )
    return replace(alert, **fields)
