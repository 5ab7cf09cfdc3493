"""`foliot backup` and `foliot restore`: what they refuse, and what a kill leaves."""

import base64
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from foliot.ports.private_files import private_draft
from foliot.store.sealing.keyring import parse_keyring, read_keyring
from foliot.store.sql.job_rows import seal_context
from tests.support import postgres
from tests.support.commands import Place, in_pipe, on_terminal
from tests.support.http_target import TOKEN, a_job
from tests.support.postgres_address import KEY, address
from tests.support.server import COLLECTION, foliot, running

OTHER_KEY = base64.b64encode(bytes([1] * 32)).decode()
# Ends the process, as a kill does, before or after a step of a command.
DYING = """
import os
import {module} as module
step = module.{step}
def die(*words, **named):
    if {after}:
        step(*words, **named)
    os._exit(137)
module.{step} = die
from foliot.cli import app
app()
"""


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data directory of a server that was stopped."""
    data = tmp_path_factory.mktemp("stopped") / "data"
    with running(data):
        pass
    return data


@pytest.fixture
def data(stopped: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(stopped, tmp_path / "data"))


@pytest.fixture
def backup(data: Path, tmp_path: Path) -> Path:
    done = foliot("backup", "--with-key", str(tmp_path / "b.db"), "--data-dir", str(data))
    assert done.returncode == 0, done.stderr
    return tmp_path / "b.db"


def killed(module: str, step: str, *arguments: str, after: bool) -> None:
    code = DYING.format(module=module, step=step, after=after)
    kept = {name: text for name, text in os.environ.items() if not name.startswith("FOLIOT_")}
    done = subprocess.run(  # noqa: S603  (our own)
        [sys.executable, "-c", code, *arguments], env=kept, capture_output=True, check=False
    )
    assert done.returncode == 137, done.stderr


def refusal(*arguments: str, **environ: str) -> str:
    done = foliot(*arguments, **environ)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr
    return done.stderr


def test_a_backup_says_where_the_key_is_and_shows_no_secret(data: Path, tmp_path: Path) -> None:
    key = (data / "secret-key").read_text().strip()
    (tmp_path / "backups").mkdir()

    without = foliot("backup", str(tmp_path / "backups"), "--data-dir", str(data))
    with_key = foliot("backup", "--with-key", str(tmp_path / "b"), "--data-dir", str(data))

    (named,) = (tmp_path / "backups").iterdir()
    assert named.name.startswith("foliot-2")
    assert named.suffix == ".db"
    assert f"Keep a copy of {data}/secret-key: without it no job can be read." in without.stderr
    assert f"Its key is in {tmp_path}/b.key: store it in another place" in with_key.stderr
    assert (tmp_path / "b.key").read_text().strip() == key
    assert key not in without.stdout + without.stderr + with_key.stdout + with_key.stderr
    assert {each.stat().st_mode & 0o777 for each in (named, *tmp_path.glob("b*.key"))} == {0o600}


def test_a_backup_overwrites_nothing(data: Path, tmp_path: Path) -> None:
    (tmp_path / "b.db").write_text("mine")

    said = refusal("backup", str(tmp_path / "b.db"), "--data-dir", str(data))

    assert f"{tmp_path}/b.db exists already; nothing is overwritten" in said
    assert (tmp_path / "b.db").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["/nowhere/b.db"], "/nowhere/b.db cannot be written: No such file or directory"),
        (["b2/"], "b2/: there is no such directory"),
        ([""], "FILE is empty: give a new file, or a directory for a new file"),
        (["-"], "a backup cannot be written to standard output: give a file"),
        (["b.db", "--data-dir", "/nowhere"], "there is no database /nowhere/foliot.db"),
    ],
    ids=["no directory", "a directory that is missing", "no name", "standard output", "no server"],
)
def test_a_backup_that_cannot_be_made_is_refused(
    data: Path, tmp_path: Path, arguments: list[str], expected: str
) -> None:
    place = Place(tmp_path, {"FOLIOT_DATA_DIR": str(data)})

    done = in_pipe(place, "backup", *arguments)

    assert done.returncode == 1
    assert expected in done.stderr
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data"]


def test_a_damaged_database_is_no_backup(data: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(data / "foliot.db")) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET rootpage = 2 WHERE name = 'token'")
        connection.commit()

    said = refusal("backup", str(tmp_path / "b.db"), "--data-dir", str(data))

    assert "damaged" in said
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data"]


def test_a_backup_with_a_key_that_does_not_fit_is_refused(data: Path, tmp_path: Path) -> None:
    said = refusal("backup", str(tmp_path / "b.db"), "--data-dir", str(data), SECRET_KEYS=OTHER_KEY)

    assert "The secret key does not fit the database; nothing was written" in said


@pytest.mark.parametrize(
    ("step", "after"),
    [
        ("copy_database", False),
        ("copy_database", True),
        ("check_backup", True),
        ("_write_key", True),
        ("publish", False),
        ("publish", True),
    ],
)
def test_a_killed_backup_leaves_a_whole_file_or_none(
    data: Path, tmp_path: Path, step: str, *, after: bool
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    words = ["backup", str(folder / "b.db"), "--data-dir", str(data)]
    # The key is published by the same step as the backup, before it.
    key = ["--with-key"] if step == "_write_key" else []

    killed("foliot.cli.local.backup_steps", step, *words, *key, after=after)

    left = list(folder.glob(".*.part"))
    is_published = step == "publish" and after
    assert (folder / "b.db").exists() is is_published
    assert (folder / "b.db.key").exists() is bool(key)
    if is_published:
        restored = ["--key", str(data / "secret-key"), "--data-dir", str(tmp_path / "new")]
        assert foliot("restore", str(folder / "b.db"), *restored).returncode == 0
        return
    again = foliot(*words, *key)
    assert again.returncode == 0, again.stderr
    assert all(f"Removed {each}: " in again.stderr for each in left)
    expected = ["b.db", "b.db.key"] if key else ["b.db"]
    assert sorted(each.name for each in folder.iterdir()) == expected


def test_a_backup_into_a_directory_removes_what_killed_ones_have_left_and_nothing_else(
    data: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    words = ["backup", f"{folder}/", "--data-dir", str(data)]
    killed("foliot.cli.local.backup_steps", "publish", *words, after=False)
    others = [folder / ".other.db.0123abcd.part", folder / "notes.part"]
    for other in others:
        other.touch()

    with private_draft(folder / "foliot-20260101T000000Z.db") as written_now:
        done = foliot(*words)
        found = set(folder.iterdir())

    assert done.returncode == 0, done.stderr
    (backup,) = folder.glob("foliot-*.db")
    assert found == {backup, written_now, *others}


def test_doctor_names_what_a_killed_backup_has_left_in_the_data_directory(data: Path) -> None:
    words = ["backup", str(data / "b.db"), "--data-dir", str(data)]
    killed("foliot.cli.local.backup_steps", "publish", *words, after=False)
    (left,) = data.glob(".b.db.*.part")

    done = foliot("doctor", "--data-dir", str(data))

    assert "data directory: a backup or restore that was interrupted has left files" in done.stdout
    assert f"-> rm {left}" in done.stdout


@pytest.mark.parametrize(
    ("step", "after"),
    [
        ("copy_database", False),
        ("copy_database", True),
        ("write_private", True),
        ("publish", False),
        ("publish", True),
    ],
)
def test_a_killed_restore_is_no_server_and_can_be_run_again(
    backup: Path, tmp_path: Path, step: str, *, after: bool
) -> None:
    new = tmp_path / "new"
    words = ["restore", str(backup), "--data-dir", str(new)]

    killed("foliot.cli.local.restore_steps", step, *words, after=after)

    said = refusal("serve", "--port", "0", "--data-dir", str(new))
    assert f"a restore into {new} was interrupted; run `foliot restore` again." in said
    done = foliot(*words)
    assert done.returncode == 0, done.stderr
    assert sorted(each.name for each in new.iterdir()) == ["foliot.db", "lock", "secret-key"]
    with running(new) as server:
        assert server.call("GET", "/readyz").status == 200


def test_a_restore_says_what_the_server_will_do(backup: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"

    done = foliot("restore", str(backup), "--data-dir", str(new))

    assert done.stdout.splitlines()[0] == (f"Restored into {new}/foliot.db: 0 collections, 0 jobs.")
    assert "The old server must not run any more" in done.stdout
    assert {each.stat().st_mode & 0o077 for each in new.iterdir()} == {0}


@pytest.mark.parametrize(
    ("database", "option"),
    [
        ("{at}/the new/foliot.db", ""),
        ("{at}/my db", " --database 'sqlite:///{at}/my db'"),
    ],
    ids=["the default", "elsewhere"],
)
def test_a_restore_prints_the_command_that_starts_what_was_restored(
    backup: Path, tmp_path: Path, database: str, option: str
) -> None:
    new = tmp_path / "the new"
    given = f"sqlite:///{database.format(at=tmp_path)}"

    done = foliot("restore", str(backup), "--data-dir", str(new), "--database", given)

    expected = f"`foliot serve --data-dir '{new}'{option.format(at=tmp_path)} --no-engine`"
    assert expected in done.stdout


def test_a_restore_needs_an_empty_directory(backup: Path, data: Path) -> None:
    said = refusal("restore", str(backup), "--data-dir", str(data))

    assert f"{data} is not empty: it has " in said


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_a_restore_beside_the_log_of_another_database_is_refused(
    backup: Path, tmp_path: Path, ending: str
) -> None:
    (tmp_path / f"my.db{ending}").write_text("another's")
    words = ["--data-dir", str(tmp_path / "new"), "--database", f"sqlite:///{tmp_path}/my.db"]

    said = refusal("restore", str(backup), *words)

    assert f"{tmp_path}/my.db{ending} exists already; nothing is overwritten." in said
    assert not (tmp_path / "my.db").exists()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(None, "cannot be read: No such file or directory", id="no file"),
        pytest.param(
            b"rubbish", "is no backup: neither a database of SQLite nor a dump", id="text"
        ),
        pytest.param(b"PGDMP rubbish", "is a dump of PostgreSQL: give --database", id="a dump"),
        pytest.param(b"SQLite format 3\0 rubbish", "cannot be opened", id="cut off"),
    ],
)
def test_what_is_no_backup_is_refused(tmp_path: Path, content: bytes | None, expected: str) -> None:
    if content is not None:
        (tmp_path / "b.db").write_bytes(content)
    (tmp_path / "key").write_text(KEY)
    words = ["--key", str(tmp_path / "key"), "--data-dir", str(tmp_path / "new")]

    said = refusal("restore", str(tmp_path / "b.db"), *words)

    assert expected in said
    assert not (tmp_path / "new").exists()


def test_a_backup_of_a_later_version_is_refused(backup: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(backup)) as connection:
        connection.execute("INSERT INTO schema_version VALUES (999)")
        connection.commit()

    said = refusal("restore", str(backup), "--data-dir", str(tmp_path / "new"))

    assert "schema version 999" in said
    assert not (tmp_path / "new").exists()


def test_a_restore_without_the_right_key_is_refused(backup: Path, tmp_path: Path) -> None:
    backup.with_name("b.db.key").rename(tmp_path / "moved")
    (tmp_path / "other").write_text(OTHER_KEY)
    words = ["restore", str(backup), "--data-dir", str(tmp_path / "new")]

    missing = refusal(*words)
    wrong = refusal(*words, "--key", str(tmp_path / "other"))
    right = foliot(*words, "--key", str(tmp_path / "moved"))

    assert f"The secret key cannot be read from {backup}.key" in missing
    assert "The secret key does not fit the backup; nothing was restored." in wrong
    assert right.returncode == 0


@pytest.fixture
def half_closed(tmp_path: Path) -> Path:
    """Return a backup of two jobs, one of which another key has sealed."""
    data, file = tmp_path / "with jobs", tmp_path / "half.db"
    job = a_job("http://127.0.0.1:1/", recurrence={"frequency": "week"}, state="disabled")
    with running(data, ADMIN_TOKEN=TOKEN) as server:
        for path, body in (
            (COLLECTION, {"properties": {"sku": {"name": "Standard"}}}),
            *((COLLECTION.replace("?", f"/jobs/{name}?"), job) for name in ("ours", "theirs")),
        ):
            assert server.call("PUT", path, token=TOKEN, body=body).status == 201
    done = foliot("backup", "--with-key", str(file), "--data-dir", str(data))
    assert done.returncode == 0, done.stderr
    own, other = read_keyring(data / "secret-key"), parse_keyring(OTHER_KEY, "test")
    query = (
        "SELECT job_id, collection_id, sealed FROM definition"
        " JOIN job ON job.id = job_id WHERE name = 'theirs'"
    )
    with closing(sqlite3.connect(file)) as connection:
        job_id, collection_id, sealed = connection.execute(query).fetchone()
        context = seal_context(collection_id, "theirs")
        moved = other.seal(own.open(sealed, context), context)
        connection.execute("UPDATE definition SET sealed = ? WHERE job_id = ?", (moved, job_id))
        connection.commit()
    return file


def test_a_key_that_opens_only_a_part_of_a_backup_is_refused_with_what_it_does_not_open(
    half_closed: Path, tmp_path: Path
) -> None:
    words = ["restore", str(half_closed), "--data-dir", str(tmp_path / "new")]

    said = refusal(*words)

    other = parse_keyring(OTHER_KEY, "test").names
    assert "it does not open 1 job (jobs: theirs)." in said
    assert f"The key {other} has encrypted 1 of them" in said
    assert "give --accept-unreadable" in said
    assert not (tmp_path / "new").exists()
    both = tmp_path / "both"
    both.write_text(f"{half_closed.with_name('half.db.key').read_text().strip()},{OTHER_KEY}")
    assert foliot(*words, "--key", str(both)).returncode == 0


def test_a_backup_is_restored_without_a_lost_key_if_that_is_accepted(
    half_closed: Path, tmp_path: Path
) -> None:
    new = tmp_path / "new"

    done = foliot("restore", str(half_closed), "--data-dir", str(new), "--accept-unreadable")

    assert done.returncode == 0, done.stderr
    with running(new) as server:
        assert server.call("GET", "/healthz").status == 200


def test_a_backup_whose_key_is_lost_is_restored_with_another_if_that_is_accepted(
    half_closed: Path, tmp_path: Path
) -> None:
    new, lost = tmp_path / "new", read_keyring(half_closed.with_name("half.db.key")).names
    (tmp_path / "new-key").write_text(base64.b64encode(b"n" * 32).decode())
    words = [
        "restore",
        str(half_closed),
        "--data-dir",
        str(new),
        "--key",
        str(tmp_path / "new-key"),
    ]

    said = refusal(*words)
    done = foliot(*words, "--accept-unreadable")

    assert f"It was last used with the key {lost}." in said
    assert "it does not open 2 jobs, " in said
    assert "(jobs: ours, theirs)." in said
    assert "give --accept-unreadable" in said
    assert done.returncode == 0, done.stderr
    assert "The key that it was last used with is missing." in done.stdout
    ours = COLLECTION.replace("?", "/jobs/ours?")
    job = a_job("http://127.0.0.1:1/", recurrence={"frequency": "week"}, state="disabled")
    with running(new, ADMIN_TOKEN=TOKEN) as server:
        assert server.call("GET", COLLECTION, token=TOKEN).status == 200
        assert server.call("DELETE", ours, token=TOKEN).status == 200
        assert server.call("PUT", ours, token=TOKEN, body=job).status == 201


def test_a_restored_database_has_no_nodes(half_closed: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(half_closed)) as connection, connection:
        connection.execute(
            "INSERT INTO node (id, name, version, started_at, seen_at, has_api, has_engine,"
            " in_flight, waiting) VALUES ('n', 'old', '1', 0, 0, 1, 1, 0, 0)"
        )
    new = tmp_path / "new"

    foliot("restore", str(half_closed), "--data-dir", str(new), "--accept-unreadable")

    with closing(sqlite3.connect(new / "foliot.db")) as connection:
        assert connection.execute("SELECT count(*) FROM node").fetchone() == (0,)


def test_jobs_that_were_deleted_are_not_counted(tmp_path: Path) -> None:
    data = tmp_path / "data"
    job = a_job("http://127.0.0.1:1/", recurrence={"frequency": "week"}, state="disabled")
    kept, gone = (COLLECTION.replace("?", f"/jobs/{name}?") for name in ("kept", "gone"))
    with running(data, ADMIN_TOKEN=TOKEN) as server:
        standard = {"properties": {"sku": {"name": "Standard"}}}
        for path, body in ((COLLECTION, standard), (kept, job), (gone, job)):
            assert server.call("PUT", path, token=TOKEN, body=body).status == 201
        assert server.call("DELETE", gone, token=TOKEN).status == 200
        done = foliot("backup", str(tmp_path / "b.db"), "--data-dir", str(data))

    assert f"{tmp_path}/b.db: 1 collection, 1 job, schema" in done.stdout


def test_on_a_terminal_a_quick_backup_shows_no_bar(data: Path, tmp_path: Path) -> None:
    place = Place(tmp_path, {"FOLIOT_DATA_DIR": str(data)})

    code, shown = on_terminal(place, "backup", "b.db")

    assert code == 0
    assert "%" not in shown


@pytest.fixture
def dumped(tmp_path: Path) -> Generator[tuple[str, dict[str, str]]]:
    """Return the address of a database that has a key, and the environment of its commands."""
    path = os.pathsep.join([*postgres.programs(), os.environ["PATH"]])
    with postgres.new_database() as url:
        with running(tmp_path / "node", DATABASE=address(url), SECRET_KEYS=KEY):
            pass
        given = {"FOLIOT_DATABASE": address(url), "FOLIOT_SECRET_KEYS": KEY, "PATH": path}
        yield url, given


def test_a_dump_needs_the_programs_of_postgresql_in_a_version_that_is_not_older(
    dumped: tuple[str, dict[str, str]], tmp_path: Path
) -> None:
    _, given = dumped
    (tmp_path / "bin").mkdir()
    old = tmp_path / "bin" / "pg_dump"
    old.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6'\n")
    old.chmod(0o755)
    (tmp_path / "empty").mkdir()

    missing = in_pipe(Place(tmp_path, given | {"PATH": str(tmp_path / "empty")}), "backup", "b")
    older = in_pipe(Place(tmp_path, given | {"PATH": str(tmp_path / "bin")}), "backup", "b")

    assert (missing.returncode, older.returncode) == (1, 1)
    assert "pg_dump is not on the PATH. Install PostgreSQL's client programs" in missing.stderr
    assert f"{old} has version 9, older than the server's" in older.stderr
    assert not (tmp_path / "b").exists()


def test_the_password_is_not_among_the_words_of_the_program(
    dumped: tuple[str, dict[str, str]], tmp_path: Path
) -> None:
    _, given = dumped
    (tmp_path / "bin").mkdir()
    spy = tmp_path / "bin" / "pg_dump"
    spy.write_text(
        '#!/bin/sh\necho "pg_dump (PostgreSQL) 99.0"\n'
        f'echo "$PGPASSWORD" >> {tmp_path}/environ\necho "$@" >> {tmp_path}/words\nexit 1\n'
    )
    spy.chmod(0o755)

    done = in_pipe(Place(tmp_path, given | {"PATH": f"{tmp_path}/bin:/bin"}), "backup", "b")

    assert done.returncode == 1
    assert "hunter2" not in done.stderr + (tmp_path / "words").read_text()
    assert "hunter2" in (tmp_path / "environ").read_text()


def test_a_dump_is_restored_into_an_empty_database_with_its_key_alone(
    dumped: tuple[str, dict[str, str]], tmp_path: Path
) -> None:
    url, given = dumped
    place = Place(tmp_path, given)
    assert in_pipe(place, "backup", "b.dump").returncode == 0

    with postgres.new_database(is_empty=True) as empty:
        into = ["--database", address(empty)]
        wrong_key = Place(tmp_path, given | {"FOLIOT_SECRET_KEYS": OTHER_KEY})
        wrong = in_pipe(wrong_key, "restore", "b.dump", *into)
        used = in_pipe(place, "restore", "b.dump", "--database", address(url))
        right = in_pipe(place, "restore", "b.dump", *into)
    with postgres.new_database(is_empty=True) as empty:
        words = ["b.dump", "--accept-unreadable", "--database", address(empty)]
        accepted = in_pipe(wrong_key, "restore", *words)
        with psycopg.connect(empty) as connection:
            kept = connection.execute("SELECT count(*) FROM seal_check").fetchone()

    assert accepted.returncode == 0, accepted.stderr
    assert kept == (0,)
    assert "The secret key does not fit the backup; nothing was restored." in wrong.stderr
    assert "The database is not empty. Restore into a new one" in used.stderr
    assert right.returncode == 0, right.stderr


def test_a_dump_that_is_cut_off_is_refused(
    dumped: tuple[str, dict[str, str]], tmp_path: Path
) -> None:
    _, given = dumped
    place = Place(tmp_path, given)
    assert in_pipe(place, "backup", "b.dump").returncode == 0
    whole = (tmp_path / "b.dump").read_bytes()
    (tmp_path / "cut.dump").write_bytes(whole[: len(whole) // 3])

    with postgres.new_database(is_empty=True) as empty:
        done = in_pipe(place, "restore", "cut.dump", "--database", address(empty))

    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_a_dump_of_which_a_key_opens_only_a_part_is_refused(
    dumped: tuple[str, dict[str, str]], tmp_path: Path
) -> None:
    url, given = dumped
    place = Place(tmp_path, given)
    job = a_job("http://127.0.0.1:1/", recurrence={"frequency": "week"}, state="disabled")
    node = {"DATABASE": address(url), "SECRET_KEYS": KEY, "ADMIN_TOKEN": TOKEN}
    with running(tmp_path / "node", **node) as server:
        for path, body in (
            (COLLECTION, {"properties": {"sku": {"name": "Standard"}}}),
            *((COLLECTION.replace("?", f"/jobs/{name}?"), job) for name in ("Ours", "theirs")),
        ):
            assert server.call("PUT", path, token=TOKEN, body=body).status == 201
    assert in_pipe(place, "backup", "whole.dump").returncode == 0
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "UPDATE definition SET sealed = overlay(sealed placing '\\x00'::bytea from 5)"
            " FROM job WHERE job.id = job_id AND name = 'theirs'"
        )
    assert in_pipe(place, "backup", "half.dump").returncode == 0

    with postgres.new_database(is_empty=True) as empty:
        half = in_pipe(place, "restore", "half.dump", "--database", address(empty))
        whole = in_pipe(place, "restore", "whole.dump", "--database", address(empty))

    assert "it does not open 1 job (jobs: theirs)." in half.stderr
    assert "nothing was restored" in half.stderr
    assert whole.returncode == 0, whole.stderr
