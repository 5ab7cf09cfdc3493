"""How-tos of the command line: their commands run in turn, and print what the page shows."""

import re
import subprocess
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.support.commands import FOLIOT, Place
from tests.support.server import running

FOLDER = Path(__file__).parents[2] / "docs" / "how-to"
# Commands that are shown and not run; an error begins with the name of a command and a colon.
ONLY_SHOWN = re.compile(r"foliot [\w-]+(?!:) ")
SCRIPT = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@pytest.fixture
def target() -> Generator[str]:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST = answer  # noqa: N815  (of the base)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def plain(line: str) -> str:
    """Return a line without its times, and with columns of no width."""
    return re.sub(r"(?<=\S)  +", "  ", TIME.sub("TIME", line)).rstrip()


@pytest.mark.parametrize("name", ["command-line", "keep-jobs-in-files", "alerts"])
def test_the_commands_of_the_page_work_as_written(tmp_path: Path, target: str, name: str) -> None:
    page = (FOLDER / f"{name}.md").read_text()
    script = "\n".join(SCRIPT.findall(page)).replace("https://example.com", target)
    place = Place(tmp_path)
    path = f"{Path(FOLIOT).parent}:{place.variables()['PATH']}"

    with running(tmp_path / "foliot-data", NO_ENGINE="0"):
        done = subprocess.run(  # noqa: S603  (the page's own words)
            ["bash", "-euo", "pipefail", "-c", script],  # noqa: S607
            cwd=tmp_path,
            env=place.variables() | {"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )

    assert (done.returncode, done.stderr) == (0, "")
    done.stdout = done.stdout.replace(target, "https://example.com")
    printed = {plain(line) for line in done.stdout.splitlines()}
    outputs = [block for block in SHOWN.findall(page) if not ONLY_SHOWN.match(block)]
    shown = {plain(line) for block in outputs for line in block.splitlines()}
    assert shown
    assert shown <= printed
    assert "not-so-secret" not in done.stdout
    assert "another-one" not in done.stdout
