"""Alerts of a server as they are exported: secrets of their destinations hidden."""

from typing import Any

from foliot.client.job_files import JsonObject
from foliot.core.json_text import Json
from foliot.importers.hidden_text import hidden, hidden_in_uri


def hide_destinations(properties: JsonObject) -> dict[str, Any]:
    """Return properties of an alert with a `HiddenText` for each secret that answers leave out."""
    given = properties.get("sendTo")
    destinations = given if isinstance(given, list) else []
    # One secret of a kind needs no number in the name of its variable.
    counts = {kind: sum(_type(each) == kind for each in destinations) for kind in _KINDS}
    return {
        **properties,
        "sendTo": [
            _hidden(each, f" {number}" if counts.get(_type(each), 0) > 1 else "")
            for number, each in enumerate(destinations, 1)
        ],
    }


_KINDS = ("webhook", "slack")


def _type(destination: Json) -> str:
    return str(destination.get("type")) if isinstance(destination, dict) else ""


def _hidden(destination: Json, number: str) -> Any:
    if not isinstance(destination, dict):
        return destination
    shown: dict[str, Any] = {
        name: each for name, each in destination.items() if name not in ("signed", "host")
    }
    uri = destination.get("uri")
    if isinstance(uri, str):
        shown["uri"] = hidden_in_uri(uri)
    elif _type(destination) == "slack":
        meaning = f"the Slack address at {destination.get('host')}"
        shown["uri"] = hidden(f"slack{number}", meaning)
    if destination.get("signed"):
        shown["secret"] = hidden(f"webhook secret{number}", "the signing secret of the webhook")
    return shown
