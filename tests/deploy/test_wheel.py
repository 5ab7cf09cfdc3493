"""The wheel, installed into an empty environment of each Python that is here."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.support.http_target import JOB, TOKEN, a_job, target
from tests.support.server import COLLECTION, DEADLINE, running

ROOT = Path(__file__).parents[2]
UV = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
VERSIONS = ("3.11", "3.12", "3.13")
STANDARD = {"properties": {"sku": {"name": "Standard"}}}


def run(*command: str, cwd: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    # No variable may lead to the sources that these tests run from.
    environ = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(  # noqa: S603  (our own)
        command, cwd=cwd, env=environ, capture_output=True, text=True, check=False
    )


def pythons() -> Iterator[str]:
    """Return one interpreter of each version: that of the tests, and others that are found."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    yield sys.executable
    for version in VERSIONS:
        of_pyenv = sorted(PYENV.glob(f"{version}.*/bin/python"))
        # What pyenv puts on the PATH runs only the versions that it was told to.
        found = str(of_pyenv[-1]) if of_pyenv else shutil.which(f"python{version}")
        if found and version != own and run(found, "--version").returncode == 0:
            yield found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = ("-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder))
    built = run(sys.executable, *build)
    assert built.returncode == 0, built.stderr
    (found,) = folder.glob("foliot-*.whl")
    return found


def installed(base: str, wheel: Path, folder: Path) -> str:
    """Install the wheel and what it needs, in the versions of the lock; return the Python."""
    assert UV
    python = str(folder / "env" / "bin" / "python")
    made = run(UV, "venv", "--quiet", "--python", base, str(folder / "env"))
    assert made.returncode == 0, made.stderr
    lock = ("--constraint", str(ROOT / "requirements.lock"))
    install = (UV, "pip", "install", "--quiet", "--python", python, *lock, str(wheel))
    done = run(*install)
    if "Could not connect" in done.stderr or "error sending request" in done.stderr:
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr
    return python


@pytest.mark.skipif(UV is None, reason="uv is not installed")
@pytest.mark.parametrize("base", list(pythons()))
def test_the_wheel_runs_a_job_in_an_environment_that_has_nothing_else(
    base: str, wheel: Path, tmp_path: Path
) -> None:
    python = installed(base, wheel, tmp_path)
    expected = f"foliot {metadata.version('foliot')}\n"

    said = [
        run(str(Path(python).with_name("foliot")), "--version", cwd=tmp_path).stdout,
        run(python, "-m", "foliot", "--version", cwd=tmp_path).stdout,
    ]
    with (
        target() as (uri, arrived),
        running(tmp_path / "data", python=python, NO_ENGINE="0", ADMIN_TOKEN=TOKEN) as server,
    ):
        for path, body in ((COLLECTION, STANDARD), (JOB, a_job(uri))):
            assert server.call("PUT", path, token=TOKEN, body=body).status == 201
        page = server.call("GET", "/sign-in")
        assert arrived.get(timeout=DEADLINE)

    assert said == [expected, expected]
    assert page.status == 200


def test_the_metadata_of_the_wheel_has_no_link_that_leads_nowhere(wheel: Path) -> None:
    with ZipFile(wheel) as opened:
        (name,) = (each for each in opened.namelist() if each.endswith("/METADATA"))
        text = opened.read(name).decode()
        names = opened.namelist()

    assert re.findall(r"\]\((?!https?://)[^)]*\)", text) == []
    for version in VERSIONS:
        assert f"Classifier: Programming Language :: Python :: {version}\n" in text
    assert "Requires-Python: >=3.11\n" in text
    assert {each.split("/")[0] for each in names} == {"foliot", name.split("/")[0]}
