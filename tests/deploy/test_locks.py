"""The two locks: what Foliot needs to run is a part of what its tests need, same versions."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENTRY = re.compile(r"^([a-z0-9-]+)==(\S+).*\n((?:    --hash=.*\n)+)", re.MULTILINE)
NAME = re.compile(r"^[\w-]+")


def entries(lock: str) -> dict[str, tuple[str, str]]:
    """Return version and hashes of each package of a lock."""
    text = (ROOT / lock).read_text()
    return {name: (version, hashes) for name, version, hashes in ENTRY.findall(text)}


def names(requirements: list[str]) -> set[str]:
    return {match[0].lower() for each in requirements if (match := NAME.match(each))}


def test_the_lock_of_a_server_is_a_part_of_the_lock_of_the_tests() -> None:
    run, everything = entries("requirements-run.lock"), entries("requirements.lock")

    assert run
    assert {name: each for name, each in run.items() if everything.get(name) != each} == {}


def test_a_server_gets_its_dependencies_and_no_tool_of_the_tests() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    run = set(entries("requirements-run.lock"))
    tools = names([each for each in groups["dev"] if isinstance(each, str)])

    assert names(project["project"]["dependencies"]) <= run
    assert names(groups["build"]) <= run
    assert tools & run == set()
