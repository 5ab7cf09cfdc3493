"""`foliot audit`, as a process, against a real server."""

import json
import os
import pwd
import re
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.support.commands import Place, in_pipe, on_terminal
from tests.support.server import Server, foliot, running

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data directory of the server."""
    return tmp_path_factory.mktemp("server") / "foliot-data"


@pytest.fixture(scope="module")
def server(data: Path) -> Generator[Server]:
    with running(data) as found:
        yield found


@pytest.fixture(scope="module")
def place(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return a directory from which a job was created, changed and deleted."""
    assert server.token
    environ = {
        "FOLIOT_SERVER": f"http://{server.host}:{server.port}",
        "FOLIOT_TOKEN": server.token,
    }
    made = Place(tmp_path_factory.mktemp("place"), environ)
    done(made, "collection", "create", "me/home/work")
    done(made, "job", "create", "ping", "--every", "1d", "--url", "https://a.example/?sig=m4rk")
    done(made, "job", "update", "ping", "--url", "https://b.example/")
    done(made, "job", "delete", "ping", "--yes")
    return made


def done(place: Place, *arguments: str) -> str:
    ended = in_pipe(place, *arguments)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_a_table_lists_changes_the_newest_first(place: Place) -> None:
    lines = done(place, "audit", "--since", "7d", "--collection", "work").splitlines()

    assert lines[0].split() == ["TIME", "WHO", "ACTION", "KIND", "WHAT", "CHANGES", "ENTRY"]
    assert [line.split()[5:8] for line in lines[1:]] == [
        ["deleted", "job", "work/ping"],
        ["updated", "job", "work/ping"],
        ["created", "job", "work/ping"],
        ["created", "collection", "work"],
    ]
    assert "admin (token 1, 127.0.0.1)" in lines[1]
    assert "action.request.uri" in lines[2]


def test_details_show_a_diff_without_secrets(place: Place) -> None:
    text = done(place, "audit", "--job", "ping", "--action", "updated", "--details")

    assert "  properties.action.request.uri\n" in text
    assert '    - "https://a.example/?sig=***"\n' in text
    assert '    + "https://b.example/"\n' in text
    assert "m4rk" not in text


@pytest.mark.parametrize("form", ["json", "jsonl", "yaml"])
def test_scripts_get_what_the_api_answers(place: Place, form: str) -> None:
    text = done(place, "audit", "-c", "me/home/work", "--limit", "2", "--output", form)

    if form == "json":
        assert [each["properties"]["action"] for each in json.loads(text)] == ["deleted", "updated"]
    if form == "jsonl":
        lines = [json.loads(line) for line in text.splitlines()]
        assert [each["properties"]["resource"]["name"] for each in lines] == ["ping", "ping"]
    if form == "yaml":
        assert "action: deleted" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--since", "sometime"], "--since"),
        (["--action", "exploded"], 'action: "exploded" is not valid; give one of created'),
        (["--collection", "a/b"], "--collection"),
    ],
)
def test_a_bad_option_is_named(place: Place, arguments: list[str], message: str) -> None:
    ended = in_pipe(place, "audit", *arguments)

    assert ended.returncode != 0
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


def test_tokens_made_on_the_machine_of_the_server_have_its_user(data: Path, place: Place) -> None:
    made = foliot("token", "create", "--name", "reads", "--data-dir", str(data))
    assert made.returncode == 0, made.stderr

    (entry,) = json.loads(done(place, "audit", "--output", "json", "--limit", "1"))

    who = {"name": pwd.getpwuid(os.geteuid()).pw_name, "role": "Owner", "address": "foliot token"}
    assert entry["properties"]["who"] == who
    assert entry["properties"]["resource"]["name"] == "reads"
    refused = in_pipe(
        Place(place.directory, {**place.environ, "FOLIOT_TOKEN": made.stdout.strip()}), "audit"
    )
    assert refused.returncode != 0
    assert "needs the role Owner" in refused.stderr


def test_a_terminal_gets_a_table_of_its_width(place: Place) -> None:
    code, shown = on_terminal(place, "audit", "--job", "ping", columns=100)

    assert code == 0
    assert "deleted" in shown
    assert max(map(len, COLOUR.sub("", shown).splitlines())) <= 100
