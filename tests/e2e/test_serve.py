import base64
import os
import signal
import socket
import ssl
from pathlib import Path

import pytest

from tests.support.server import (
    COLLECTION,
    DEADLINE,
    Server,
    accepts,
    complaints_in,
    eventually,
    foliot,
    running,
)

JOB = COLLECTION.replace("?", "/jobs/j?")
ADMIN = "a" * 32
SHORT = "s" * 20
ROOT = (
    []
    if os.geteuid()
    else ["Runs as root: whoever breaks in owns the machine; give it a user of its own"]
)


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


def create_collection(server: Server, token: str | None) -> int:
    body = {"location": "West US"}
    headers = {"Content-Type": "application/json"}
    return server.call("PUT", COLLECTION, token=token, body=body, headers=headers).status


def refusal(*arguments: str, **environ: str) -> str:
    result = foliot("serve", *arguments, **environ)
    assert (result.returncode, result.stdout) == (1, "")
    assert "Traceback" not in result.stderr
    assert result.stderr.startswith("foliot serve: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_the_start_up_text_says_where_it_listens_where_its_data_is_and_how_to_sign_in(
    data_dir: Path,
) -> None:
    with running(data_dir, on_terminal=True, NO_ENGINE="0") as server:
        file = data_dir / "admin-token"
        portal = f"http://127.0.0.1:{server.port}/sign-in?code="
        code = server.text.split(portal)[1].split()[0]

        assert server.text.splitlines() == [
            f"Foliot 0.1.0 listens on http://127.0.0.1:{server.port}",
            f"Data: {data_dir} (database {data_dir}/foliot.db)",
            f"Portal: {portal}{code} (good once)",
            *ROOT,
            f"Sign in: Authorization: Bearer {server.token}",
            f"This Owner token is shown once and kept in {file}",
        ]
        assert file.read_text() == f"{server.token}\n"
        assert file.stat().st_mode & 0o777 == 0o600
        assert data_dir.stat().st_mode & 0o777 == 0o700


def test_where_no_person_reads_the_start_up_text_names_the_file_and_shows_no_secret(
    data_dir: Path,
) -> None:
    with running(data_dir) as server:
        file = data_dir / "admin-token"

        assert server.text.splitlines()[2:] == [
            "Jobs are kept but not run here (--no-engine)",
            f"Portal: http://127.0.0.1:{server.port}/",
            *ROOT,
            f"Sign in: Authorization: Bearer <the token in {file}>, or another one",
        ]
        assert server.status(file.read_text().strip()) == 404
        _, out, log = server.stop()

    assert "foliot_" not in server.text + out + log


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"ADMIN_TOKEN": "t" * 40}, id="the token of the environment"),
        pytest.param({}, id="the token of the first start"),
    ],
)
def test_the_link_that_is_printed_signs_in_once(data_dir: Path, settings: dict[str, str]) -> None:
    with running(data_dir, on_terminal=True, **settings) as server:
        link = server.text.split(f":{server.port}")[2].split()[0]
        first, second = (server.call("GET", link) for _ in range(2))
        session = first.headers["set-cookie"].split(";")[0]
        inside = server.call("GET", "/tokens", headers={"Cookie": session})

    assert (first.status, first.headers["location"]) == (303, "/")
    assert (second.status, inside.status) == (401, 200)


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"HOST": "0.0.0.0", "ADMIN_TOKEN": "t" * 40}, id="others can call"),  # noqa: S104
        pytest.param({"NO_AUTH": "1"}, id="nobody has to sign in"),
    ],
)
def test_no_link_with_a_code_is_printed_where(data_dir: Path, settings: dict[str, str]) -> None:
    with running(data_dir, on_terminal=True, **settings) as server:
        assert "code=" not in server.text
        assert f":{server.port}/\n" in server.text


def test_no_link_with_a_code_is_printed_when_no_owner_is_known(data_dir: Path) -> None:
    with running(data_dir):
        pass
    (data_dir / "admin-token").unlink()

    with running(data_dir, on_terminal=True) as server:
        assert "code=" not in server.text


@pytest.mark.parametrize("tls", ["none", "auto"])
def test_settings_are_shown_without_their_secrets(data_dir: Path, tls: str) -> None:
    secret = "t" * 40
    given = {"ADMIN_TOKEN": secret, "TLS": tls, "PROXY": "http://proxy.test:1"}
    with running(data_dir, on_terminal=True, **given) as server:
        server.authority = data_dir / "tls" / "ca.pem" if tls == "auto" else None
        link = server.text.split(f":{server.port}")[2].split()[0]
        session = server.call("GET", link).headers["set-cookie"].split(";")[0]
        connection = server.connect()
        connection.request("GET", "/settings", headers={"Cookie": session})
        page = connection.getresponse().read().decode()
        connection.close()

    assert f'<code>FOLIOT_TLS</code></td><td class="value">{tls}</td>' in page
    assert secret not in page
    assert "proxy.test" not in page
    assert session.startswith("__Host-foliot-session=") is (tls == "auto")


def test_the_token_of_the_first_start_signs_in_and_is_not_shown_again(data_dir: Path) -> None:
    with running(data_dir, on_terminal=True) as server:
        token = server.token
        statuses = [server.status(each) for each in (token, "foliot_guessed", None)]
        health = server.call("GET", "/healthz")
        assert server.call("GET", "/readyz").status == 200
    with running(data_dir, on_terminal=True) as again:
        assert str(token) not in again.text
        assert f"<the token in {data_dir}/admin-token>" in again.text
        assert again.status(token) == 404

    assert statuses == [404, 401, 401]
    assert (health.status, health.getheader("server")) == (200, None)


def test_a_token_from_the_environment_is_added_and_only_a_command_removes_it(
    data_dir: Path,
) -> None:
    with running(data_dir, ADMIN_TOKEN=ADMIN) as server:
        assert ADMIN not in server.text
        assert "FOLIOT_ADMIN_TOKEN>" in server.text
        assert not (data_dir / "admin-token").exists()
        assert server.status(ADMIN) == 404
    with running(data_dir, ADMIN_TOKEN=SHORT) as server:
        assert "it is short, use 32 characters or more" in server.text
        assert [server.status(SHORT), server.status(ADMIN)] == [404, 404]
        assert "Still good: token 1, another value of FOLIOT_ADMIN_TOKEN" in server.text
    with running(data_dir) as server:
        assert server.token is None
        assert "`foliot token revoke 2` removes it" in server.text
        foliot("token", "revoke", "1", "--data-dir", str(data_dir))
    with running(data_dir, ADMIN_TOKEN=SHORT) as server:
        assert [server.status(SHORT), server.status(ADMIN)] == [404, 401]
        assert "Still good" not in server.text


def test_a_token_of_the_file_that_was_revoked_is_not_recommended(data_dir: Path) -> None:
    with running(data_dir):
        where = ("--data-dir", str(data_dir))
        foliot("token", "create", "--name", "other", *where)
        foliot("token", "revoke", "1", *where)

    with running(data_dir) as again:
        assert "`foliot token create` makes one" in again.text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_signal_ends_it_cleanly(data_dir: Path, number: int) -> None:
    with running(data_dir) as server:
        server.status(server.token)

        code, out, log = server.stop(number)

    assert (code, out, complaints_in(log)) == (0, "Foliot has stopped.\n", [])


def test_a_request_in_flight_finishes_before_the_end(data_dir: Path) -> None:
    body = b'{"location": "West US"}'
    with running(data_dir) as server:
        with socket.create_connection((server.host, server.port), DEADLINE) as client:
            head = (
                f"PUT {COLLECTION} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {server.token}\r\n"
                f"Content-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
            )
            client.sendall(head.encode())
            # The server asks for the body only when it is at work on the request.
            assert client.recv(1000).startswith(b"HTTP/1.1 100")
            server.process.send_signal(signal.SIGTERM)
            eventually(lambda: not accepts(server))
            client.sendall(body)

            assert client.recv(1000).startswith(b"HTTP/1.1 201")
        assert server.process.wait(DEADLINE) == 0


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"\x16\x03\x01rubbish\r\n\r\n", b"not HTTP"),
        (b"brew /pot HTTP/1.1\r\nHost: h\r\n\r\n", b"a method that no address accepts"),
        (b"GET / HTTP/1.1\r\nHost: h\r\nX: ".ljust(65_537, b"x"), b"longer than 65536 bytes"),
    ],
    ids=["no HTTP", "no method", "no end"],
)
def test_what_cannot_be_read_as_a_request_is_refused(
    data_dir: Path, sent: bytes, message: bytes
) -> None:
    with running(data_dir) as server:
        with socket.create_connection((server.host, server.port), DEADLINE) as client:
            client.sendall(sent)
            answer = client.recv(2000)

        assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n")
        assert b'{"error":{"code":"BadRequest","message":"' in answer
        assert message in answer
        code, out, log = server.stop()

    assert (code, out, complaints_in(log)) == (0, "Foliot has stopped.\n", [])


def test_many_requests_on_one_connection_are_not_one_long_head(data_dir: Path) -> None:
    with running(data_dir) as server:
        connection = server.connect()
        for _ in range(5):
            connection.request("GET", "/healthz", headers={"X": "x" * 20_000})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200
        connection.close()


def test_what_was_answered_survives_kill_9(data_dir: Path) -> None:
    with running(data_dir) as server:
        token = server.token
        assert create_collection(server, token) == 201
        server.stop(signal.SIGKILL)

    with running(data_dir) as again:
        assert again.call("GET", COLLECTION, token=token).status == 200


def test_a_second_process_on_the_same_data_directory_is_refused(data_dir: Path) -> None:
    with running(data_dir) as server:
        message = refusal("--port", "0", "--data-dir", str(data_dir))

        assert f"the data directory {data_dir} is in use" in message
        assert f"(process {server.process.pid})" in message


def test_a_port_in_use_is_named(data_dir: Path, tmp_path: Path) -> None:
    with running(data_dir) as server:
        other = ("--data-dir", str(tmp_path / "other"))
        message = refusal("--port", str(server.port), *other)

        assert f"cannot listen on 127.0.0.1 port {server.port}: Address already in use" in message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--host", "192.0.2.1"), "cannot listen on 192.0.2.1 port 0: Cannot assign"),
        (("--host", "no.such.name.invalid"), "cannot listen on no.such.name.invalid: "),
        (("--host", "10.0.0.1", "--no-auth"), "--no-auth: is refused with the host 10.0.0.1"),
        (("--database", "mysql://u:secret@h/d"), '--database: "mysql:..." is not valid'),
        (("--database", "sqlite:////no/such/place.db"), "/no/such/place.db"),
        (("--tls", "none.pem,none.key"), "cannot read none.pem: No such file or directory"),
        (("--port", "http"), '--port: "http" is not valid'),
    ],
    ids=["a foreign address", "no name", "no-auth", "mysql", "no place", "no files", "no port"],
)
def test_what_cannot_be_is_refused_with_a_message(
    data_dir: Path, options: tuple[str, ...], message: str
) -> None:
    found = refusal("--port", "0", "--data-dir", str(data_dir), *options)

    assert message in found
    assert "secret" not in found


@pytest.mark.parametrize("name", ["", "/below"], ids=["a file", "below a file"])
def test_a_data_directory_that_cannot_be_written_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("not a directory")

    message = refusal("--port", "0", "--data-dir", f"{tmp_path}/file{name}")

    assert f"cannot write to the data directory {tmp_path}/file{name}: " in message


def test_a_token_file_that_cannot_be_written_is_named(data_dir: Path) -> None:
    (data_dir / "admin-token").mkdir(parents=True)

    message = refusal("--port", "0", "--data-dir", str(data_dir))

    assert f"cannot write {data_dir}/admin-token: Is a directory" in message


def test_a_missing_and_a_wrong_secret_key_are_refused(data_dir: Path) -> None:
    with running(data_dir) as server:
        create_collection(server, server.token)
        action = {"type": "http", "request": {"uri": "http://h/", "method": "get"}}
        body = {"properties": {"action": action}}
        assert server.call("PUT", JOB, token=server.token, body=body).status == 201
    where = ("--port", "0", "--data-dir", str(data_dir))
    other = base64.b64encode(os.urandom(32)).decode()

    wrong = refusal(*where, SECRET_KEYS=other)
    broken = refusal(*where, SECRET_KEYS="rubbish!")  # noqa: S106  (not a key)
    (data_dir / "secret-key").unlink()
    missing = refusal(*where)

    assert "key" in wrong
    assert other not in wrong
    assert "FOLIOT_SECRET_KEYS: entry 1 of 1 is not base64" in broken
    assert "The key of the database is missing" in missing


def test_a_client_that_trusts_the_authority_calls_over_tls(data_dir: Path) -> None:
    authority = data_dir / "tls" / "ca.pem"
    with running(data_dir, "--tls", "auto") as server:
        assert f"TLS: clients must trust the authority in {authority}" in server.text
        with pytest.raises(ssl.SSLCertVerificationError):
            server.status(server.token)
        server.authority = authority

        assert (server.is_secure, server.status(server.token)) == (True, 404)


def test_a_certificate_that_lacks_the_host_is_renewed_and_the_authority_stays(
    data_dir: Path,
) -> None:
    authority = data_dir / "tls" / "ca.pem"
    with running(data_dir, "--tls", "auto"):
        trusted = authority.read_bytes()

    with running(data_dir, "--tls", "auto", "--host", "127.0.0.2") as server:
        server.authority = authority
        assert server.call("GET", "/healthz").status == 200
    assert authority.read_bytes() == trusted


def test_given_files_are_used_and_the_public_address_is_certified_too(
    data_dir: Path, tmp_path: Path
) -> None:
    with running(data_dir, "--tls", "auto", PUBLIC_URL="https://jobs.test") as server:
        assert ", known as https://jobs.test\n" in server.text
    files = data_dir / "tls"
    given = f"{files}/server.pem,{files}/server-key.pem"

    with running(tmp_path / "other", TLS=given) as server:
        server.authority = files / "ca.pem"
        assert server.call("GET", "/healthz").status == 200
        assert "TLS:" not in server.text


def test_without_authentication_programs_are_let_in_and_web_pages_are_not(data_dir: Path) -> None:
    with running(data_dir, "--no-auth", "--host", "localhost") as server:
        assert "Sign in: not needed" in server.text
        assert not (data_dir / "admin-token").exists()
        assert create_collection(server, None) == 201
        for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
            assert server.call("GET", COLLECTION, headers=headers).status == 403
        form = {"Content-Type": "text/plain"}
        assert server.call("PUT", COLLECTION, body={}, headers=form).status == 403


def test_it_listens_on_ipv6_too(data_dir: Path) -> None:
    with running(data_dir, "--host", "::1") as server:
        assert server.host == "[::1]"
        with socket.create_connection(("::1", server.port), DEADLINE):
            pass


def test_tokens_are_made_listed_and_revoked_beside_a_running_server(data_dir: Path) -> None:
    where = ("--data-dir", str(data_dir))
    with running(data_dir) as server:
        scope = COLLECTION.partition("?")[0].replace("/c", "/C")
        options = ("--name", "night shift", "--role", "contributor", "--scope", scope)
        made = foliot("token", "create", *options, "--expires", "90d", *where)
        token = made.stdout.strip()
        assert [create_collection(server, token), server.status(token)] == [201, 200]
        eventually(lambda: "never  night" not in foliot("token", "list", *where).stdout)
        listed = foliot("token", "list", *where).stdout
        revoked = foliot("token", "revoke", "2", *where)
        again = foliot("token", "revoke", "2", *where)
        eventually(lambda: server.status(token) == 401)

    assert token not in listed
    assert [line.split()[:2] for line in listed.splitlines()] == [
        ["ID", "ROLE"],
        ["1", "Owner"],
        ["2", "Contributor"],
    ]
    assert "Contributor of /subscriptions/s/resourceGroups/g" in made.stderr
    assert (revoked.returncode, revoked.stdout) == (0, "Token 2 is revoked.\n")
    assert (again.returncode, again.stderr) == (
        1,
        "foliot token revoke: there is no token 2.\n",
    )


@pytest.mark.parametrize("name", ["foliot.db", "secret-key", "lock", "foliot.db.lock"])
def test_a_server_whose_files_are_removed_says_so_and_accepts_no_change(
    data_dir: Path, name: str
) -> None:
    body = {"properties": {"sku": {"name": "Standard"}}}
    with running(data_dir) as server:
        before = server.call("PUT", COLLECTION, token=server.token, body=body)
        (data_dir / name).rename(data_dir / "aside")
        refused = server.call("PUT", COLLECTION, token=server.token, body=body)
        unready = server.call("GET", "/readyz")
        (data_dir / "aside").rename(data_dir / name)
        after = server.call("PUT", COLLECTION, token=server.token, body=body)
        ready = server.call("GET", "/readyz")
        _, _, log = server.stop()

    assert (before.status, refused.status, after.status) == (201, 503, 200)
    assert (unready.status, ready.status) == (503, 200)
    assert f"part='data directory' problem='{name} was removed" in log


def test_two_servers_do_not_share_a_database_file(tmp_path: Path) -> None:
    shared = f"sqlite:///{tmp_path}/shared.db"
    with running(tmp_path / "one", DATABASE=shared):
        two = str(tmp_path / "two")
        refused = foliot("serve", "--port", "0", "--data-dir", two, DATABASE=shared)

    assert refused.returncode == 1
    assert f"the database {tmp_path}/shared.db is in use by another foliot" in refused.stderr
