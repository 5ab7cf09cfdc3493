"""The first job of the README, word for word, against a real server."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.server import running

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_first_job_of_the_readme_works_as_written(tmp_path: Path) -> None:
    section = (ROOT / "README.md").read_text().partition("## A first job")[2]
    script = re.search(r"```sh\n(.*?)```", section, re.DOTALL)
    assert script

    with running(tmp_path) as server:
        commands = script[1].replace(":8080", f":{server.port}")
        commands = commands.replace("foliot-data", str(tmp_path))
        done = subprocess.run(  # noqa: S603  (the README's own words)
            ["bash", "-euo", "pipefail", "-c", commands],  # noqa: S607
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )

    assert (done.returncode, done.stderr) == (0, "")
    answers = list(_documents(done.stdout))
    assert [answer.get("name") for answer in answers] == [
        *("first", "first/report", "first/report", "first/report", None)
    ]
    assert answers[3]["properties"]["recurrence"]["schedule"]["hours"] == [8]


def _documents(text: str) -> list[dict[str, object]]:
    decoder, found, place = json.JSONDecoder(), [], 0
    while place < len(text):
        document, place = decoder.raw_decode(text, place)
        found.append(document)
    return found
