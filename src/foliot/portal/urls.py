"""Builds the addresses of pages."""

from urllib.parse import quote, urlencode

from foliot.core.ids import CollectionKey

TABS = {
    "overview": "Overview",
    "action": "Action settings",
    "schedule": "Schedule",
    "runs": "Runs",
    "json": "JSON",
    "code": "As code",
    "properties": "Properties",
    "explain": "Explain a time",
}
COLLECTION_TABS = {
    "jobs": "Jobs",
    "alerts": "Alerts",
    "properties": "Properties",
    "access": "Access",
}


def collection(key: CollectionKey, *rest: str) -> str:
    """Return the address of a collection, or of a page below it."""
    parts = (key.subscription, key.group, key.name, *rest)
    return "/collections/" + "/".join(quote(part, safe="") for part in parts)


def job(key: CollectionKey, name: str, *rest: str) -> str:
    """Return the address of a job, or of a page below it."""
    return collection(key, "jobs", name, *rest)


def attempt(key: CollectionKey, job_name: str, number: int, *rest: str) -> str:
    """Return the address of an attempt in the history of a job, or of a page below it."""
    return job(key, job_name, "attempts", str(number), *rest)


def run(key: CollectionKey, name: str, number: str) -> str:
    """Return the address of a run of a job."""
    return job(key, name, "runs", number)


def alert(key: CollectionKey, name: str, *rest: str) -> str:
    """Return the address of an alert, or of a page below it."""
    return collection(key, "alerts", name, *rest)


def key_text(key: CollectionKey) -> str:
    """Return the text that names a collection in a query or a form."""
    return f"{key.subscription}/{key.group}/{key.name}"


def with_query(path: str, **query: str) -> str:
    """Return an address with query parameters; empty ones are omitted."""
    given = {name: value for name, value in query.items() if value}
    return f"{path}?{urlencode(given)}" if given else path
