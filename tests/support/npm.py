"""Packages from npm, installed once into folders that later runs find again."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "foliot-tests"
_QUIET = ("--silent", "--no-audit", "--no-fund")


def install(folder: Path, *arguments: str, makes: Path) -> None:
    """Run npm in a folder unless what it makes is there; skip the test where that is impossible."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if makes.exists():
            return
        done = subprocess.run(  # noqa: S603  (our own command)
            [npm, *arguments, *_QUIET], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            pytest.skip(f"npm {' '.join(arguments)} failed: {done.stderr[-500:]}")
