"""Runs the blocks of a document in turn, as a reader would, with variables and servers."""

import os
import re
import secrets
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from foliot.core.instant import SECOND
from foliot.ports import clock
from tests.support.commands import FOLIOT, Place

ROOT = Path(__file__).parents[2]
DEADLINE = 60
BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<kind>\w+)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
# A command that goes on until it is stopped; what follows it goes on beside it.
SETTING = r"""(?:\w+=(?:'[^']*'|\$\([^)]*\)|\S)+ )*"""
SERVING = re.compile(rf"^({SETTING})((?:foliot serve|make run|python3 -m http\.server).*)$")
# A block of these may be run again until its output is the one of the page.
READING = re.compile(r"foliot (runs|failures|job (history|show|list|why))\b")
# What differs at every run: times, execution tags, and the width of columns.
CHANGING = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?|\b[0-9a-f]{32}\b")
_PRELUDE = """
set -a
if [ -f .shell/variables ]; then . .shell/variables; cd "$(cat .shell/directory)"; fi
set -euo pipefail
serving() {
    files="$SHELL_FILES/$1"
    shift
    if [ -f "$files.pid" ]; then
        kill -TERM -- "-$(cat "$files.pid")" || true
        while kill -0 "$(cat "$files.pid")" 2>&-; do sleep 0.1; done
    fi
    : > "$files.out"
    setsid env "$@" > "$files.out" &
    echo $! > "$files.pid"
    until grep -q "$READY" "$files.out"; do
        kill -0 "$(cat "$files.pid")" || { cat "$files.out" "$files.err"; exit 90; }
        sleep 0.05
    done
}
"""


class Block(NamedTuple):
    """A fenced part of a document: its language, its text and the line where it begins."""

    kind: str
    text: str
    line: int
    last_line: int


def blocks_of(page: str) -> list[Block]:
    """Return the fenced parts of a page, without their indentation."""
    return [
        Block(
            each["kind"],
            re.sub(rf"^{each['indent']}", "", each["text"], flags=re.MULTILINE),
            page[: each.start()].count("\n") + 1,
            page[: each.end()].count("\n") + 1,
        )
        for each in BLOCK.finditer(page)
    ]


def free_port() -> int:
    """Return a port that the system gives to nobody by itself until a server takes it."""
    while True:
        port = secrets.choice(range(20_000, 32_000))
        with socket.socket() as bound, suppress(OSError):
            bound.bind(("127.0.0.1", port))
            return port


def without_changes(text: str) -> set[str]:
    """Return the lines of an output, without what differs at every run."""
    return {" ".join(CHANGING.sub("", line).split()) for line in text.splitlines()}


class DocumentShell:
    """A directory as that of a clone, and the variables that earlier blocks have set."""

    def __init__(self, directory: Path, programs: Path) -> None:
        self.directory = directory
        self.files = directory / ".shell"
        self.files.mkdir()
        for name in (
            *("Makefile", "README.md", "pyproject.toml", "requirements-run.lock", "tools", "src"),
            *("examples", "deploy", "tests"),
        ):
            (directory / name).symlink_to(ROOT / name)
        # An environment that `make run` finds ready: it must not install into ours.
        (directory / ".venv").mkdir()
        (directory / ".venv" / "bin").symlink_to(ROOT / ".venv" / "bin")
        (directory / ".venv" / ".ready-to-run").touch()
        self.ports = {8080: free_port(), 9000: free_port()}
        self._programs = programs

    def run(self, text: str) -> subprocess.CompletedProcess[str]:
        """Run a block to its end, in the place where the one before has ended."""
        lines = "\n".join(_in_background(line) for line in self.here(text).splitlines())
        script = (
            f"{_PRELUDE}\n{lines}\n"
            'export -p | grep -v "^declare -x SHELL_FILES" > "$SHELL_FILES/variables"; '
            'pwd > "$SHELL_FILES/directory"'
        )
        return subprocess.run(  # noqa: S603  (the words of the document)
            ["bash", "-c", script],  # noqa: S607
            cwd=self.directory,
            env=self._variables(),
            capture_output=True,
            text=True,
            check=False,
            timeout=DEADLINE,
        )

    def run_until(self, text: str, shown: str) -> subprocess.CompletedProcess[str]:
        """Run a block until it prints what the page shows, or fails, or time is up."""
        end = clock.now() + DEADLINE * SECOND
        wanted = without_changes(self.here(shown))
        while True:
            done = self.run(text)
            printed = without_changes(done.stdout + done.stderr + self.said_by_servers())
            missing = {line for line in wanted if not any(line in each for each in printed)}
            is_reading = all(READING.match(line) for line in text.splitlines())
            if not missing or not is_reading or clock.now() > end:
                assert missing == set(), done.stdout + done.stderr
                return done

    def close(self) -> None:
        """End what the blocks have started."""
        for file in self.files.glob("*.pid"):
            try:
                os.killpg(int(file.read_text()), signal.SIGTERM)
            except ProcessLookupError:
                continue

    def said_by_servers(self) -> str:
        """Return what the servers that are running have printed."""
        return "\n".join(file.read_text() for file in self.files.glob("*.out"))

    def here(self, text: str) -> str:
        """Return a text with the ports of this test."""
        for port, other in self.ports.items():
            text = re.sub(rf"(?<=[: ]){port}\b", str(other), text)
        return text

    def _variables(self) -> dict[str, str]:
        own = {
            "PATH": f"{self._programs}:{Path(FOLIOT).parent}:{os.environ['PATH']}",
            "SHELL_FILES": str(self.files),
            "READY": "listens on\\|Serving HTTP",
            "FOLIOT_PORT": str(self.ports[8080]),
            "PYTHONUNBUFFERED": "1",
        }
        return Place(self.directory).variables() | own


def _in_background(line: str) -> str:
    found = SERVING.match(line)
    if found is None:
        return line
    variables, command = found.groups()
    name = "target" if "http.server" in command else "server"
    errors = "" if "2>" in command else f' 2>> "$SHELL_FILES/{name}.err"'
    return f"serving {name} {variables}{command}{errors}"


def outputs(blocks: list[Block]) -> Iterator[tuple[Block, str]]:
    """Return each block of commands with the output that the page shows right after it."""
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        if block.kind == "sh":
            follows = after is not None and after.line == block.last_line + 2
            is_output = follows and after.kind == "text" and not is_commands(after.text)
            yield block, after.text if after is not None and is_output else ""


def is_commands(text: str) -> bool:
    """Tell whether a text shows commands, and no output: it is not run."""
    # An error begins with the name of its command and a colon.
    return re.match(r"(foliot [\w-]+ |curl |az |jq |archive_mode)", text) is not None
