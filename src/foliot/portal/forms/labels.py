"""The labels of form fields; pages, refusals and conflicts use the same words.

A field of a job or a collection has the title that the table of fields in `api/wire` gives it.
"""

from foliot.api.wire.collection import COLLECTION
from foliot.api.wire.fields import titles
from foliot.api.wire.job import JOB

_LABELS = {
    **dict(titles(JOB.fields)),
    **dict(titles(COLLECTION.fields)),
    "name": "Name",
    "first": "First run",
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
    where = "Error action: " if _ERROR_ACTION in name else ""
    return where + label_of(name)
