"""Files that people name: read whole and found all, or refused."""

import io
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foliot.cli import app
from foliot.cli.files.reading import read_files
from foliot.cli.input_files import MAX_BYTES, is_directory, read_input
from foliot.client.errors import ClientError

NOBODY = 65534


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_is_read_to_its_last_byte(place: Path) -> None:
    (place / "full").write_bytes(b"x" * MAX_BYTES)

    assert len(read_input("full")) == MAX_BYTES


def test_a_file_that_is_too_long_is_refused_and_not_cut_off(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "long").write_bytes(b"x" * (MAX_BYTES + 1))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"x" * 5)))

    with pytest.raises(ClientError, match=f"long has more than {MAX_BYTES} bytes; split it"):
        read_input("long")
    with pytest.raises(ClientError, match="standard input has more than 4 bytes; split it"):
        read_input("-", 4)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none", "cannot read none: No such file or directory."),
        (".", "cannot read .: Is a directory."),
        ("a\0b", "cannot read a file whose name holds a NUL character."),
    ],
)
def test_a_file_that_cannot_be_read_is_named(name: str, reason: str) -> None:
    with pytest.raises(ClientError) as refused:
        read_input(name)

    assert str(refused.value) == reason


def test_a_name_that_cannot_be_looked_at_is_refused() -> None:
    with pytest.raises(ClientError, match="File name too long"):
        is_directory("x" * 300)


def names_in(*places: str) -> list[str]:
    return [each.name for each in read_files(places)]


def test_a_directory_has_the_files_below_it_also_behind_links(place: Path) -> None:
    for name in (
        "jobs/b.yml",
        "jobs/sub/a.JSON",
        "jobs/.git/c.yaml",
        "jobs/notes.txt",
        "more/d.yaml",
    ):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("{}")
    (place / "jobs" / "linked").symlink_to(place / "more")
    (place / "jobs" / "sub" / "again").symlink_to(place / "jobs")

    found = names_in("jobs", "jobs/b.yml", "./jobs/../jobs")

    assert found == ["jobs/b.yml", "jobs/linked/d.yaml", "jobs/sub/a.JSON"]


def test_a_directory_that_does_not_give_all_its_files_is_refused(place: Path) -> None:
    (place / "jobs").mkdir()
    with pytest.raises(ClientError, match="jobs has no files that end with"):
        read_files(["jobs"])
    (place / "jobs" / "gone.yaml").symlink_to(place / "nowhere")
    with pytest.raises(ClientError, match=r"cannot read jobs/gone\.yaml: No such file"):
        read_files(["jobs"])


@contextmanager
def as_nobody() -> Generator[None]:
    """Give up the rights of root, to whom nothing is closed."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)
    yield
    os.seteuid(before)


def test_a_directory_that_is_closed_is_refused(place: Path) -> None:
    (place / "jobs" / "closed").mkdir(parents=True)
    (place / "jobs" / "a.yaml").write_text("{}")
    place.chmod(0o755)
    (place / "jobs" / "closed").chmod(0)

    with (
        as_nobody(),
        pytest.raises(ClientError, match="cannot read jobs/closed: Permission denied"),
    ):
        read_files(["jobs"])


def test_a_line_without_an_end_is_answered_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foliot.cli.next.MAX_BYTES", 10)

    ended = CliRunner().invoke(app, ["next", "-"], input='{"job": {"a": 1}}')

    assert ended.exit_code == 0
    assert [line[:11] for line in ended.stdout.splitlines()] == ['{"error": "', '{"error": "']
