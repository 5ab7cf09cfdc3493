"""The labels of form fields; pages, refusals and conflicts use the same words.

A field of a job or a collection has the title that the table of fields in `api/wire` gives it.
"""

from collections.abc import Iterator

from foliot.api.wire.alert import ALERT
from foliot.api.wire.collection import COLLECTION
from foliot.api.wire.fields import titles
from foliot.api.wire.job import JOB
from foliot.core.rules.alert_limits import MAX_DESTINATIONS

_OF_SLOT = {
    "type": "Destination",
    "uri": "Address",
    "secret": "Signing secret",
    "slack": "Slack address",
    "to": "Recipients",
}


def _slot_labels() -> Iterator[tuple[str, str]]:
    for index in range(MAX_DESTINATIONS):
        for name, label in _OF_SLOT.items():
            numbered = f"{label} {index + 1}" if name == "type" else label
            yield f"properties.sendTo.{index}.{name}", numbered


_LABELS = {
    **dict(titles(JOB.fields)),
    **dict(titles(COLLECTION.fields)),
    **dict(titles(ALERT.fields)),
    **dict(_slot_labels()),
    "name": "Name",
    "repeat": "Runs",
    "time": "Times",
    "minute": "Minutes",
    "first": "First run",
    "properties.recurrence.dst.skipped": "Times that the clock skips",
    "properties.recurrence.dst.repeated": "Times that the clock shows twice",
    "properties.recurrence.exclude.dates": "Dates off",
    "properties.recurrence.exclude.calendars": "Calendars of days off",
    "properties.recurrence.exclude.then": "A run on a day off",
    "into": "Collection",
    "collection": "Collection name",
    "subscription": "Subscription",
    "group": "Resource group",
    "role": "Role",
    "scope": "Scope",
    "expires": "Expires",
}
_ERROR_ACTION = ".errorAction."


def label_of(name: str) -> str:
    """Return the label of a field."""
    return _LABELS[name]


def full_label_of(name: str) -> str:
    """Return the label of a field outside its part of the form."""
    where = "Error action: " if is_of_error_action(name) else ""
    return where + label_of(name)


def is_of_error_action(name: str) -> bool:
    """Tell whether a field belongs to the error action of a job."""
    return _ERROR_ACTION in name
