"""Progress of what takes longer than two seconds: a line on a terminal, and nothing in a pipe.

What is waited for goes on as soon as the terminal shows the line. The same command in a pipe began
earlier, and waits at least as long.
"""

import fcntl
import json
import os
import re
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support import postgres
from tests.support.commands import Place, in_pipe, on_terminal, started
from tests.support.http_proxy import gate_before
from tests.support.postgres_address import KEY, address
from tests.support.server import Server, running

MIGRATING = "SELECT pg_advisory_lock(6011, 1)"
BAR = r"\[[#-]{24}\] +\d+ %"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    with running(tmp_path_factory.mktemp("server") / "foliot-data") as found:
        yield found


def a_file(directory: Path, days: int) -> None:
    request = {"uri": "http://127.0.0.1:9/", "method": "GET"}
    action = {"type": "http", "request": request}
    job = {
        "startTime": "2020-01-01T00:00:00Z",
        "recurrence": {"frequency": "day", "interval": days},
    }
    document: Any = {
        "collection": {"subscription": "s", "group": "g", "name": "c"},
        "jobs": {name: job | {"action": action} for name in ("one", "two")},
    }
    (directory / "jobs.json").write_text(json.dumps(document))


APPLY = ("apply", "-f", "jobs.json", "--yes")


@pytest.mark.parametrize(
    ("held", "command", "expected"),
    [
        ("GET .*/jobs", APPLY, r"\rThe server is read  2 s"),
        (".*/preview", APPLY, rf"{BAR}  Jobs of c are compared  2 s"),
        ("POST .*/validate", APPLY, r"\rThe server checks the changes  2 s"),
        ("POST .*/apply", APPLY, r"\rs/g/c is changed  2 s"),
        ("GET .*/jobs", ("export", "-o", "out.yaml"), r"\rCollections are read  2 s"),
        ("GET .*/jobs", ("job", "list"), r"\rThe server is read  2 s"),
    ],
)
def test_a_command_that_waits_for_a_server_shows_it_on_a_terminal_alone(
    server: Server, tmp_path: Path, held: str, command: tuple[str, ...], expected: str
) -> None:
    assert server.token
    given = {"FOLIOT_TOKEN": server.token, "FOLIOT_COLLECTION": "s/g/c", "NO_COLOR": "1"}
    direct = Place(tmp_path, given | {"FOLIOT_SERVER": f"http://{server.host}:{server.port}"})
    a_file(tmp_path, 1)
    assert in_pipe(direct, *APPLY).returncode == 0
    a_file(tmp_path, 2)

    with gate_before(direct.environ["FOLIOT_SERVER"], held) as gate:
        place = Place(tmp_path, given | {"FOLIOT_SERVER": gate.url})
        with started(place, *command) as piped:
            gate.wait_for_request()
            code, shown = on_terminal(place, *command, seen={"  2 s": gate.open})
            printed, told = piped.communicate()

    assert (code, piped.returncode) == (0, 0)
    assert re.search(expected, shown)
    assert "\x1b" not in shown.rpartition("\r")[0]
    assert told == ""
    assert " s\n" not in printed
    assert "%" not in printed


@contextmanager
def holding(directory: Path, program: str) -> Generator[Callable[[], None]]:
    """Put a program on the path that begins when it is let go; return what lets it go."""
    real = next(Path(each, program) for each in postgres.programs())
    script = directory / program
    lock = directory / f"{program}.lock"
    script.write_text(
        f"#!{sys.executable}\nimport fcntl, os, sys\n"
        f"fcntl.flock(os.open({str(lock)!r}, os.O_RDONLY), fcntl.LOCK_SH)\n"
        f"os.execv({str(real)!r}, sys.argv)\n"
    )
    script.chmod(0o755)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield lambda: fcntl.flock(held, fcntl.LOCK_UN)


def test_a_dump_and_its_restoration_are_shown_on_a_terminal_alone(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    path = os.pathsep.join([str(programs), *postgres.programs(), os.environ["PATH"]])
    with postgres.new_database() as url, postgres.new_database(is_empty=True) as empty:
        given = {"FOLIOT_DATABASE": address(url), "FOLIOT_SECRET_KEYS": KEY, "PATH": path}
        place = Place(tmp_path, given)
        with running(tmp_path / "node", DATABASE=address(url), SECRET_KEYS=KEY):
            pass
        with (
            holding(programs, "pg_dump") as let_go,
            started(place, "backup", "piped.dump") as piped,
        ):
            dumped = on_terminal(place, "backup", "b.dump", seen={"  2 s": let_go})
            _, told = piped.communicate()
        with holding(programs, "pg_restore") as let_go:
            words = ("restore", "b.dump", "--database", address(empty))
            restored = on_terminal(place, *words, seen={"  2 s": let_go})

    assert (dumped[0], piped.returncode, restored[0]) == (0, 0, 0)
    assert "\rCopying  2 s" in dumped[1]
    assert "\rChecking the backup  2 s" in restored[1]
    assert told.startswith("The secret key is not in it.")
    assert "\r" not in told


def test_a_new_key_and_a_move_to_postgresql_are_shown_on_a_terminal(tmp_path: Path) -> None:
    node, old = tmp_path / "node", tmp_path / "old"
    node.mkdir(mode=0o700)
    (node / "secret-key").write_text(KEY)
    with running(old):
        pass
    with postgres.new_database() as url, postgres.new_database(is_empty=True) as empty:
        with running(node, DATABASE=address(url)):
            pass
        place = Place(tmp_path, {"FOLIOT_DATABASE": address(url), "FOLIOT_DATA_DIR": str(node)})
        with psycopg.connect(url) as lock:
            lock.execute(MIGRATING)
            rotated = on_terminal(place, "key", "rotate", seen={"  2 s": lock.close})
        source = ("migrate", "--from", f"sqlite:///{old}/foliot.db", "--to", address(empty))
        with psycopg.connect(empty) as lock:
            lock.execute(MIGRATING)
            moved = on_terminal(Place(tmp_path), *source, seen={"  2 s": lock.close})

    assert (rotated[0], moved[0]) == (0, 0), rotated[1] + moved[1]
    assert "\rOpening the database  2 s" in rotated[1]
    assert "\rOpening the database  2 s" in moved[1]


def test_an_import_of_what_comes_slowly_is_shown_on_a_terminal(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "crontab")

    def write() -> None:
        (tmp_path / "crontab").write_text("0 7 * * * curl https://example.com/\n")

    code, shown = on_terminal(Place(tmp_path), "import", "crontab", "crontab", seen={"2 s": write})

    assert code == 0
    assert "\rFiles are read  2 s" in shown
