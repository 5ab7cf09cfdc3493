import asyncio

import pytest

from foliot.core.model.action import ClientCertificate
from foliot.core.model.attempt import Outcome
from foliot.core.secret import Secret
from tests.contract.dispatch.target import Target, target
from tests.support.certificates import a_pfx
from tests.support.dispatch_harness import a_request, dispatcher, message_of, run
from tests.support.tls_authority import PASSWORD, Authority

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, SETTINGS = 1, 4


def a_certificate(authority: Authority, name: str = "client") -> ClientCertificate:
    return ClientCertificate(
        pfx=Secret(authority.issue(name).pfx()), password=Secret(PASSWORD), thumbprint="AB"
    )


def test_a_certificate_of_a_trusted_authority_is_accepted(authority: Authority) -> None:
    async def steps() -> bool:
        tls, trusted = authority.server(), authority.file
        async with target(tls=tls) as server, dispatcher(ca_file=trusted) as opened:
            return (await opened.dispatch(a_request(server.url()))).succeeded

    assert run(steps())


def test_a_certificate_of_an_unknown_authority_is_not(authority: Authority) -> None:
    async def steps() -> tuple[str, int]:
        async with target(tls=authority.server()) as server:
            return await message_of(server.url()), len(server.received)

    message, requests = run(steps())

    assert message.startswith(
        "Http Action - Request to host '127.0.0.1' failed: TrustFailure The underlying connection "
        "was closed: Could not establish trust relationship for the SSL/TLS secure channel. ("
    )
    assert requests == 0


def test_a_certificate_for_another_host_is_not(authority: Authority) -> None:
    async def steps() -> str:
        tls, trusted = authority.server("other.example"), authority.file
        async with target(tls=tls) as server, dispatcher(ca_file=trusted) as opened:
            return (await opened.dispatch(a_request(server.url()))).message

    assert "failed: TrustFailure" in run(steps())


def test_a_target_without_tls_is_a_failure() -> None:
    def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ready\r\n")
        writer.close()

    async def steps() -> str:
        async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            return await message_of(f"https://127.0.0.1:{port}/")

    assert "failed: SecureChannelFailure The request was aborted" in run(steps())


def test_without_a_file_of_authorities_nothing_is_trusted(authority: Authority) -> None:
    async def steps() -> str:
        tls, trusted = authority.server(), authority.file.with_name("missing.pem")
        async with target(tls=tls) as server, dispatcher(ca_file=trusted) as opened:
            return (await opened.dispatch(a_request(server.url()))).message

    assert "failed: TrustFailure The file of trusted certificates cannot be read." in run(steps())


def test_a_client_certificate_is_shown_from_memory(authority: Authority) -> None:
    async def steps() -> tuple[bool, list[object]]:
        async with target(tls=authority.server(asks=True)) as server:
            request = a_request(server.url(), authentication=a_certificate(authority))
            async with dispatcher(ca_file=authority.file) as opened:
                outcome = await opened.dispatch(request)
            return outcome.succeeded, server.peer_certificates

    succeeded, (shown,) = run(steps())

    assert succeeded
    assert shown["subject"] == ((("commonName", "client"),),)


def test_a_connection_with_a_client_certificate_is_not_reused(authority: Authority) -> None:
    async def steps() -> list[object]:
        first, second = a_certificate(authority, "first"), a_certificate(authority, "second")
        async with target(tls=authority.server(asks=True)) as server:
            async with dispatcher(ca_file=authority.file) as opened:
                for given in (first, None, second, None, first):
                    await opened.dispatch(a_request(server.url(), authentication=given))
            return [shown and shown["subject"][0][0][1] for shown in server.peer_certificates]

    assert run(steps()) == ["first", None, "second", "first"]


@pytest.mark.parametrize(
    ("certificate", "problem"),
    [
        (ClientCertificate(thumbprint="AB"), "authentication.pfx is not set; send it again."),
        (ClientCertificate(pfx=Secret("%%%")), "authentication.pfx cannot be opened"),
        (ClientCertificate(pfx=Secret("AAAA")), "authentication.pfx cannot be opened"),
        (
            ClientCertificate(pfx=Secret(a_pfx(has_key=False).text)),
            "authentication.pfx cannot be opened",
        ),
    ],
    ids=["missing", "not base64", "not a PFX file", "without its key"],
)
def test_a_certificate_that_cannot_be_used_is_a_failure(
    certificate: ClientCertificate, problem: str
) -> None:
    message = run(message_of("https://127.0.0.1:1/", authentication=certificate))

    assert f"failed: AuthenticationFailure {problem}" in message


def test_a_wrong_password_is_a_failure_that_does_not_show_it(authority: Authority) -> None:
    given = ClientCertificate(pfx=a_certificate(authority).pfx, password=Secret("wr0ng"))

    message = run(message_of("https://127.0.0.1:1/", authentication=given))

    assert "cannot be opened: the file is broken or its password is wrong." in message
    assert "wr0ng" not in message


def test_http2_is_spoken_where_it_is_offered(authority: Authority) -> None:
    tls = authority.server()
    tls.set_alpn_protocols(["h2", "http/1.1"])

    async def converse(
        self: Target, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        assert await reader.readexactly(len(PREFACE)) == PREFACE
        writer.write(_frame(SETTINGS, 0, 0))
        while True:
            length, kind, stream = await _next_frame(reader)
            await reader.readexactly(length)
            if kind == HEADERS:
                self.received.append(stream)
                # END_STREAM and END_HEADERS, and 0x88, which is ":status: 200" in HPACK.
                writer.write(_frame(HEADERS, 0x5, stream, b"\x88"))

    async def steps() -> tuple[Outcome, list[str | None], list[object]]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Target, "_converse", converse)
            async with target(tls=tls) as server, dispatcher(ca_file=authority.file) as opened:
                await opened.dispatch(a_request(server.url()))
                outcome = await opened.dispatch(a_request(server.url()))
                return outcome, server.protocols, server.received

    outcome, protocols, streams = run(steps())

    assert outcome.succeeded
    assert outcome.message.startswith("Http Action - Response from host '127.0.0.1': 'OK'")
    assert protocols == ["h2"]
    assert streams == [1, 3]


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    head = len(payload).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4)
    return head + payload


async def _next_frame(reader: asyncio.StreamReader) -> tuple[int, int, int]:
    head = await reader.readexactly(9)
    return int.from_bytes(head[:3]), head[3], int.from_bytes(head[5:])
