"""A process beside a server sees by its lock that it is alive."""

import asyncio
import fcntl
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from foliot.core.instant import HOUR, Instant, parse_instant
from foliot.core.model.node import Node, is_alive
from foliot.ports import clock
from foliot.serve import data_dir
from foliot.serve.data_dir import locked_database
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite.owner import is_owned_by_another, lock_of, seen_at, with_owner
from foliot.store.sqlite.store import SqliteStore

NOW = parse_instant("2026-01-10T12:00:00Z")
OWNER = """
import sys
from pathlib import Path
from foliot.serve.data_dir import locked_database
with locked_database(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


@contextmanager
def owned(database: Path) -> Generator[None]:
    """Have another process own a database."""
    command = [sys.executable, "-c", OWNER, str(database)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:  # noqa: S603  (our own command)
        assert process.stdout is not None
        assert process.stdout.readline() == b"locked\n"
        yield
        process.communicate()


def a_node(name: str, *, hours: int) -> Node:
    """Return a node that started, and was last seen, some hours ago."""
    at = Instant(NOW - hours * HOUR)
    return Node(id=name, name=name, version="1", started_at=at, seen_at=at)


def alive(nodes: list[Node]) -> list[str]:
    return [node.name for node in nodes if is_alive(node, NOW)]


def test_the_owner_of_a_database_is_alive_however_long_it_was_silent(tmp_path: Path) -> None:
    database = tmp_path / "foliot.db"
    crashed, running = a_node("crashed", hours=9), a_node("running", hours=5)

    with owned(database):
        found = with_owner([crashed, running], database, NOW)

    assert alive(found) == ["running"]


def test_without_an_owner_nodes_are_as_they_were_last_seen(tmp_path: Path) -> None:
    database = tmp_path / "foliot.db"
    nodes = [a_node("stopped", hours=5)]
    with owned(database):
        pass

    assert with_owner(nodes, database, NOW) == nodes
    assert with_owner([], database, NOW) == []


def test_a_process_is_no_other_owner_to_itself(tmp_path: Path) -> None:
    database = tmp_path / "foliot.db"

    with locked_database(database):
        assert not is_owned_by_another(database)


@pytest.mark.parametrize(("own", "expected"), [("first", ["first"]), (None, []), ("third", [])])
def test_a_server_knows_itself_to_be_alive(own: str | None, expected: list[str]) -> None:
    nodes = [a_node("first", hours=2), a_node("second", hours=1)]

    assert alive(seen_at(nodes, own, NOW)) == expected


def test_a_server_counts_as_alive_from_the_last_change_that_its_store_took(tmp_path: Path) -> None:
    before = clock.now()
    silent = a_node("own", hours=2)

    async def seen() -> list[Instant]:
        store = SqliteStore.open(tmp_path / "foliot.db", Keyring([b"k" * 32]), node="own")
        await store.write(lambda to: to.save_node(silent))
        found = [(await store.read(lambda view: view.nodes()))[0].seen_at for _ in range(2)]
        await store.write(lambda _: None)
        found += [(await store.browse(lambda view: view.nodes()))[0].seen_at]
        await store.close()
        return found

    first, again, later = asyncio.run(seen())

    assert before < first == again < later


def test_an_owner_in_another_container_may_have_the_same_process_id(tmp_path: Path) -> None:
    database = tmp_path / "foliot.db"

    with owned(database):
        lock_of(database).write_text(f"{os.getpid()}\n")
        assert is_owned_by_another(database)


def test_a_server_starts_though_a_command_looks_at_the_lock_at_that_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "foliot.db"
    looking = os.open(lock_of(database), os.O_RDONLY | os.O_CREAT)
    fcntl.flock(looking, fcntl.LOCK_SH)

    class Waiting:
        def wait(self, _seconds: float) -> None:
            fcntl.flock(looking, fcntl.LOCK_UN)

    monkeypatch.setattr(data_dir, "Event", Waiting)

    with locked_database(database) as held:
        assert held == [lock_of(database)]
    os.close(looking)
