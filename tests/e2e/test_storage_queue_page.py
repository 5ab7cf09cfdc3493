"""The page about storage queues, word for word, against Azurite and a real server."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import azurite
from tests.support.azurite import ACCOUNT
from tests.support.server import running

PAGE = Path(__file__).parents[2] / "docs/how-to/storage-queues.md"
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Round trips until the message must have arrived.
PATIENCE = 100


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_page_about_storage_queues_works_as_written(tmp_path: Path) -> None:
    blocks = [block for _, block in BLOCK.findall(PAGE.read_text())]
    start_azurite, make_queue, start_foliot, save_job, read_queue = blocks
    assert "azurite-queue --queuePort 10001" in start_azurite
    found = re.search(r"FOLIOT_STORAGE_ENDPOINTS='(.*)' foliot serve", start_foliot)
    assert found
    assert json.loads(found[1]) == {ACCOUNT: f"http://127.0.0.1:10001/{ACCOUNT}"}

    with azurite.running() as service:
        port = f":{service.port}"
        places = found[1].replace(":10001", port)
        run([sys.executable, "-c", make_queue.replace(":10001", port)], tmp_path)
        with running(tmp_path / "foliot-data", NO_ENGINE="0", STORAGE_ENDPOINTS=places) as server:
            commands = save_job.replace(":8080", f":{server.port}")
            run(["bash", "-euo", "pipefail", "-c", commands], tmp_path)
            script = read_queue.replace(":10001", port)
            said = (run([sys.executable, "-c", script], tmp_path) for _ in range(PATIENCE))
            assert next(text for text in said if text != "[]\n") == "['good morning']\n"


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(  # noqa: S603  (the page's own words)
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
