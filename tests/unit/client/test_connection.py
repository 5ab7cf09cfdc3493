"""What a connection makes of servers that do not answer as they should."""

from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from socket import create_server, socket
from ssl import SSLError
from threading import Event, Thread

import pytest

from foliot.client.connection import Connection, ServerAddress
from foliot.client.errors import ClientError, NotAuthorised, Unreachable
from foliot.core.errors import Invalid
from foliot.core.secret import Secret
from tests.support.tls_authority import Authority

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


@contextmanager
def raw_server(*answers: Callable[[socket], None]) -> Generator[str]:
    """Serve one connection after the other, each in its own way."""
    with create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for answer in answers:
                connection, _ = listener.accept()
                with connection:
                    answer(connection)

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(30)


def answer_once(connection: socket) -> None:
    connection.recv(65536)
    connection.sendall(OK)


def answer_nonsense(connection: socket) -> None:
    connection.recv(65536)
    connection.sendall(b"SSH-2.0-OpenSSH\r\n\r\n")


def refuse(connection: socket) -> None:
    connection.recv(65536)
    text = b'{"error": {"message": "Revoked."}}'
    head = f"HTTP/1.1 401 Unauthorized\r\nContent-Length: {len(text)}\r\n\r\n"
    connection.sendall(head.encode() + text)


@pytest.mark.parametrize("is_own", [True, False], ids=["of the data directory", "another"])
def test_a_refusal_of_the_token_in_the_data_directory_says_how_to_make_one(*, is_own: bool) -> None:
    with raw_server(refuse) as url:
        server = ServerAddress(url, Secret("t"), has_own_token=is_own)
        with closing(Connection(server)) as to, pytest.raises(NotAuthorised) as refused:
            to.call("GET", "/a")

    assert str(refused.value).startswith("Revoked.")
    assert ("foliot token create --name NAME --role Owner" in str(refused.value)) is is_own


def test_a_question_is_asked_again_when_an_idle_connection_was_closed() -> None:
    with raw_server(answer_once, answer_once) as url, closing(Connection(ServerAddress(url))) as to:
        answers = [to.call("GET", "/a"), to.call("GET", "/b")]

    assert answers == [{}, {}]


def test_a_change_goes_over_another_connection_if_the_kept_one_was_closed() -> None:
    is_closed = Event()

    def answer_and_close(connection: socket) -> None:
        answer_once(connection)
        connection.close()
        is_closed.set()

    with ExitStack() as stack:
        url = stack.enter_context(raw_server(answer_and_close, answer_once))
        to = stack.enter_context(closing(Connection(ServerAddress(url))))
        to.call("GET", "/a")
        assert is_closed.wait(30)

        assert to.call("POST", "/b") == {}


def test_a_change_is_never_sent_twice() -> None:
    def answer_and_close_at_the_next(connection: socket) -> None:
        answer_once(connection)
        connection.recv(65536)

    with ExitStack() as stack:
        url = stack.enter_context(raw_server(answer_and_close_at_the_next))
        to = stack.enter_context(closing(Connection(ServerAddress(url))))
        to.call("GET", "/a")
        with pytest.raises(Unreachable):
            to.call("POST", "/b")


def test_what_is_not_http_is_told() -> None:
    with raw_server(answer_nonsense) as url, closing(Connection(ServerAddress(url))) as to:  # noqa: SIM117
        with pytest.raises(
            Unreachable, match="does not answer as Foliot does; is it http or https"
        ):
            to.call("GET", "/")


def test_a_certificate_for_another_name_is_not_one_without_an_authority(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    secure = authority.server("jobs.example.com")

    def begin_tls(connection: socket) -> None:
        with suppress(SSLError):
            secure.wrap_socket(connection, server_side=True).close()

    told = []
    with raw_server(begin_tls, begin_tls) as url:
        for host in ("127.0.0.1", "localhost"):
            address = url.replace("http://127.0.0.1", f"https://{host}")
            to = Connection(ServerAddress(address, authority=str(authority.file)))
            with closing(to), pytest.raises(Unreachable) as unreachable:
                to.call("GET", "/a")
            told.append(str(unreachable.value))

    for each in told:
        assert "its certificate is for another name" in each
        assert each.endswith("give an address with that name as --server.")


def test_a_server_without_tls_is_told() -> None:
    with raw_server(answer_nonsense) as url:
        address = ServerAddress(url.replace("http:", "https:"))
        said = f"it does not speak TLS; give {url} if it is so"
        with closing(Connection(address)) as to, pytest.raises(Unreachable, match=said):
            to.call("GET", "/")


def hang_up(connection: socket) -> None:
    connection.recv(65536)


def test_a_server_that_wants_tls_is_told() -> None:
    with raw_server(hang_up) as url, closing(Connection(ServerAddress(url))) as to:
        secure = url.replace("http:", "https:")
        with pytest.raises(Unreachable, match=f"give {secure} if it speaks TLS"):
            to.call("GET", "/")


def test_a_server_that_has_answered_is_not_taken_for_one_with_tls() -> None:
    with raw_server(answer_once, hang_up) as url, closing(Connection(ServerAddress(url))) as to:
        to.call("GET", "/a")
        with pytest.raises(Unreachable, match="without response") as lost:
            to.call("GET", "/b")

    assert "TLS" not in str(lost.value)


def test_an_authority_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    address = ServerAddress("https://127.0.0.1:1", authority=str(tmp_path / "none.pem"))

    with pytest.raises(ClientError, match=r"cannot read the authority .*none\.pem: No such file"):
        Connection(address).call("GET", "/")


def test_an_authority_that_is_no_certificate_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    address = ServerAddress("https://127.0.0.1:1", authority=str(tmp_path / "notes.txt"))

    with pytest.raises(ClientError, match=r"authority .*notes\.txt has no certificate in PEM"):
        Connection(address).call("GET", "/")


@pytest.mark.parametrize("token", ["a\r\nb", "tokén"])
def test_a_token_that_no_server_has_given_is_not_sent(token: str) -> None:
    with pytest.raises(Invalid, match="characters that no token has") as refused:
        Connection(ServerAddress("http://127.0.0.1:1", Secret(token))).call("GET", "/")

    assert token not in str(refused.value)


def test_a_server_that_says_nothing_is_given_up() -> None:
    problem = Connection(ServerAddress("http://a"))._problem(TimeoutError())  # noqa: SLF001

    assert problem == "cannot reach http://a: no answer within 60 seconds."
