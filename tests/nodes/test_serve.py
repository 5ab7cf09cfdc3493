"""Real servers on one PostgreSQL."""

import json
from pathlib import Path

import psycopg
import pytest

from tests.support.postgres_address import KEY, address
from tests.support.server import foliot, running

JOBS = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c"
VERSION = "?api-version=2016-03-01"


def test_two_servers_share_what_is_stored_and_know_of_each_other(url: str, tmp_path: Path) -> None:
    environ = {"SECRET_KEYS": KEY, "ADMIN_TOKEN": "t" * 40, "DATABASE": address(url)}
    with (
        running(tmp_path / "one", **environ) as one,
        running(tmp_path / "two", "--no-api", NO_ENGINE="0", **environ) as two,
    ):
        body = {"properties": {"sku": {"name": "Standard"}}}
        made = one.call("PUT", JOBS + VERSION, token="t" * 40, body=body)
        elsewhere = two.call("GET", JOBS + VERSION, token="t" * 40)
        connection = two.connect()
        connection.request("GET", "/nodes", headers={"Authorization": f"Bearer {'t' * 40}"})
        nodes = json.loads(connection.getresponse().read())["value"]
        connection.close()
        listed = foliot("token", "list", "--data-dir", str(tmp_path / "one"), **environ)
        ended = two.stop()

        assert (made.status, elsewhere.status) == (201, 404)
        assert sorted((node["hasApi"], node["hasEngine"]) for node in nodes) == [
            (False, True),
            (True, False),
        ]
        assert "Owner" in listed.stdout
        assert "hunter2" not in one.text + two.text + ended[1] + ended[2]
        assert ended[0] == 0


@pytest.mark.parametrize(
    "theirs",
    [
        pytest.param({}, id="no token"),
        pytest.param({"ADMIN_TOKEN": "u" * 40}, id="another token"),
    ],
)
def test_a_node_with_another_admin_token_or_none_locks_nobody_out(
    url: str, tmp_path: Path, theirs: dict[str, str]
) -> None:
    cluster = {"SECRET_KEYS": KEY, "DATABASE": address(url)}
    with (
        running(tmp_path / "one", ADMIN_TOKEN="t" * 40, **cluster) as one,
        running(tmp_path / "two", **theirs, **cluster) as two,
    ):
        assert [node.status("t" * 40) for node in (one, two)] == [404, 404]
        assert two.token is None


def test_a_second_server_without_the_key_is_refused(url: str, tmp_path: Path) -> None:
    with running(tmp_path / "one", DATABASE=address(url)):
        pass

    two = str(tmp_path / "two")
    refused = foliot("serve", "--port", "0", "--data-dir", two, DATABASE=address(url))

    assert refused.returncode == 1
    assert "The key of the database is missing" in refused.stderr


def test_a_node_that_runs_goes_on_when_a_newer_one_migrates_and_does_not_start_again(
    url: str, tmp_path: Path
) -> None:
    environ = {"SECRET_KEYS": KEY, "ADMIN_TOKEN": "t" * 40, "DATABASE": address(url)}
    with running(tmp_path / "one", **environ) as node:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("INSERT INTO schema_version VALUES (99)")
        body = {"properties": {"sku": {"name": "Standard"}}}
        made = node.call("PUT", JOBS + VERSION, token="t" * 40, body=body)
        ready = node.call("GET", "/readyz")
    again = foliot("serve", "--port", "0", "--data-dir", str(tmp_path / "one"), **environ)

    assert (made.status, ready.status) == (201, 200)
    assert again.returncode == 1
    assert "The database has schema version 99, and this version of Foliot knows" in again.stderr
