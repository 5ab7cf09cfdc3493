"""Client certificates are opened in another process, and once."""

import asyncio
import io
from base64 import b64encode

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import PrivateFormat
from cryptography.hazmat.primitives.serialization.pkcs12 import PBES, serialize_key_and_certificates

from foliot.core.secret import Secret
from foliot.dispatch.auth import certificates as module
from foliot.dispatch.auth.certificates import Certificates
from foliot.dispatch.auth.open_certificate import main, open_pfx, read_reply, write_request
from foliot.dispatch.http.history_messages import TIMEOUT, Failure
from foliot.dispatch.http.outgoing_request import ClientKey
from tests.support.dispatch_harness import run
from tests.support.tls_authority import PASSWORD, Authority


def a_key_without_certificate(rounds: int) -> str:
    encryption = (
        PrivateFormat.PKCS12.encryption_builder()
        .kdf_rounds(rounds)
        .key_cert_algorithm(PBES.PBESv2SHA256AndAES256CBC)
        .hmac_hash(hashes.SHA256())
        .build(b"x")
    )
    key = ec.generate_private_key(ec.SECP256R1())
    return b64encode(serialize_key_and_certificates(b"n", key, None, None, encryption)).decode()


def soon() -> float:
    return asyncio.get_running_loop().time() + 60


def test_concurrent_requests_open_a_certificate_once(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    pfx, password = Secret(authority.issue("client").pfx()), Secret(PASSWORD)

    async def steps() -> None:
        kept = Certificates()
        first, second = await asyncio.gather(
            *(kept.opened(pfx, password, soon()) for _ in range(2))
        )
        monkeypatch.setattr(module, "_COMMAND", ("/does/not/exist",))

        assert isinstance(first, ClientKey)
        assert first is second
        assert await kept.opened(pfx, password, soon()) is first
        with pytest.raises(FileNotFoundError):
            await kept.opened(pfx, Secret("another"), soon())
        assert all(PASSWORD.encode() not in name for name in kept._cached)  # noqa: SLF001

    run(steps())


def test_the_cache_of_certificates_is_limited(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MAX_CACHED", 1)

    async def steps() -> None:
        kept = Certificates()
        await kept.opened(Secret(authority.issue("one").pfx()), Secret(PASSWORD), soon())
        await kept.opened(Secret("bm90IGEgZmlsZQ=="), None, soon())

        assert len(kept._cached) == 1  # noqa: SLF001

    run(steps())


def test_a_file_that_takes_too_long_is_given_up_without_blocking_others() -> None:
    pfx = Secret(a_key_without_certificate(100_000))

    async def steps() -> None:
        costly = Certificates(seconds=0)
        assert await costly.opened(pfx, Secret("x"), 0) == TIMEOUT
        found = await costly.opened(pfx, Secret("x"), soon())
        assert isinstance(found, Failure)
        assert "takes too long to open" in found.text

        closing = Certificates()
        assert await closing.opened(pfx, Secret("x"), 0) == TIMEOUT
        await closing.close()

    run(steps())


def test_a_crash_of_the_process_counts_as_a_broken_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_COMMAND", ("/bin/true",))

    async def steps() -> None:
        certificates = Certificates()
        found = await certificates.opened(Secret("x"), None, soon())
        assert isinstance(found, Failure)
        assert "cannot be opened" in found.text
        # It may have been killed for want of memory: the next attempt opens the file again.
        assert certificates._cached == {}  # noqa: SLF001

    run(steps())


def test_the_program_replies_to_a_request(authority: Authority) -> None:
    told = io.BytesIO()
    main(io.BytesIO(write_request((authority.issue("client").pfx(), PASSWORD))), told)

    reply = read_reply(told.getvalue())
    assert reply is not None
    assert reply[0].startswith(b"-----BEGIN CERTIFICATE-----")
    assert reply[1].startswith(b"-----BEGIN PRIVATE KEY-----")


@pytest.mark.parametrize(
    ("pfx", "password"),
    [("!", None), ("bm90IGEgZmlsZQ==", "x"), (a_key_without_certificate(1000), "x")],
    ids=["not base64", "not a file", "without a certificate"],
)
def test_a_file_without_a_certificate_and_its_key_is_refused(
    pfx: str, password: str | None
) -> None:
    assert open_pfx(pfx, password) is None
