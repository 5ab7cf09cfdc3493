"""Recordings of the old service, and what we answer in their place.

They lie beside a checkout, not in it. Their README names what differs: PUT of a collection that
exists answers 200, a history entry that completed says so, an immediate job is due at once. Beyond
that we number the entries of a history ourselves.
"""

import json
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parents[4] / "shared" / "wire" / "recorded.jsonl"

Exchange = dict[str, Any]

# When a recording without dates may have been made: before the times in it.
_UNDATED = "Tue, 01 Aug 2017 00:00:00 GMT"
_DELAY = timedelta(seconds=20)


def recordings() -> dict[str, list[Exchange]]:
    """Return the exchanges of each recording in the order they took place."""
    lines = map(json.loads, RECORDED.read_text("utf-8").splitlines())
    return {
        name: sorted(exchanges, key=_moment)
        for name, exchanges in groupby(lines, itemgetter("recording"))
    }


def time_of(exchange: Exchange) -> str:
    """Return when an exchange took place."""
    return f"{parsedate_to_datetime(exchange['date'] or _UNDATED):%Y-%m-%dT%H:%M:%SZ}"


def is_history(exchanges: list[Exchange]) -> bool:
    """Tell whether a recording asks only for what happened before it."""
    return all(exchange["path"].endswith("/history") for exchange in exchanges)


def expected_status(exchange: Exchange, *, exists: bool) -> int:
    """Return the status we answer with."""
    is_collection = exchange["path"].split("/")[-2] == "jobCollections"
    return 200 if exists and is_collection and exchange["method"] == "PUT" else exchange["status"]


def expected_body(body: Any) -> Any:
    """Return a recorded body as we answer it."""
    match body:
        case {"value": list() as values}:
            return body | {"value": [expected_body(each) for each in values]}
        case {"properties": {"status": {"nextExecutionTime": _}} as properties}:
            return body | {"properties": _due_at_once(properties)}
        case {"properties": {"actionName": _} as properties}:
            return body | {"properties": completed(properties)}
        case _:
            return body


def completed(properties: dict[str, Any]) -> dict[str, Any]:
    """Return a recorded history entry with the status it had and did not tell."""
    items = list(properties.items())
    place = next(at for at, (name, _) in enumerate(items) if name == "message")
    return dict([*items[:place], ("status", "completed"), *items[place:]])


def _moment(exchange: Exchange) -> tuple[datetime, bool]:
    # The recorder sorted by address; within a second a change comes before the look at it.
    moment = parsedate_to_datetime(exchange["date"] or _UNDATED)
    return moment, bool(exchange["date"]) and exchange["method"] == "GET"


def _due_at_once(properties: dict[str, Any]) -> dict[str, Any]:
    """Take the old service's delay off the time of an immediate job."""
    due = properties["status"]["nextExecutionTime"]
    is_immediate = "recurrence" not in properties and properties.get("startTime", "") < due
    if not is_immediate:
        return properties
    moment = datetime.fromisoformat(due[:19]) - _DELAY
    status = properties["status"] | {"nextExecutionTime": f"{moment:%Y-%m-%dT%H:%M:%SZ}"}
    return properties | {"status": status}
