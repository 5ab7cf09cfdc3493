"""Paths of the API, from names and back."""

from urllib.parse import quote, unquote

from foliot.client.errors import Unreachable
from foliot.core.errors import Invalid, shown
from foliot.core.ids import CollectionKey

PROVIDER = "providers/Microsoft.Scheduler"
_PARTS_OF_A_KEY = 3
_PARTS_OF_AN_ID = 9


def collection_path(key: CollectionKey) -> str:
    """Return the path of a collection."""
    group = f"/subscriptions/{_part(key.subscription)}/resourceGroups/{_part(key.group)}"
    return f"{group}/{PROVIDER}/jobCollections/{_part(key.name)}"


def job_path(key: CollectionKey, job: str) -> str:
    """Return the path of a job."""
    return f"{collection_path(key)}/jobs/{_part(job)}"


def run_path(key: CollectionKey, job: str, tag: str) -> str:
    """Return the path of a run."""
    return f"{job_path(key, job)}/runs/{_part(tag)}"


def calendar_path(key: CollectionKey, name: str) -> str:
    """Return the path of a calendar of a collection."""
    return f"{collection_path(key)}/calendars/{_part(name)}"


def alert_path(key: CollectionKey, name: str) -> str:
    """Return the path of an alert of a collection."""
    return f"{collection_path(key)}/alerts/{_part(name)}"


def subscription_path(subscription: str, rest: str) -> str:
    """Return a path of the provider in a subscription."""
    return f"/subscriptions/{_part(subscription)}/{PROVIDER}/{rest}"


def key_in(path: str) -> CollectionKey:
    """Return the collection that the id of a resource lies in."""
    parts = [unquote(each) for each in path.split("/")]
    # /subscriptions/S/resourceGroups/G/providers/Microsoft.Scheduler/jobCollections/C[/...]
    if len(parts) < _PARTS_OF_AN_ID:
        raise Unreachable(f"the server does not answer as Foliot does: {shown(path)} is no id.")
    return CollectionKey(parts[2], parts[4], parts[8])


def parse_key(text: str) -> CollectionKey:
    """Read subscription/group/name."""
    parts = text.strip("/").split("/")
    if len(parts) != _PARTS_OF_A_KEY or not all(parts):
        raise Invalid((), f"{shown(text)} is not valid; give SUBSCRIPTION/GROUP/NAME.")
    return CollectionKey(*parts)


def key_text(key: CollectionKey) -> str:
    """Write subscription/group/name."""
    return f"{key.subscription}/{key.group}/{key.name}"


def _part(name: str) -> str:
    # A server would read a slash as the end of the name.
    if name in {"", ".", ".."} or "/" in name:
        raise Invalid((), f"{shown(name)} is not a name.")
    try:
        return quote(name, safe="()")
    except UnicodeEncodeError:
        # Python's stand-in for a byte of an argument that is not UTF-8.
        raise Invalid((), f"{shown(name)} is not a name: it is not UTF-8.") from None
