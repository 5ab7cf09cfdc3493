"""The first start of a server on a database from before runs were recorded."""

import json
from base64 import b64encode
from pathlib import Path

import pytest

from tests.contract.store.test_upgraded_runs import RECORDED, on_sqlite, outcomes, recorded
from tests.support.server import running


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path


def test_a_server_tells_its_progress_and_lists_the_runs(data_dir: Path) -> None:
    key = b64encode(bytes(32)).decode()
    with on_sqlite(data_dir) as old:
        with running(data_dir, SECRET_KEYS=key) as server:
            path = "/subscriptions/s/providers/Microsoft.Scheduler/runs?api-version=2026-11-01"
            connection = server.connect()
            bearer = {"Authorization": f"Bearer {server.token}"}
            connection.request("GET", f"{path}&outcome=failed&$top=1", headers=bearer)
            answer = json.loads(connection.getresponse().read())
            connection.close()
            _, _, log = server.stop()

        total = len(outcomes())
        assert f"Recording runs: 5000 of {total} rows" in log
        assert f"Recording runs: {total} of {total} rows (100 %)" in log
        assert old.rows(RECORDED) == recorded()
    (run,) = (each["properties"] for each in answer["value"])
    assert (run["outcome"], len(run["attempts"])) == ("failed", 2)
    assert run["errorAction"]["outcome"] == "succeeded"
