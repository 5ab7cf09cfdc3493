"""`foliot apply` killed at each of its changes, and run again: it ends in the same state."""

import json
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.support.applied_files import answered
from tests.support.commands import Place, in_pipe, started
from tests.support.killing_proxy import KillingProxy, proxy_of
from tests.support.server import Server, running

# One call for each collection.
STEPS = ["POST", "POST"]
START = "2020-01-01T00:00:00Z"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    with running(tmp_path_factory.mktemp("server") / "foliot-data") as found:
        yield found


@pytest.fixture(scope="module")
def proxy(server: Server) -> Generator[KillingProxy]:
    with proxy_of(f"http://{server.host}:{server.port}") as found:
        yield found


def job(path: str, *calendars: str) -> dict[str, Any]:
    recurrence: dict[str, Any] = {"frequency": "day"}
    if calendars:
        recurrence["exclude"] = {"calendars": [*calendars]}
    request = {"uri": f"https://example.com/{path}", "method": "GET"}
    action = {"type": "https", "request": request}
    return {"startTime": START, "recurrence": recurrence, "action": action}


def document(subscription: str, name: str, jobs: Any, calendars: Any, alert: str) -> dict[str, Any]:
    days = {each: {"dates": dates} for each, dates in calendars.items()}
    key = {"subscription": subscription, "group": "g", "name": name}
    told = {"type": "webhook", "uri": f"https://example.com/{alert}"}
    alerts = {alert: {"when": {"paused": True}, "sendTo": [told]}}
    return {"collection": key, "calendars": days, "jobs": jobs, "alerts": alerts}


def before(subscription: str) -> list[Any]:
    jobs = {"stays": job("stays"), "changes": job("old"), "also": job("old"), "goes": job("goes")}
    calendars = {"moved": ["2030-12-25"], "unused": ["2030-12-31"]}
    return [document(subscription, "there", jobs, calendars, "goes")]


def after(subscription: str) -> list[Any]:
    jobs = {"stays": job("stays"), "changes": job("new"), "also": job("new", "added")}
    jobs["comes"] = job("comes", "moved")
    calendars = {"moved": ["2030-12-24/2030-12-26"], "added": ["2030-05-01"]}
    new = {"first": job("first", "holidays"), "second": job("second")}
    return [
        document(subscription, "there", jobs, calendars, "comes"),
        document(subscription, "new", new, {"holidays": ["2030-07-04"]}, "first"),
    ]


def place_of(server: Server, url: str, directory: Path) -> Place:
    assert server.token
    return Place(directory, {"FOLIOT_SERVER": url, "FOLIOT_TOKEN": server.token})


def prepare(place: Place, subscription: str) -> None:
    """Write the files, and bring the server to where it is before they are applied."""
    (place.directory / "before.json").write_text(json.dumps(before(subscription)))
    (place.directory / "after.json").write_text(json.dumps(after(subscription)))
    ended = in_pipe(place, "apply", "-f", "before.json", "--yes")
    assert (ended.returncode, ended.stderr) == (0, "")


def outcome(place: Place, subscription: str) -> Any:
    """Return what the server has, with the same subscription in all."""
    return json.loads(json.dumps(answered(place, subscription)).replace(subscription, "SUB"))


def apply_until_killed(place: Place, proxy: KillingProxy, at: int | None, *, is_after: bool) -> int:
    proxy.plan(at, is_after=is_after)
    with started(place, "apply", "-f", "after.json", "--prune", "--yes") as process:
        proxy.watch(process)
        process.communicate(timeout=60)
        return process.returncode


def part_of(found: Any, collection: str) -> list[Any]:
    """Return a collection with all that is in it."""
    return [
        {path: each for path, each in kind.items() if f"/jobCollections/{collection}" in path}
        for kind in found
    ]


def test_apply_that_was_killed_anywhere_ends_in_the_same_state_when_run_again(
    server: Server, proxy: KillingProxy, tmp_path: Path
) -> None:
    direct = place_of(server, f"http://{server.host}:{server.port}", tmp_path)
    through = place_of(server, proxy.url, tmp_path)
    prepare(direct, "whole")
    begin = outcome(direct, "whole")
    assert apply_until_killed(through, proxy, None, is_after=False) == 0
    changes = [each.replace("/subscriptions/whole", "") for each in proxy.changes]
    expected = outcome(direct, "whole")

    for at in range(1, len(changes) + 1):
        for is_after in (False, True):
            subscription = f"at-{at}-{is_after}"
            prepare(direct, subscription)

            code = apply_until_killed(through, proxy, at, is_after=is_after)

            assert code == -signal.SIGKILL
            assert len(proxy.changes) == at
            left = outcome(direct, subscription)
            for collection in ("there", "new"):
                whole = [part_of(each, collection) for each in (begin, expected)]
                assert part_of(left, collection) in whole
            again = in_pipe(direct, "apply", "-f", "after.json", "--prune", "--yes")
            assert (again.returncode, again.stderr) == (0, "")
            assert outcome(direct, subscription) == expected

    assert [each.partition(" ")[0] for each in changes] == STEPS
