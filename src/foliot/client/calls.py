"""The calls of the API that the commands make."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import cast
from urllib.parse import parse_qsl, urlsplit

from foliot.client.connection import Connection
from foliot.client.errors import NotThere, Unreachable
from foliot.client.job_files import JsonObject
from foliot.client.paths import (
    alert_path,
    calendar_path,
    collection_path,
    job_path,
    key_in,
    run_path,
    subscription_path,
)
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json


class FoliotClient:
    """Calls a server for the commands; each method is one thing that a person wants."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @property
    def url(self) -> str:
        """Where the server is."""
        return self._connection.url

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def subscriptions(self) -> list[str]:
        """Return the subscriptions that have collections."""
        found = [each.get("subscriptionId") for each in self._listed("/subscriptions")]
        if not all(isinstance(each, str) for each in found):
            raise self._stranger("a subscription has no subscriptionId")
        return [str(each) for each in found]

    def collections(self) -> list[JsonObject]:
        """Return all collections that the token may see."""
        paths = [subscription_path(each, "jobCollections") for each in self.subscriptions()]
        return [each for path in paths for each in self._listed(path)]

    def collection_keys(self) -> list[CollectionKey]:
        """Return the keys of all collections that the token may see."""
        return [key_in(str(each.get("id"))) for each in self.collections()]

    def collection(self, key: CollectionKey) -> JsonObject:
        """Return a collection."""
        return self._object("GET", collection_path(key))

    def put_collection(self, key: CollectionKey, body: JsonObject) -> JsonObject:
        """Create or replace a collection."""
        return self._object("PUT", collection_path(key), body)

    def patch_collection(self, key: CollectionKey, body: JsonObject) -> JsonObject:
        """Change a collection."""
        return self._object("PATCH", collection_path(key), body)

    def delete_collection(self, key: CollectionKey) -> None:
        """Delete a collection with its jobs and their history."""
        self._connection.call("DELETE", collection_path(key))

    def enable_collection(self, key: CollectionKey, *, enabled: bool) -> None:
        """Enable or disable a collection."""
        action = "enable" if enabled else "disable"
        self._connection.call("POST", f"{collection_path(key)}/{action}")

    def jobs(self, key: CollectionKey, state: str | None = None) -> Iterator[JsonObject]:
        """Go through the jobs of a collection."""
        query = {} if state is None else {"$filter": f"state eq '{state}'"}
        return self._listed(f"{collection_path(key)}/jobs", query)

    def job(self, key: CollectionKey, name: str) -> JsonObject:
        """Return a job."""
        return self._object("GET", job_path(key, name))

    def has_job(self, key: CollectionKey, name: str) -> bool:
        """Tell whether a job exists; its collection must."""
        try:
            self.job(key, name)
        except NotThere:
            self.collection(key)
            return False
        return True

    def put_job(self, key: CollectionKey, name: str, body: JsonObject) -> JsonObject:
        """Create or replace a job."""
        return self._object("PUT", job_path(key, name), body)

    def patch_job(self, key: CollectionKey, name: str, body: JsonObject) -> JsonObject:
        """Change a job."""
        return self._object("PATCH", job_path(key, name), body)

    def delete_job(self, key: CollectionKey, name: str) -> None:
        """Delete a job with its history."""
        self._connection.call("DELETE", job_path(key, name))

    def start_job(self, key: CollectionKey, name: str) -> None:
        """Have a job run at once."""
        self._connection.call("POST", f"{job_path(key, name)}/run")

    def history(
        self, key: CollectionKey, name: str, status: str | None = None
    ) -> Iterator[JsonObject]:
        """Go through the attempts of a job, the newest first."""
        query = {} if status is None else {"$filter": f"status eq '{status}'"}
        return self._listed(f"{job_path(key, name)}/history", query)

    def runs_of_job(
        self, key: CollectionKey, name: str, filters: Mapping[str, str]
    ) -> Iterator[JsonObject]:
        """Go through the runs of a job: open ones first, then the newest first."""
        return self._listed(f"{job_path(key, name)}/runs", filters)

    def runs_of_collection(
        self, key: CollectionKey, filters: Mapping[str, str]
    ) -> Iterator[JsonObject]:
        """Go through the runs of a collection."""
        return self._listed(f"{collection_path(key)}/runs", filters)

    def runs_of_all(self, filters: Mapping[str, str], limit: int) -> list[JsonObject]:
        """Return the runs of all collections: of each subscription at most so many."""
        paths = [subscription_path(each, "runs") for each in self.subscriptions()]
        return [run for path in paths for run in islice(self._listed(path, filters), limit)]

    def audit_entries(self, filters: Mapping[str, str]) -> Iterator[JsonObject]:
        """Go through the audit log, the newest entry first."""
        return self._listed("/audit", filters)

    def occurrences(
        self, key: CollectionKey, name: str, query: Mapping[str, str]
    ) -> Iterator[JsonObject]:
        """Go through the planned times of a job: its ledger."""
        return self._listed(f"{job_path(key, name)}/occurrences", query)

    def preview_job(self, key: CollectionKey, name: str, count: int) -> JsonObject:
        """Return when a job runs: a sentence, and its next times."""
        path = f"{job_path(key, name)}/preview"
        found = self._connection.call("POST", path, {"count": str(count)})
        return found if isinstance(found, dict) else {}

    def preview_change(
        self, key: CollectionKey, name: str, job: JsonObject, count: int
    ) -> JsonObject:
        """Return when a job would run if it were saved so."""
        path = f"{job_path(key, name)}/preview"
        found = self._connection.call("POST", path, {"count": str(count)}, job)
        return found if isinstance(found, dict) else {}

    def apply_contents(self, key: CollectionKey, body: JsonObject) -> JsonObject:
        """Save a collection with what is in it, and delete other things of it: all, or nothing."""
        return self._object("POST", f"{collection_path(key)}/apply", body)

    def validate_contents(self, key: CollectionKey, body: JsonObject) -> JsonObject:
        """Have the server try the same and undo it; it refuses what it would refuse."""
        return self._object("POST", f"{collection_path(key)}/apply/validate", body)

    def test_job(self, key: CollectionKey, name: str | None, job: JsonObject) -> JsonObject:
        """Make one attempt that leaves no trace: of a stored job, or of one as it is given."""
        path = collection_path(key) if name is None else job_path(key, name)
        return self._object("POST", f"{path}/test", job or None)

    def redrive(self, key: CollectionKey, name: str, which: JsonObject) -> JsonObject:
        """Run again what was given up: by `from` and `to`, or by `tag`."""
        return self._object("POST", f"{job_path(key, name)}/redrive", which)

    def backfill(self, key: CollectionKey, name: str, which: JsonObject) -> JsonObject:
        """Run the planned times of the past from `from` to `to`."""
        return self._object("POST", f"{job_path(key, name)}/backfill", which)

    def retry_run(self, key: CollectionKey, name: str, tag: str) -> JsonObject:
        """Retry a run now that waits for its retry."""
        return self._object("POST", f"{run_path(key, name, tag)}/retry")

    def cancel_run(self, key: CollectionKey, name: str, tag: str) -> None:
        """End a run that is open."""
        self._connection.call("POST", f"{run_path(key, name, tag)}/cancel")

    def cancel_runs(self, key: CollectionKey, name: str, filters: Mapping[str, str]) -> JsonObject:
        """End the open runs of a job."""
        found = self._connection.call("POST", f"{job_path(key, name)}/runs/cancel", filters)
        return found if isinstance(found, dict) else {}

    def calendars(self, key: CollectionKey) -> Iterator[JsonObject]:
        """Go through the calendars of a collection."""
        return self._listed(f"{collection_path(key)}/calendars")

    def calendar(self, key: CollectionKey, name: str) -> JsonObject:
        """Return a calendar."""
        return self._object("GET", calendar_path(key, name))

    def put_calendar(self, key: CollectionKey, name: str, body: JsonObject) -> JsonObject:
        """Create or replace a calendar."""
        return self._object("PUT", calendar_path(key, name), body)

    def delete_calendar(self, key: CollectionKey, name: str) -> None:
        """Delete a calendar."""
        self._connection.call("DELETE", calendar_path(key, name))

    def alerts(self, key: CollectionKey) -> Iterator[JsonObject]:
        """Go through the alerts of a collection."""
        return self._listed(f"{collection_path(key)}/alerts")

    def alert(self, key: CollectionKey, name: str) -> JsonObject:
        """Return an alert."""
        return self._object("GET", alert_path(key, name))

    def has_alert(self, key: CollectionKey, name: str) -> bool:
        """Tell whether an alert exists; its collection must."""
        try:
            self.alert(key, name)
        except NotThere:
            self.collection(key)
            return False
        return True

    def put_alert(self, key: CollectionKey, name: str, body: JsonObject) -> JsonObject:
        """Create or replace an alert."""
        return self._object("PUT", alert_path(key, name), body)

    def patch_alert(self, key: CollectionKey, name: str, body: JsonObject) -> JsonObject:
        """Change parts of an alert."""
        return self._object("PATCH", alert_path(key, name), body)

    def delete_alert(self, key: CollectionKey, name: str) -> None:
        """Delete an alert."""
        self._connection.call("DELETE", alert_path(key, name))

    def test_alert(
        self, key: CollectionKey, name: str, destination: int | None = None
    ) -> list[JsonObject]:
        """Send a test message to each destination, or to one; return their outcomes."""
        body: JsonObject | None = None if destination is None else {"destination": destination}
        found = self._object("POST", f"{alert_path(key, name)}/test", body).get("value")
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

    def _object(self, method: str, path: str, body: Json = None) -> JsonObject:
        found = self._connection.call(method, path, body=body)
        return found if isinstance(found, dict) else {}

    def _listed(self, path: str, query: Mapping[str, str] | None = None) -> Iterator[JsonObject]:
        """Go through a listing, page by page.

        Of a link to the next page only the query is taken: a proxy may know the server by another
        name, and the token is for the server that was named.
        """
        asked: dict[str, str] | None = dict(query or {})
        while asked is not None:
            page = self._connection.call("GET", path, asked)
            values = page.get("value") if isinstance(page, dict) else None
            if not isinstance(values, list):
                raise self._stranger("it lists nothing")
            if not all(isinstance(each, dict) for each in values):
                raise self._stranger("it lists what is no resource")
            yield from cast("list[JsonObject]", values)
            link = page.get("nextLink") if isinstance(page, dict) else None
            following = dict(parse_qsl(urlsplit(link).query)) if isinstance(link, str) else None
            if following is not None and following == asked:
                raise self._stranger("its next page is the same again")
            asked = following

    def _stranger(self, reason: str) -> Unreachable:
        return Unreachable(f"{self.url} does not answer as Foliot does: {reason}.")
