"""`foliot doctor`: each check against a real thing that is broken."""

import json
import os
import shutil
import signal
import socket
import sqlite3
from base64 import b64encode
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates
from cryptography.x509 import CertificateBuilder, Name, NameAttribute, NameOID

from foliot.cli.doctor.database import check_clock, check_database
from foliot.cli.doctor.finding import Level
from foliot.cli.doctor.machine import check_data_dir, check_disk
from foliot.cli.doctor.network import check_names
from foliot.core.instant import SECOND, Wall, reading_of
from foliot.ports import clock
from foliot.serve.settings import read_settings
from foliot.store.sqlite.inspection import DatabaseFacts
from foliot.web.server.tls import certify
from tests.support import postgres
from tests.support.commands import Place, on_terminal
from tests.support.http_target import JOB, TOKEN, a_job
from tests.support.postgres_address import KEY, address
from tests.support.server import COLLECTION, foliot, running

OTHER_KEY = b64encode(bytes([1] * 32)).decode()
STANDARD = {"properties": {"sku": {"name": "Standard"}}}


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data directory of a server that was stopped, with a job in it."""
    data = tmp_path_factory.mktemp("stopped") / "data"
    with running(data, ADMIN_TOKEN=TOKEN) as server:
        job = a_job("http://127.0.0.1:1/", recurrence={"frequency": "week"}, state="disabled")
        for path, body in ((COLLECTION, STANDARD), (JOB, job)):
            assert server.call("PUT", path, token=TOKEN, body=body).status == 201
    return data


@pytest.fixture
def data(stopped: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(stopped, tmp_path / "data"))


def findings(data: Path, **environ: str) -> dict[str, tuple[str, str]]:
    """Return the worst finding of each check: its level and what was found."""
    done = foliot("doctor", "--output", "json", "--data-dir", str(data), **environ)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    levels = [Level[each["level"].upper()] for each in found]
    assert done.returncode == max(levels)
    assert all(bool(each["advice"]) is (each["level"] != "ok") for each in found)
    ordered = sorted(found, key=lambda each: Level[each["level"].upper()])
    return {each["check"]: (each["level"], each["found"]) for each in ordered}


def execute(data: Path, statement: str) -> None:
    with closing(sqlite3.connect(data / "foliot.db")) as connection:
        connection.execute(statement)
        connection.commit()


class _Issued:
    """A certificate that expires in some days, with its key."""

    def __init__(self, days: int) -> None:
        now = reading_of(Wall(clock.now())).replace(tzinfo=UTC)
        name = Name([NameAttribute(NameOID.COMMON_NAME, "client")])
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = (
            CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(self.key.public_key())
            .serial_number(1)
            .not_valid_before(now - timedelta(days=400))
            .not_valid_after(now + timedelta(days=days, hours=1))
            .sign(self.key, SHA256())
        )

    def pfx(self) -> str:
        none = NoEncryption()
        return b64encode(
            serialize_key_and_certificates(b"x", self.key, self.certificate, None, none)
        ).decode()

    def files(self, folder: Path) -> str:
        key = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (folder / "key.pem").write_bytes(key)
        (folder / "key.pem").chmod(0o600)
        (folder / "cert.pem").write_bytes(self.certificate.public_bytes(Encoding.PEM))
        return f"{folder}/cert.pem,{folder}/key.pem"


def test_a_server_that_is_well_has_no_problem(tmp_path: Path) -> None:
    with running(tmp_path / "data") as server:
        found = findings(tmp_path / "data")

    levels = {check: level for check, (level, _) in found.items() if check != "configuration"}
    assert set(levels.values()) == {"ok"}
    assert set(levels) == {
        *("data directory", "disk", "server", "database", "secret key", "clock", "nodes"),
        *("client certificates", "egress", "names"),
    }
    assert found["server"] == ("ok", f"http://127.0.0.1:{server.port} is ready")
    assert found["configuration"][0] == ("warning" if os.geteuid() == 0 else "ok")


@pytest.mark.parametrize(
    ("environ", "check", "level", "expected"),
    [
        ({"SLOTZ": "1"}, "configuration", "problem", "FOLIOT_SLOTZ: is not a setting of Foliot"),
        (
            {"NO_API": "1", "NO_ENGINE": "1"},
            "configuration",
            "problem",
            "is refused together with --no-engine",
        ),
        ({"HOST": "0.0.0.0"}, "configuration", "warning", "open to others, without TLS"),  # noqa: S104
        ({"ADMIN_TOKEN": "s" * 20}, "configuration", "warning", "FOLIOT_ADMIN_TOKEN is short"),
        (
            {"SECRET_KEYS": OTHER_KEY},
            "secret key",
            "problem",
            "cannot be opened with the keys given",
        ),
        ({"SECRET_KEYS": "rubbish"}, "secret key", "problem", "entry 1 of 1 is not base64"),
        (
            {"EGRESS_ALLOW": "a.test", "EGRESS_DENY": "a.test"},
            "egress",
            "warning",
            "a.test is both allowed and denied",
        ),
        ({"CA_FILE": "/nowhere"}, "trusted certificates", "problem", "FOLIOT_CA_FILE=/nowhere"),
        ({"TLS": "/no.pem,/no.key"}, "certificate", "problem", "cannot read /no.pem"),
        (
            {"DATABASE": "postgresql://u:hunter2@127.0.0.1:1/d"},
            "database",
            "problem",
            "nothing listens at its host and port",
        ),
    ],
)
def test_a_setting_that_is_wrong_is_found(
    data: Path, environ: Mapping[str, str], check: str, level: str, expected: str
) -> None:
    if environ.get("HOST") or environ.get("ADMIN_TOKEN"):
        # Of several findings the worst is compared; as root there is another warning.
        done = foliot("doctor", "--data-dir", str(data), **environ)
        assert expected in done.stdout
        assert "s" * 20 not in done.stdout
        return
    found = findings(data, **environ)

    assert found[check][0] == level
    assert expected in found[check][1]
    assert "hunter2" not in str(found)


def test_files_that_others_can_read_are_found(data: Path) -> None:
    (data / "secret-key").chmod(0o644)

    level, found = findings(data)["data directory"]

    assert (level, found) == ("warning", f"{data}/secret-key is open to others (-rw-r--r--)")


def test_a_directory_that_is_missing_or_half_restored_is_found(data: Path, tmp_path: Path) -> None:
    missing = findings(tmp_path / "nowhere")
    (data / "restore-unfinished").touch()
    unfinished = findings(data)

    assert missing["data directory"][0] == missing["database"][0] == "problem"
    assert unfinished["data directory"] == ("problem", "a restore was interrupted")


@contextmanager
def without_rights(folder: Path) -> Generator[None]:
    """Be a user who may not look into a folder."""
    is_root = os.geteuid() == 0
    folder.chmod(0o700 if is_root else 0)
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        folder.chmod(0o700)


def test_a_user_who_may_not_look_into_the_directory_is_told(data: Path) -> None:
    settings = read_settings({"data_dir": str(data)}, {})

    with without_rights(data.parent):
        (place,) = check_data_dir(settings)
        (database,), _ = check_database(settings)

    assert (place.level, database.level) == (Level.PROBLEM, Level.PROBLEM)
    assert place.found == f"{data} cannot be read: Permission denied"
    assert database.found == f"the database {data}/foliot.db cannot be read: Permission denied"


@pytest.mark.parametrize(
    ("statement", "level", "expected"),
    [
        ("INSERT INTO schema_version VALUES (999)", "problem", "schema version 999"),
        (
            "DELETE FROM schema_version WHERE version = (SELECT max(version) FROM schema_version)",
            "warning",
            "is current",
        ),
    ],
    ids=["newer", "older"],
)
def test_another_schema_version_is_found(
    data: Path, statement: str, level: str, expected: str
) -> None:
    execute(data, statement)

    found = findings(data)["database"]

    assert found[0] == level
    assert expected in found[1]


def test_a_damaged_database_is_found(data: Path) -> None:
    size = (data / "foliot.db").stat().st_size
    with (data / "foliot.db").open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xff" * (size - 4096 * 3))

    level, found = findings(data)["database"]

    assert level == "problem"
    assert "damaged" in found


def test_a_disk_without_room_is_found() -> None:
    # A file system that has no room at all.
    (found,) = check_disk(read_settings({"database": "sqlite:////proc/foliot.db"}, {}))

    assert (found.level, found.found) == (Level.PROBLEM, "0.0 GB free in /proc")


def test_a_log_that_has_grown_is_found(data: Path) -> None:
    execute(data, "PRAGMA user_version = 1")
    with (data / "foliot.db-wal").open("wb") as log:
        log.truncate(600_000_000)
    settings = read_settings({"data_dir": str(data)}, {})

    (found,), _ = check_database(settings)

    assert (found.level, found.found) == (Level.WARNING, "its log has 600 MB")


def test_a_server_that_is_not_ready_is_found(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data):
        key = (data / "secret-key").read_text()
        (data / "secret-key").unlink()
        level, found = findings(data)["server"]
        (data / "secret-key").write_text(key)

    assert level == "problem"
    assert "answers with 503: data directory: secret-key was removed" in found


def test_nodes_that_are_silent_or_of_another_version_are_found(data: Path) -> None:
    now = clock.now()
    for number, (version, seen_at) in enumerate([("0.0.9", now), ("0.1.0", now - 600 * SECOND)]):
        execute(
            data,
            "INSERT INTO node (id, name, version, started_at, seen_at, has_api, has_engine,"  # noqa: S608
            " in_flight, waiting)"
            f" VALUES ('{number}', 'n{number}', '{version}', 0, {seen_at}, 1, 1, 0, 0)",
        )

    done = foliot("doctor", "--data-dir", str(data))

    assert "warning  nodes: n1 has been silent for 10 min" in done.stdout
    assert "versions differ: n0 runs 0.0.9, this command is of 0.1.0" in done.stdout


@pytest.mark.parametrize(
    ("offset", "level"), [(0.2, Level.OK), (-3, Level.WARNING), (60, Level.PROBLEM)]
)
def test_a_clock_that_is_off_is_found(offset: float, level: Level) -> None:
    settings = read_settings({"database": "postgresql://127.0.0.1/d"}, {})
    ticks = int(offset * SECOND)
    facts = DatabaseFacts(schema_version=1, known_version=1, size=0, offset=ticks)

    (found,) = check_clock(settings, facts)

    assert found.level is level


def test_a_postgresql_database_is_looked_at_with_its_clock(tmp_path: Path) -> None:
    with postgres.new_database() as url:
        given = {"DATABASE": address(url), "SECRET_KEYS": KEY}
        with running(tmp_path / "node", **given):
            found = findings(tmp_path / "node", **given)

    assert {found[each][0] for each in ("database", "secret key", "clock", "nodes")} == {"ok"}
    assert found["clock"][1].endswith("s from the database's clock")
    assert "hunter2" not in str(found)


def test_a_certificate_file_that_is_missing_need_not_be_renewed(data: Path) -> None:
    place = ["--output", "json", "--data-dir", str(data)]

    done = foliot("doctor", *place, TLS="/no.pem,/no.key")

    (found,) = [each for each in json.loads(done.stdout) if each["check"] == "certificate"]
    assert "let FOLIOT_TLS name a certificate" in found["advice"]


def test_a_data_directory_that_is_a_file_has_no_free_space(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()

    assert "disk" not in findings(file)


@pytest.mark.parametrize(
    ("days", "level"), [(-2, "problem"), (10, "warning"), (90, "ok")], ids=["past", "soon", "later"]
)
def test_a_certificate_of_the_server_that_expires_is_found(
    data: Path, tmp_path: Path, days: int, level: str
) -> None:
    found = findings(data, TLS=_Issued(days).files(tmp_path))["certificate"]

    assert found[0] == level


def test_the_files_of_a_server_stay_as_they_are(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data, ADMIN_TOKEN=TOKEN) as server:
        assert server.call("PUT", COLLECTION, token=TOKEN, body=STANDARD).status == 201
        # A kill leaves a log, which the next one who may write copies into the database.
        server.stop(signal.SIGKILL)
    before = _contents(data)

    found = findings(data)

    assert "foliot.db-wal" in before
    assert found["database"][0] == found["secret key"][0] == "ok"
    assert _contents(data) == before


def test_a_database_that_was_closed_gets_no_log(data: Path) -> None:
    before = _contents(data)

    assert findings(data)["database"][0] == "ok"

    assert _contents(data) == before


def _contents(data: Path) -> dict[str, bytes]:
    """Return the files of a data directory; the index of a log is memory that processes share."""
    return {
        each.name: each.read_bytes()
        for each in data.iterdir()
        if each.is_file() and not each.name.endswith("-shm")
    }


@pytest.fixture
def certified(data: Path) -> Path:
    """Return the data directory of a server that has made its own certificate."""
    now = reading_of(Wall(clock.now())).replace(tzinfo=UTC)
    certify(data / "tls", ["127.0.0.1", socket.gethostname()], now)
    return data


def test_a_certificate_that_the_server_has_made_is_well(certified: Path) -> None:
    found = findings(certified, TLS="auto")["certificate"]

    assert found[0] == "ok"
    assert found[1].startswith(f"{certified}/tls/server.pem is valid for 39")


def test_an_expired_certificate_that_the_server_has_made_is_found(certified: Path) -> None:
    long_ago = reading_of(Wall(clock.now())).replace(tzinfo=UTC) - timedelta(days=500)
    shutil.rmtree(certified / "tls")
    certify(certified / "tls", ["127.0.0.1"], long_ago)

    found = findings(certified, TLS="auto")["certificate"]

    assert found == ("problem", f"{certified}/tls/server.pem has expired")


def test_a_certificate_with_the_key_of_another_is_found(certified: Path, tmp_path: Path) -> None:
    now = reading_of(Wall(clock.now())).replace(tzinfo=UTC)
    other = certify(tmp_path / "other", ["127.0.0.1"], now)
    shutil.copy(other.key, certified / "tls" / "server-key.pem")

    level, found = findings(certified, TLS="auto")["certificate"]

    assert level == "problem"
    assert "server-key.pem does not belong to the certificate" in found


def test_a_certificate_for_another_host_is_found(certified: Path, tmp_path: Path) -> None:
    public = {"PUBLIC_URL": "https://jobs.example.com"}

    own = findings(certified, TLS="auto", **public)["certificate"]
    given = findings(certified, TLS=_Issued(90).files(tmp_path), **public)["certificate"]

    name = "is not valid for jobs.example.com"
    assert own == ("warning", f"{certified}/tls/server.pem {name}")
    assert given == ("warning", f"{tmp_path}/cert.pem {name}")


def test_a_key_of_a_certificate_that_others_can_read_is_found(certified: Path) -> None:
    (certified / "tls" / "server-key.pem").chmod(0o644)

    level, found = findings(certified, TLS="auto")["certificate"]

    assert level == "warning"
    assert found.endswith("server-key.pem is open to others (-rw-r--r--)")


def test_client_certificates_of_jobs_that_expire_soon_are_found(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data, ADMIN_TOKEN=TOKEN) as server:
        server.call("PUT", COLLECTION, token=TOKEN, body=STANDARD)
        for name, days in (("soon", 10), ("later", 90)):
            job = a_job("https://127.0.0.1:1/", recurrence={"frequency": "week"})
            job["properties"]["action"]["type"] = "Https"
            signs_in = {"type": "ClientCertificate", "pfx": _Issued(days).pfx(), "password": ""}
            job["properties"]["action"]["request"]["authentication"] = signs_in
            path = COLLECTION.replace("?", f"/jobs/{name}?")
            assert server.call("PUT", path, token=TOKEN, body=job).status == 201
        found = findings(data)["client certificates"]

    assert found == ("warning", "expire within 30 days: soon")


def test_jobs_that_cannot_be_opened_are_named(data: Path) -> None:
    # The header, which names the key, stays as it is.
    execute(data, "UPDATE definition SET sealed = substr(sealed, 1, 60)")

    found = findings(data)

    assert found["jobs"] == ("problem", "cannot be opened: j")


def test_a_proxy_that_does_not_answer_is_found(data: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        refused = findings(data, PROXY=url)["proxy"]
        free.listen()
        accepted = findings(data, PROXY=url)["proxy"]

    assert refused == ("problem", "the proxy does not accept connections: Connection refused")
    assert accepted == ("ok", "accepts connections")


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("", Level.WARNING),
        ("nameserver \n", Level.WARNING),
        ("nameserver\t192.0.2.1\n", Level.OK),
        ("nameserver 192.0.2.1\n", Level.OK),
    ],
)
def test_a_machine_without_a_name_server_is_found(tmp_path: Path, text: str, level: Level) -> None:
    (tmp_path / "resolv.conf").write_text(text)

    (found,) = check_names(tmp_path / "resolv.conf")

    assert found.level is level


def test_on_a_terminal_levels_have_colours(data: Path, tmp_path: Path) -> None:
    words = ["doctor", "--data-dir", str(data)]

    _, shown = on_terminal(Place(tmp_path), *words)
    _, plain = on_terminal(Place(tmp_path, {"NO_COLOR": "1"}), *words)

    assert "\x1b[32mok" in shown
    assert "\x1b[" not in plain
