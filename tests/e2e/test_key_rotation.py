"""`foliot key`: the key of a stopped server is replaced; nodes report their keys."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import postgres
from tests.support.http_target import JOB, TOKEN, a_job, target
from tests.support.postgres_address import KEY, address
from tests.support.server import COLLECTION, DEADLINE, Server, foliot, running

NEW = base64.b64encode(bytes([1] * 32)).decode()
STANDARD = {"properties": {"sku": {"name": "Standard"}}}
RUN = JOB.replace("?", "/run?")
DYING = """
import os
import foliot.cli.local.key_steps as module
step = module.{step}
def die(*words, **named):
    if {after}:
        step(*words, **named)
    os._exit(137)
module.{step} = die
from foliot.cli import app
app()
"""


def plan_a_job(server: Server, uri: str) -> None:
    job = a_job(uri, recurrence={"frequency": "week"}, state="disabled")
    basic = {"type": "Basic", "username": "ada", "password": "open sesame"}
    job["properties"]["action"]["request"]["authentication"] = basic
    for path, body in ((COLLECTION, STANDARD), (JOB, job)):
        assert server.call("PUT", path, token=TOKEN, body=body).status == 201


def rotate(data: Path) -> "subprocess.CompletedProcess[str]":
    return foliot("key", "rotate", "--data-dir", str(data))


def kill_rotation(data: Path, step: str, *, after: bool) -> None:
    code = DYING.format(step=step, after=after)
    kept = {name: each for name, each in os.environ.items() if "FOLIOT_" not in name}
    words = [sys.executable, "-c", code, "key", "rotate", "--data-dir", str(data)]
    done = subprocess.run(words, env=kept, capture_output=True, check=False)  # noqa: S603
    assert done.returncode == 137, done.stderr


@pytest.mark.parametrize(
    ("step", "after"),
    [
        pytest.param(None, False, id="no kill"),
        ("_add_new_key", False),
        ("_add_new_key", True),
        ("write_private", True),
        ("open_storage", True),
        ("_check_nothing_needs_old_keys", True),
        ("_retire", True),
    ],
)
def test_a_server_opens_its_jobs_after_a_kill_at_any_step_of_a_rotation(
    tmp_path: Path, step: str | None, *, after: bool
) -> None:
    data = tmp_path / "data"
    with target() as (uri, arrived):
        with running(data, ADMIN_TOKEN=TOKEN) as server:
            plan_a_job(server, uri)
        old = (data / "secret-key").read_text().strip()
        if step is not None:
            kill_rotation(data, step, after=after)
            with running(data, ADMIN_TOKEN=TOKEN) as server:
                assert server.call("GET", JOB, token=TOKEN).status == 200
        finished = rotate(data)
        with running(data, ADMIN_TOKEN=TOKEN, NO_ENGINE="0") as server:
            assert server.call("POST", RUN, token=TOKEN).status == 200
            assert arrived.get(timeout=DEADLINE)["Authorization"].startswith("Basic ")

    assert (finished.returncode, finished.stderr) == (0, "")
    new = (data / "secret-key").read_text().strip()
    assert new != old
    assert "," not in new
    assert old in (data / "retired-secret-keys").read_text()
    assert (data / "retired-secret-keys").stat().st_mode & 0o777 == 0o600
    assert old not in finished.stdout + finished.stderr
    assert new not in finished.stdout + finished.stderr


def test_several_keys_in_the_file_give_way_to_a_new_one(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data, ADMIN_TOKEN=TOKEN) as server:
        plan_a_job(server, "http://127.0.0.1:1/")
    old = (data / "secret-key").read_text().strip()
    (data / "secret-key").write_text(f"{old},{NEW}\n")

    done = rotate(data)

    assert done.returncode == 0, done.stderr
    assert "interrupted" not in done.stdout
    now = (data / "secret-key").read_text().strip()
    assert now not in {old, NEW, f"{old},{NEW}"}
    assert (data / "retired-secret-keys").read_text().strip() == f"{old},{NEW}"
    with running(data, ADMIN_TOKEN=TOKEN) as server:
        assert server.call("GET", JOB, token=TOKEN).status == 200


def test_a_rotation_that_was_interrupted_is_finished_with_its_own_key(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data):
        pass
    kill_rotation(data, "open_storage", after=True)
    begun, _ = (data / "secret-key").read_text().strip().split(",")
    doctor = foliot("doctor", "--data-dir", str(data)).stdout

    finished, again = rotate(data), rotate(data)

    assert "warning  secret key: a rotation of keys was interrupted" in doctor
    assert "An earlier rotation was interrupted, and is finished now." in finished.stdout
    assert "interrupted" not in again.stdout
    retired = (data / "retired-secret-keys").read_text()
    assert retired.startswith(f"{begun},")
    assert not (data / "key-rotation-unfinished").exists()


def test_the_key_of_a_server_that_runs_is_not_replaced(tmp_path: Path) -> None:
    with running(tmp_path):
        before = (tmp_path / "secret-key").read_text()
        refused = rotate(tmp_path)

        assert refused.returncode == 1
        assert "is in use by another foliot" in refused.stderr
        assert (tmp_path / "secret-key").read_text() == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
@pytest.mark.parametrize(("uid", "user"), [(1, "daemon"), (54321, "'#54321'")])
def test_root_does_not_replace_the_key_of_another_user(tmp_path: Path, uid: int, user: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "secret-key").write_text(KEY)
    os.chown(data, uid, uid)

    refused = rotate(data)

    expected = f"Run it as the user who owns {data}: sudo -u {user} foliot key rotate"
    assert refused.returncode == 1
    assert expected in refused.stderr
    assert [each.name for each in data.iterdir()] == ["secret-key"]


def test_keys_of_the_environment_are_not_replaced_by_a_command(tmp_path: Path) -> None:
    refused = foliot("key", "rotate", "--data-dir", str(tmp_path), SECRET_KEYS=KEY)

    assert refused.returncode == 1
    assert "FOLIOT_SECRET_KEYS has the keys, which a command cannot change" in refused.stderr


def test_the_keys_of_a_directory_without_a_server_are_not_called_lost(tmp_path: Path) -> None:
    refused = foliot("key", "show", "--data-dir", str(tmp_path))

    assert refused.returncode == 1
    assert refused.stderr == (
        f"foliot key show: there is no database {tmp_path}/foliot.db; start `foliot serve` first, "
        "or give its --data-dir.\n"
    )


def test_two_nodes_get_a_new_key_in_three_rounds_and_in_no_other_order(tmp_path: Path) -> None:
    with postgres.new_database() as url:
        cluster = {"DATABASE": address(url)}

        def shown(keys: str) -> str:
            words = ["--data-dir", str(tmp_path / "one"), "--output", "json"]
            done = foliot("key", "show", *words, SECRET_KEYS=keys, **cluster)
            return json.loads(done.stdout)["next_step"]

        def refused(keys: str) -> str:
            words = ["--port", "0", "--data-dir", str(tmp_path / "two")]
            ended = foliot("serve", *words, SECRET_KEYS=keys, **cluster)
            assert ended.returncode == 1
            return ended.stderr

        with running(tmp_path / "one", SECRET_KEYS=KEY, **cluster):
            assert "To change the key, set old,new" in shown(KEY)
            assert "was not given the key" in refused(f"{NEW},{KEY}")
            with running(tmp_path / "two", SECRET_KEYS=f"{KEY},{NEW}", **cluster):
                assert shown(KEY).startswith("Round 1 or 3 of 3 is under way")
        with running(tmp_path / "one", SECRET_KEYS=f"{KEY},{NEW}", **cluster):
            assert "does not fit the database" in refused(NEW)
            with running(tmp_path / "two", SECRET_KEYS=f"{NEW},{KEY}", **cluster):
                assert shown(f"{NEW},{KEY}").startswith("Round 2 of 3 is under way")
                assert "encrypts with the key" in refused_elsewhere(tmp_path, NEW, cluster)
        with (
            running(tmp_path / "one", SECRET_KEYS=f"{NEW},{KEY}", **cluster),
            running(tmp_path / "two", SECRET_KEYS=NEW, **cluster) as two,
        ):
            assert two.call("GET", "/readyz").status == 200


def refused_elsewhere(tmp_path: Path, keys: str, cluster: dict[str, str]) -> str:
    words = ["--port", "0", "--data-dir", str(tmp_path / "three")]
    return foliot("serve", *words, SECRET_KEYS=keys, **cluster).stderr
