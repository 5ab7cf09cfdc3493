"""The installed command, as a process, against a real server: in a pipe and on a terminal."""

import json
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.support.commands import Place, in_pipe, on_terminal, started
from tests.support.server import Server, foliot, running

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def target() -> Generator[str]:
    """Return the address of a target that answers 200, and 500 at /down."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(500 if self.path == "/down" else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    """Return a server whose data directory is where a server puts it by itself."""
    with running(tmp_path_factory.mktemp("server") / "foliot-data", NO_ENGINE="0") as found:
        yield found


@pytest.fixture(scope="module")
def place(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return a directory of somebody who has been told the server and a token."""
    token = server.token
    assert token
    url = f"http://{server.host}:{server.port}"
    environ = {"FOLIOT_SERVER": url, "FOLIOT_TOKEN": token, "FOLIOT_COLLECTION": "me/home/work"}
    made = Place(tmp_path_factory.mktemp("place"), environ)
    assert in_pipe(made, "collection", "create", "me/home/work").returncode == 0
    return made


def done(place: Place, *arguments: str, stdin: str | None = None) -> str:
    ended = in_pipe(place, *arguments, stdin=stdin)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


def test_a_job_is_created_changed_exported_and_deleted(place: Place, target: str) -> None:
    at = ("--at", "tomorrow 9:00", "--zone", "Europe/Prague")
    created = done(place, "job", "create", "report", "--every", "1d", *at, "--url", f"{target}/a")
    changed = done(place, "job", "update", "report", "--retry", "5x30s", "-o", "json")
    listed = done(place, "job", "list").splitlines()
    disabled = done(place, "job", "disable", "report")
    shown = done(place, "job", "show", "report")
    exported = done(place, "job", "export", "report")
    copied = done(place, "job", "create", "copy", "-f", "-", "-o", "json", stdin=exported)
    nexts = done(place, "job", "next", "report")
    deleted = done(place, "job", "delete", "report", "--yes")
    again = in_pipe(place, "job", "delete", "report", "--yes")

    assert created.startswith("Job report is created.\nEvery day at 09:00 Europe/Prague time\n")
    assert len(re.findall(r"^  next run  \d{4}-\d\d-\d\dT\d\d:00:00Z$", created, re.MULTILINE)) == 3
    assert json.loads(changed)["properties"]["action"]["retryPolicy"]["retryCount"] == 5
    assert listed[0].split()[:2] == ["NAME", "STATE"]
    assert f"GET {target}/a" in next(line for line in listed if line.startswith("report"))
    assert disabled == "Job report is disabled.\n"
    assert "state  disabled" in shown
    properties = json.loads(copied)["properties"]
    assert properties["action"] == json.loads(changed)["properties"]["action"]
    assert properties["state"] == "disabled"
    assert nexts == ""
    assert deleted == "Job report is deleted.\n"
    assert (again.returncode, again.stdout) == (3, "")
    assert again.stderr == "foliot job delete: Job 'report' cannot be found.\n"


def test_the_first_job_of_a_server_gets_a_collection(tmp_path: Path) -> None:
    place = Place(tmp_path)
    arguments = ("--every", "1h", "--url", "http://127.0.0.1:9/")
    with running(tmp_path / "foliot-data"):
        first = done(place, "job", "create", "a", *arguments)
        second = done(place, "job", "create", "b", *arguments)
        listed = done(place, "collection", "list")

    assert first.startswith("Collection default/default/default is created: there was none.\n")
    assert second.startswith("Job b is created.\n")
    assert listed.count("default/default/default") == 1


def test_a_job_that_exists_is_not_replaced(place: Place, target: str) -> None:
    arguments = ("job", "create", "once", "--at", "in 10m", "--url", target)
    done(place, *arguments)

    again = in_pipe(place, *arguments)

    assert again.returncode == 1
    assert again.stderr == (
        "foliot job create: the job once exists; `foliot job update` changes it.\n"
    )


def test_a_run_is_waited_for_and_its_end_is_the_exit_code(place: Place, target: str) -> None:
    later = ("--every", "1d", "--at", "tomorrow 9:00", "--retry", "none")
    done(place, "job", "create", "good", *later, "--url", target)
    done(place, "job", "create", "bad", *later, "--url", f"{target}/down")

    good = in_pipe(place, "job", "run", "good", "--wait")
    bad = in_pipe(place, "job", "run", "bad", "--wait", "-o", "json")
    failures = in_pipe(place, "failures", "--since", "1h", "--reason", "HttpStatus", "-o", "jsonl")
    runs = in_pipe(place, "runs", "--job", "good").stdout.splitlines()
    history = in_pipe(place, "job", "history", "bad", "--status", "failed").stdout.splitlines()
    entry = ("failures", "--reason", "Timeout", "-o", "json")

    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.startswith("outcome   succeeded\n")
    assert bad.returncode == 6
    assert bad.stderr == "foliot job run: the run of bad ended as failed.\n"
    assert json.loads(bad.stdout)["properties"]["statusCode"] == 500
    (failure,) = map(json.loads, failures.stdout.splitlines())
    assert failure["name"].startswith("work/bad/")
    assert runs[1].split()[1:5] == ["me/home/work", "good", "succeeded", "manual"]
    assert len(history) == 2
    assert json.loads(done(place, *entry)) == []


def test_attempts_that_fail_are_told_while_a_run_is_waited_for(place: Place, target: str) -> None:
    later = ("--every", "1d", "--at", "tomorrow 9:00", "--retry", "3x1h")
    done(place, "job", "create", "stubborn", *later, "--url", f"{target}/down")

    with started(place, "job", "run", "stubborn", "--wait") as waiting:
        assert waiting.stderr
        line = waiting.stderr.readline()
        waiting.send_signal(signal.SIGINT)
        rest = waiting.stderr.read()
    done(place, "job", "delete", "stubborn", "--yes")

    assert re.fullmatch(r"Attempt 1 failed: HttpStatus 500; the next one is at \S+Z\.\n", line)
    assert waiting.returncode == 130
    assert re.fullmatch(
        r"The run (\S+) of stubborn goes on: `foliot runs --job stubborn` shows it, "
        r"`foliot job cancel stubborn \1` ends it\.\n",
        rest,
    )


def test_what_is_told_while_a_run_is_waited_for_has_lines_of_its_own_on_a_terminal(
    place: Place, target: str
) -> None:
    later = ("--every", "1d", "--at", "tomorrow 9:00", "--retry", "3x1h")
    done(place, "job", "create", "shown", *later, "--url", f"{target}/down")

    waiting = ("job", "run", "shown", "--wait")
    code, shown = on_terminal(place, *waiting, typed={"the next one is at": "\x03"})
    done(place, "job", "delete", "shown", "--yes")

    assert code == 130
    # The line of the spinner is erased before each of them.
    assert "\x1b[2KAttempt 1 failed: HttpStatus 500; the next one is at " in shown
    assert "\x1b[2KThe run " in shown


def test_a_history_is_followed_until_it_is_interrupted(place: Place, target: str) -> None:
    later = ("--every", "1d", "--at", "tomorrow 9:00")
    done(place, "job", "create", "watched", *later, "--url", target)
    done(place, "job", "run", "watched", "--wait")

    with started(place, "job", "history", "watched", "--follow", "-o", "json") as following:
        assert following.stdout
        first = json.loads(following.stdout.readline())
        done(place, "job", "run", "watched", "--wait")
        second = json.loads(following.stdout.readline())
        following.send_signal(signal.SIGINT)
        rest = following.stdout.read()

    assert first["name"] != second["name"]
    assert (rest, following.returncode) == ("", 130)


def test_a_table_fits_the_terminal_and_has_colours_unless_told_not_to(place: Place) -> None:
    quiet = Place(place.directory, {**place.environ, "NO_COLOR": "1"})

    _, wide = on_terminal(place, "collection", "list")
    _, narrow = on_terminal(quiet, "collection", "list", columns=40)

    assert COLOUR.search(wide)
    assert "me/home/work" in wide
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", narrow)
    assert max(len(COLOUR.sub("", line)) for line in narrow.splitlines()) <= 40


def test_a_pipe_gets_neither_colours_nor_a_sign_of_waiting(place: Place, target: str) -> None:
    later = ("--every", "1d", "--at", "tomorrow 9:00")
    done(place, "job", "create", "quiet", *later, "--url", target)

    piped = in_pipe(place, "job", "run", "quiet", "--wait")
    code, shown = on_terminal(place, "job", "run", "quiet", "--wait")

    assert "\x1b" not in piped.stdout + piped.stderr
    assert code == 0
    assert "Job quiet runs" in shown
    assert "outcome   succeeded" in shown


def test_a_password_is_asked_for_without_echo_and_never_shown(place: Place, target: str) -> None:
    arguments = ("job", "create", "secret", "--every", "1d", "--url", target, "--basic", "robot")

    unasked = in_pipe(place, *arguments)
    code, shown = on_terminal(place, *arguments, typed={"Password of robot": "hunter2"})
    exported = in_pipe(place, "job", "export", "secret")
    asked = ("job", "delete", "secret")
    kept = on_terminal(place, *asked, typed={"Delete the job secret": "n"})
    gone = on_terminal(place, *asked, typed={"Delete the job secret": "y"})

    assert unasked.returncode == 2
    assert "there is no terminal to ask on" in unasked.stderr
    assert code == 0
    assert "Job secret is created." in shown
    assert "hunter2" not in shown + exported.stdout
    assert exported.stderr == (
        "secret: properties.action.request.authentication.password is not exported.\n"
    )
    assert (kept[0], gone[0]) == (1, 0)


@pytest.mark.usefixtures("place")
def test_the_server_of_this_directory_is_found_with_its_token(server: Server) -> None:
    data_dir = Path(re.findall(r"^Data: (\S+)", server.text, re.MULTILINE)[0])

    here = in_pipe(Place(data_dir.parent), "collection", "list")

    assert here.returncode == 0
    assert "me/home/work" in here.stdout


def test_a_wrong_token_and_a_server_that_is_away_have_codes_of_their_own(
    place: Place, tmp_path: Path
) -> None:
    stranger = Place(tmp_path, {**place.environ, "FOLIOT_TOKEN": "x" * 40})
    away = Place(tmp_path, {"FOLIOT_SERVER": "http://127.0.0.1:1"})

    refused, unreachable = (
        in_pipe(stranger, "job", "list"),
        in_pipe(away, "job", "list", "-c", "a/b/c"),
    )
    lost = in_pipe(Place(tmp_path), "job", "list")

    assert (refused.returncode, unreachable.returncode, lost.returncode) == (4, 5, 5)
    assert unreachable.stderr == (
        "foliot job list: cannot reach http://127.0.0.1:1: Connection refused.\n"
    )
    assert lost.stderr.startswith("foliot job list: no server is known here; give --server URL")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", ["--help", "--version", "doctor", "serve --port 0"])
@pytest.mark.parametrize(
    ("redirection", "expected"),
    [
        (">/dev/full", "foliot: cannot write to standard output: No space left on device."),
        (">&-", "foliot: standard output is closed; redirect it, to /dev/null at least."),
    ],
)
def test_output_that_cannot_be_written_is_told_in_one_line(
    tmp_path: Path, redirection: str, expected: str, command: str, unbuffered: str
) -> None:
    environ = Place(tmp_path, {"PYTHONUNBUFFERED": unbuffered}).variables()
    line = f"exec {sys.executable} -m foliot {command} {redirection}"

    done = subprocess.run(  # noqa: S603  (our own command)
        ["/bin/sh", "-c", line],
        cwd=tmp_path,
        env=environ,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == expected
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("command", "code", "expected"),
    [
        ("job delete j <&-", 2, "foliot job delete: --yes: is needed where nobody can be asked."),
        (
            "job create j -f - <&-",
            1,
            "foliot job create: standard input: null is not valid; give a job: an object with the "
            "name properties.",
        ),
        ("apply -f - <&-", 1, "foliot apply: --file: the files have no documents."),
        ("import crontab - <&-", 1, "0 jobs; 0 not taken over."),
        ("job show nothing 2>&-", 3, ""),
    ],
)
def test_streams_that_are_closed_are_empty(
    place: Place, target: str, command: str, code: int, expected: str
) -> None:
    in_pipe(place, "job", "create", "j", "--at", "in 10h", "--url", target)

    ended = subprocess.run(  # noqa: S603  (our own command)
        ["/bin/sh", "-c", f"exec {sys.executable} -m foliot {command}"],
        cwd=place.directory,
        env=place.variables(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (ended.returncode, ended.stderr.strip()) == (code, expected)


def test_ctrl_c_at_a_question_is_an_interrupt_and_no_answer(place: Place, target: str) -> None:
    in_pipe(place, "job", "create", "asked", "--at", "in 10h", "--url", target)

    interrupted = on_terminal(place, "job", "delete", "asked", typed={"with its history?": "\x03"})
    ended = on_terminal(place, "job", "delete", "asked", typed={"with its history?": "\x04"})

    assert (interrupted[0], ended[0]) == (130, 1)
    assert ended[1].endswith("foliot job delete: nothing was changed.\n")
    assert "asked" in done(place, "job", "list")


def test_a_server_with_a_certificate_is_saved_with_its_authority_and_token(tmp_path: Path) -> None:
    data_dir, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    elsewhere.mkdir()
    with running(data_dir, "--tls", "auto") as secure:
        url, token = f"https://{secure.host}:{secure.port}", secure.token
        assert token
        login = ("login", url, "--token-file", "-")
        distrusted = in_pipe(Place(elsewhere), *login, stdin=token)
        trusted = on_terminal(
            Place(elsewhere), "login", url, "--ca", str(data_dir / "tls" / "ca.pem"),
            typed={"Token: ": token},
        )  # fmt: skip
        listed = in_pipe(Place(elsewhere), "collection", "create", "first")
        found = in_pipe(Place(tmp_path, {"FOLIOT_DATA_DIR": str(data_dir)}), "collection", "list")
        profile = elsewhere / "config" / "foliot" / "profile.json"
        mode = stat.S_IMODE(profile.stat().st_mode)
        profile.chmod(0o644)
        careless = in_pipe(Place(elsewhere), "collection", "list")
        logouts = [in_pipe(Place(elsewhere), "logout").stdout for _ in range(2)]

    assert distrusted.returncode == 5
    assert "its certificate is not trusted" in distrusted.stderr
    assert trusted[0] == 0
    assert f"Signed in at {url}; saved in {profile}." in trusted[1]
    assert token not in distrusted.stdout + trusted[1]
    assert (listed.returncode, mode) == (0, 0o600)
    assert "default/default/first" in found.stdout
    assert f"others may read {profile}" in careless.stderr
    assert logouts == ["Signed out.\n", "Nothing was saved.\n"]


def test_a_server_leaves_no_address_behind_and_needs_none(tmp_path: Path) -> None:
    (tmp_path / "address").mkdir()  # which no file can replace
    with running(tmp_path) as server:
        status = server.status(server.token)
    (tmp_path / "address").rmdir()
    with running(tmp_path) as server:
        said = (tmp_path / "address").read_text()
        server.stop()

    assert status == 404
    assert said == f"http://127.0.0.1:{server.port}\n"
    assert not (tmp_path / "address").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("typed", "expected"),
    [("foliot job cr", "create"), ("foliot job create --ret", "--retry")],
)
def test_a_shell_completes_commands_and_options(
    tmp_path: Path, shell: str, typed: str, expected: str
) -> None:
    words = typed.split()
    asked = {
        "_FOLIOT_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(words) - 1),
        "_TYPER_COMPLETE_ARGS": typed,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }

    completed = in_pipe(Place(tmp_path, asked))

    assert expected in completed.stdout
    assert "--url" not in completed.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_shown(tmp_path: Path, shell: str) -> None:
    # Otherwise typer looks for the shell among the parents of the process.
    by_name = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}

    shown = in_pipe(Place(tmp_path, by_name), "--show-completion", shell)

    assert f"_FOLIOT_COMPLETE=complete_{shell}" in shown.stdout, shown.stderr


def test_the_module_is_the_command(tmp_path: Path) -> None:
    installed = in_pipe(Place(tmp_path), "--version")

    assert installed.stdout.startswith("foliot 0.")
    assert foliot("--version").stdout == installed.stdout
