"""Jobs as Azure Scheduler had them: secrets are hidden, missing ones are asked for."""

from typing import Any

from foliot.core.json_text import Json
from foliot.importers.hidden_text import PLACEHOLDER, hidden, hidden_in_headers, hidden_in_uri

# What the service gave back and does not take.
_READ_ONLY = frozenset(
    {
        *("status", "certificatethumbprint", "certificateexpiration", "certificateexpirationdate"),
        *("certificatesubjectname", "httpauthentication"),
    }
)
_SECRETS = {
    "password": "the password",
    "pfx": "the client certificate in base64",
    "secret": "the secret of the application",
    "sastoken": "the shared access signature of the queue",
    "saskey": "the shared access key",
}
# The secrets that belong to each type of authentication.
_NEEDED = {
    "basic": ("password",),
    "clientcertificate": ("pfx", "password"),
    "activedirectoryoauth": ("secret",),
    "standardwebhooks": ("secret",),
    "sharedaccesskey": ("sasKey",),
}


def hide_secrets(properties: dict[str, Json], notes: list[str]) -> dict[str, Any]:
    """Return the properties of a job with secrets as placeholders; a missing one is told."""
    return _walk(properties, "", notes)


def _walk(given: dict[str, Json], around: str, notes: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name.lower() in _READ_ONLY or value is None:
            continue
        found[name] = _written(name, value, around, notes)
    for name in _missing(given):
        word = f"{around}_{name}" if around else name
        meaning = _SECRETS[name.lower()]
        found[name] = hidden(word, meaning)
        notes.append(f"{meaning} is not in the file: set its placeholder")
    return found


def _written(name: str, value: Json, around: str, notes: list[str]) -> Any:
    lowered = name.lower()
    inner_around = "error" if lowered == "erroraction" else around
    if isinstance(value, dict):
        if lowered == "headers":
            texts = {each: text for each, text in value.items() if isinstance(text, str)}
            return {**value, **hidden_in_headers(texts)}
        return _walk(value, inner_around, notes)
    if isinstance(value, str) and lowered == "uri":
        return hidden_in_uri(value)
    if isinstance(value, str) and lowered in _SECRETS and not PLACEHOLDER.search(value):
        return hidden(f"{around}_{name}" if around else name, _SECRETS[lowered], value)
    return value


def _missing(given: dict[str, Json]) -> list[str]:
    """Return the secrets that an object must have and has not."""
    names = {name.lower(): value for name, value in given.items() if value is not None}
    kind = names.get("type")
    needed = _NEEDED.get(kind.lower(), ()) if isinstance(kind, str) else ()
    if "storageaccount" in names and "queuename" in names:
        needed = ("sasToken",)
    # A certificate that is there may have no password.
    has_certificate = "pfx" in names
    return [] if has_certificate else [each for each in needed if each.lower() not in names]
