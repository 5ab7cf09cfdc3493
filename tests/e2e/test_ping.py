"""`foliot ping`, as a probe calls it."""

import socket
from pathlib import Path

import pytest

from tests.support.canned_server import canned
from tests.support.server import foliot, running


def test_a_server_that_is_ready_is_told(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        told = foliot("ping", "--ready", "--data-dir", str(tmp_path))

    expected = f"http://127.0.0.1:{server.port} is ready.\n"
    assert (told.returncode, told.stdout, told.stderr) == (0, expected, "")


def test_a_server_that_is_alive_and_not_ready_is_told_with_what_is_wrong(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        (tmp_path / "foliot.db").rename(tmp_path / "moved.db")
        alive = foliot("ping", "--data-dir", str(tmp_path))
        ready = foliot("ping", "--ready", "--data-dir", str(tmp_path))

    assert alive.returncode == 0
    assert ready.returncode == 1
    assert ready.stderr == (
        f"foliot ping: http://127.0.0.1:{server.port}/readyz answers with 503: data directory:"
        " foliot.db was removed or replaced while the server runs.\n"
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(None, "no server runs: {file} does not exist.", id="no file"),
        pytest.param(b"", "{file} has no address; a server that starts writes it.", id="empty"),
        pytest.param(b"\xff", "{file} has no address; a server", id="no text"),
    ],
)
def test_a_directory_without_an_address_is_told(
    tmp_path: Path, content: bytes | None, expected: str
) -> None:
    file = tmp_path / "address"
    if content is not None:
        file.write_bytes(content)

    told = foliot("ping", "--data-dir", str(tmp_path))

    assert told.returncode == 1
    assert told.stderr.startswith(f"foliot ping: {expected.format(file=file)}")


@pytest.mark.parametrize("content", ["<p>welcome</p>", ["ok"], {"status": "up"}])
def test_another_server_at_the_address_is_told(tmp_path: Path, content: object) -> None:
    with canned({"GET /healthz": (200, content)}) as other:
        (tmp_path / "address").write_text(f"{other.url}\n")

        told = foliot("ping", "--data-dir", str(tmp_path))

    expected = f"foliot ping: {other.url}/healthz does not answer as Foliot does"
    assert told.returncode == 1
    assert told.stderr.startswith(expected)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_port_that_does_not_answer_ends_after_the_timeout(tmp_path: Path, scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"{scheme}://127.0.0.1:{silent.getsockname()[1]}"
        (tmp_path / "address").write_text(f"{url}\n")

        told = foliot("ping", "--timeout", "1", "--data-dir", str(tmp_path))

    assert told.returncode == 1
    assert told.stderr.startswith(f"foliot ping: {url} does not answer: ")
    assert "timed out" in told.stderr
