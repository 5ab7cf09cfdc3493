"""The page about templates, word for word, against a real server."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.server import running

ROOT = Path(__file__).parents[2]
SCRIPT = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_page_about_templates_works_as_written(tmp_path: Path) -> None:
    script, *_ = SCRIPT.findall((ROOT / "docs/how-to/deploy-templates.md").read_text())

    with running(tmp_path) as server:
        commands = script.replace(":8080", f":{server.port}")
        commands = commands.replace("foliot-data", str(tmp_path))
        done = subprocess.run(  # noqa: S603  (the page's own words)
            ["bash", "-euo", "pipefail", "-c", commands],  # noqa: S607
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )

    assert (done.returncode, done.stderr) == (0, "")
    validated, made, shown, operations = map(
        json.loads, done.stdout.replace("}{", "}\n{").split("\n")
    )
    ids = [each["id"].rpartition("/")[2] for each in made["properties"]["outputResources"]]
    assert ids == ["reports", "nightly"]
    assert made["properties"]["outputs"]["next"]["value"].endswith("T02:00:00Z")
    assert "geheim" not in done.stdout
    assert shown == made
    assert validated["properties"]["validatedResources"] == made["properties"]["outputResources"]
    assert len(operations["value"]) == 2
