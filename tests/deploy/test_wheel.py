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


def run(*command: str, cwd: Path = ROOT, **environ: str) -> "subprocess.CompletedProcess[str]":
    # No variable may lead to the sources that these tests run from.
    left_out = ("PYTHONPATH", "FOLIOT_PROJECT_URL")
    kept = {name: text for name, text in os.environ.items() if name not in left_out}
    return subprocess.run(  # noqa: S603  (our own)
        command, cwd=cwd, env=kept | environ, capture_output=True, text=True, check=False
    )


def built(folder: Path, target: str, cwd: Path = ROOT, **environ: str) -> list[Path]:
    """Build a wheel or a source distribution; return the files."""
    build = ("-m", "hatchling", "build", "--target", target, "--directory", str(folder))
    done = run(sys.executable, *build, cwd=cwd, **environ)
    assert done.returncode == 0, done.stderr
    return [*folder.glob("foliot-*.whl" if target == "wheel" else "foliot-*.tar.gz")]


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
    (found,) = built(tmp_path_factory.mktemp("wheel"), "wheel")
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


def metadata_of(wheel: Path) -> str:
    with ZipFile(wheel) as opened:
        (name,) = (each for each in opened.namelist() if each.endswith("/METADATA"))
        return opened.read(name).decode()


def linked_from(text: str) -> list[str]:
    return re.findall(r"\]\(([^)]*)\)", text)


def test_the_wheel_holds_the_package_alone_and_names_the_versions_of_python(wheel: Path) -> None:
    text = metadata_of(wheel)
    with ZipFile(wheel) as opened:
        folders = {each.split("/")[0] for each in opened.namelist()}

    for version in VERSIONS:
        assert f"Classifier: Programming Language :: Python :: {version}\n" in text
    assert "Requires-Python: >=3.11\n" in text
    assert folders == {"foliot", f"foliot-{metadata.version('foliot')}.dist-info"}


def test_without_the_address_of_the_project_its_description_has_no_links(wheel: Path) -> None:
    text = metadata_of(wheel)

    assert "Project-URL" not in text
    assert linked_from(text) == []
    assert "with authentication, expected answers, timeouts, retries and error actions" in text
    assert "make run" not in text


def test_with_the_address_of_the_project_every_link_and_picture_is_absolute(tmp_path: Path) -> None:
    url, version = "https://git.example.org/ops/foliot", metadata.version("foliot")
    files = f"{url}/blob/v{version}"

    # A wheel of the source distribution, as others make it: it knows the address already.
    (source,) = built(tmp_path, "sdist", FOLIOT_PROJECT_URL=f"{url}/")
    shutil.unpack_archive(source, tmp_path, filter="data")
    (wheel,) = built(tmp_path, "wheel", cwd=tmp_path / f"foliot-{version}")

    text = metadata_of(wheel)
    assert re.findall(r"^Project-URL: (.*)$", text, re.MULTILINE) == [
        f"Homepage, {url}",
        f"Documentation, {files}/docs/README.md",
        f"Source, {url}",
        f"Changelog, {files}/CHANGELOG.md",
        f"Issues, {url}/issues",
    ]
    assert f"]({url}/raw/v{version}/docs/pictures/week.svg)]({files}/docs/tutorial/" in text
    linked = linked_from(text)
    assert len(linked) > 30
    for each in linked:
        path = each.removeprefix(f"{files}/").removeprefix(f"{url}/raw/v{version}/")
        assert (ROOT / path.partition("#")[0]).exists(), each


def test_an_address_of_the_project_that_is_none_is_refused(tmp_path: Path) -> None:
    build = ("-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path))

    done = run(sys.executable, *build, FOLIOT_PROJECT_URL="foliot")

    assert done.returncode != 0
    assert "FOLIOT_PROJECT_URL is 'foliot'; give the https:// address" in done.stderr
