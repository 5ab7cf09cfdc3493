"""Backups of servers that run, made and restored word for word as the page says."""

import base64
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from queue import SimpleQueue

from tests.support import postgres
from tests.support.http_target import JOB, TOKEN, a_job, answer, target
from tests.support.postgres_address import KEY, address
from tests.support.server import COLLECTION, DEADLINE, Server, foliot, running

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "backup-and-restore.md"
BASIC = {"type": "Basic", "username": "ada", "password": "open sesame"}
SENT = "Basic " + base64.b64encode(b"ada:open sesame").decode()
PATH = os.pathsep.join([str(Path(sys.executable).parent), *postgres.programs(), os.environ["PATH"]])
RUN = JOB.replace("?", "/run?")
STANDARD = {"properties": {"sku": {"name": "Standard"}}}


def commands(heading: str) -> list[str]:
    """Return the shell scripts of a section, without the server that ends the last one."""
    section = PAGE.read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    scripts = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    return [re.sub(r"^foliot serve .*\n", "", script, flags=re.MULTILINE) for script in scripts]


def shell(script: str, folder: Path, **environ: str) -> str:
    done = subprocess.run(  # noqa: S603  (the page's own words)
        ["sh", "-eu", "-c", script],  # noqa: S607
        cwd=folder,
        env=os.environ | {"PATH": PATH} | environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def plan_a_job_with_a_password(server: Server, uri: str) -> None:
    job = a_job(uri, recurrence={"frequency": "week"}, state="disabled")
    job["properties"]["action"]["request"]["authentication"] = BASIC
    for path, body in ((COLLECTION, STANDARD), (JOB, job)):
        assert server.call("PUT", path, token=TOKEN, body=body).status == 201


def check_that_it_runs_with_its_password(
    server: Server, arrived: SimpleQueue[dict[str, str]]
) -> None:
    assert answer(server, JOB)["properties"]["state"] == "disabled"
    assert server.call("POST", RUN, token=TOKEN).status == 200
    assert arrived.get(timeout=DEADLINE)["Authorization"] == SENT


def test_a_backup_of_sqlite_is_the_server_as_it_was(tmp_path: Path) -> None:
    back_up, keep_key, restore, restore_without_key = commands("SQLite")
    old, new = tmp_path / "foliot-data", tmp_path / "restored"

    with target() as (uri, arrived):
        with running(old, ADMIN_TOKEN=TOKEN) as server:
            plan_a_job_with_a_password(server, uri)
            assert "1 collection, 1 job, schema version" in shell(back_up, tmp_path)
            shell(keep_key, tmp_path)
            server.call("DELETE", COLLECTION, token=TOKEN)
        shutil.rmtree(old)
        shell(restore, tmp_path)
        with running(new, ADMIN_TOKEN=TOKEN, NO_ENGINE="0") as server:
            check_that_it_runs_with_its_password(server, arrived)
    assert "last used with is missing" in shell(restore_without_key, tmp_path)

    modes = {path.stat().st_mode & 0o077 for path in tmp_path.rglob("*") if path.is_file()}
    assert modes == {0}


def test_a_backup_of_sqlite_without_its_key_is_refused(tmp_path: Path) -> None:
    with running(tmp_path / "data", ADMIN_TOKEN=TOKEN):
        pass
    (tmp_path / "data" / "secret-key").unlink()

    refused = foliot("serve", "--port", "0", "--data-dir", str(tmp_path / "data"))

    assert refused.returncode == 1
    assert "The key of the database is missing" in refused.stderr


def test_a_dump_of_postgresql_is_the_server_as_it_was(tmp_path: Path) -> None:
    dump, restore = commands("PostgreSQL")
    environ = {"SECRET_KEYS": KEY, "ADMIN_TOKEN": TOKEN}
    given = {"FOLIOT_SECRET_KEYS": KEY}

    with (
        postgres.new_database() as old,
        postgres.new_database(is_empty=True) as new,
        target() as (uri, arrived),
    ):
        with running(tmp_path / "old", DATABASE=address(old), **environ) as server:
            plan_a_job_with_a_password(server, uri)
            shell(dump, tmp_path, FOLIOT_DATABASE=address(old), **given)
            server.call("DELETE", COLLECTION, token=TOKEN)
        shell(restore, tmp_path, RESTORED_DATABASE=address(new), **given)
        with running(tmp_path / "new", DATABASE=address(new), NO_ENGINE="0", **environ) as server:
            check_that_it_runs_with_its_password(server, arrived)
