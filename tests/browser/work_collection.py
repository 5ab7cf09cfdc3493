"""The collection `work`, which the tests of a running server create and fill with jobs."""

from typing import Any

from tests.browser.demo import TOKEN
from tests.support.server import Server

COLLECTION = "/collections/me/home/work"
API = "/subscriptions/me/resourceGroups/home/providers/Microsoft.Scheduler/jobCollections/work"
VERSION = "?api-version=2016-03-01"


def make_collection(tab: Any) -> None:
    tab.go("/collections/new")
    tab.page.get_by_label("Collection name").fill("work")
    tab.page.get_by_role("button", name="Create collection").click()
    tab.page.wait_for_url(f"**{COLLECTION}")


def put_job(server: Server, name: str, uri: str = "http://127.0.0.1:9/", **properties: Any) -> None:
    action = {
        "type": "Http",
        "request": {"uri": uri, "method": "POST"},
        "retryPolicy": {"retryType": "none"},
    }
    body = {"properties": {"action": action, **properties}}
    answer = server.call("PUT", f"{API}/jobs/{name}{VERSION}", token=TOKEN, body=body)
    assert answer.status == 201
