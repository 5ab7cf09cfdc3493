"""Commands that need no server start without its libraries."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

# Each takes longer to load than the commands below take.
HEAVY = {
    "pycurl",
    "cryptography",
    "starlette",
    "uvicorn",
    "psycopg",
    "azure",
    "jinja2",
    "sqlite3",
    "pydantic",
}
JOB = {"startTime": "2015-04-07T14:00:00Z", "recurrence": {"frequency": "day", "interval": 2}}
# What measures coverage loads libraries of its own before.
RUN = """
import sys
before = {*sys.modules}
from foliot.cli import app
try:
    app(sys.argv[1:])
finally:
    print(*{name.partition(".")[0] for name in {*sys.modules} - before}, file=sys.stderr)
"""


# A call of a server takes less time than either takes to load.
NOT_FOR_A_PIPE = {"rich", "yaml", "pygments"}


def test_a_command_in_a_pipe_loads_nothing_that_only_a_terminal_or_a_file_needs(
    tmp_path: Path,
) -> None:
    unreachable = ["--server", "http://127.0.0.1:1", "--header", "A: b", "--url", "http://a"]
    command = ["job", "create", "j", "-c", "s/g/c", "--every", "1m", *unreachable]

    ended = subprocess.run(  # noqa: S603  (our own)
        [sys.executable, "-c", RUN, *command],
        cwd=tmp_path,
        env={"XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 5
    assert (HEAVY | NOT_FOR_A_PIPE) & set(ended.stderr.split()) == set()


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["next", "job.json", "--explain"], id="next"),
        pytest.param(["--help"], id="help"),
        pytest.param(["serve", "--help"], id="serve help"),
        pytest.param(["token", "--help"], id="token help"),
        pytest.param(["migrate", "--help"], id="migrate help"),
        pytest.param(["--version"], id="version"),
        pytest.param(["job", "--help"], id="job help"),
    ],
)
def test_a_command_beside_the_server_loads_none_of_its_libraries(
    tmp_path: Path, arguments: list[str]
) -> None:
    (tmp_path / "job.json").write_text(json.dumps(JOB))

    ended = subprocess.run(  # noqa: S603  (our own)
        [sys.executable, "-c", RUN, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert HEAVY & set(ended.stderr.split()) == set()
