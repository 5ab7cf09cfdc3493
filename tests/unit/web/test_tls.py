import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from foliot.core.errors import CannotStart
from foliot.web.server.tls import CertificateFiles, certify, load_certificate

NOW = datetime(2026, 1, 10, tzinfo=UTC)


def names(files: CertificateFiles) -> set[str]:
    certificate = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    return {str(each.value) for each in extension.value}


def contents(files: CertificateFiles) -> tuple[bytes, bytes]:
    return files.certificate.read_bytes(), files.authority.read_bytes()


def test_a_certificate_names_this_machine_and_is_signed_by_the_authority(tmp_path: Path) -> None:
    files = certify(tmp_path / "tls", ["10.1.1.1", "box", "0.0.0.0", "localhost", "bücher"], NOW)  # noqa: S104

    assert names(files) == {"localhost", "127.0.0.1", "::1", "10.1.1.1", "box"}
    server = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    server.verify_directly_issued_by(x509.load_pem_x509_certificate(files.authority.read_bytes()))
    load_certificate(files.certificate, files.key)


def test_keys_are_readable_by_their_owner_alone(tmp_path: Path) -> None:
    files = certify(tmp_path / "tls", [], NOW)

    modes = {file.stat().st_mode & 0o777 for file in (files.key, tmp_path / "tls" / "ca-key.pem")}
    assert modes == {0o600}


def test_a_client_that_is_strict_accepts_the_pair(tmp_path: Path) -> None:
    now = datetime.now(UTC)  # noqa: TID251  (OpenSSL reads the machine's clock)
    files = certify(tmp_path, [], now)
    client = ssl.create_default_context(cafile=files.authority)
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    shown, seen = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client.wrap_bio(seen, shown, server_hostname="127.0.0.1")
    theirs = load_certificate(files.certificate, files.key).wrap_bio(shown, seen, server_side=True)

    for side in (ours, theirs, ours, theirs):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue

    assert ours.version() == "TLSv1.3"


def test_what_was_made_is_kept(tmp_path: Path) -> None:
    before = contents(certify(tmp_path, ["box"], NOW))

    assert contents(certify(tmp_path, ["box"], NOW + timedelta(days=366))) == before


@pytest.mark.parametrize(
    ("hosts", "later"),
    [(["box"], timedelta(days=367)), (["other"], timedelta())],
    ids=["within 30 days of its end", "another host"],
)
def test_a_certificate_that_will_not_do_is_renewed_by_the_same_authority(
    tmp_path: Path, hosts: list[str], later: timedelta
) -> None:
    certificate, authority = contents(certify(tmp_path, ["box"], NOW))

    renewed = certify(tmp_path, hosts, NOW + later)

    assert contents(renewed) != (certificate, authority)
    assert renewed.authority.read_bytes() == authority
    assert set(hosts) <= names(renewed)


@pytest.mark.parametrize("years", [10, -1], ids=["at its end", "before its beginning"])
def test_an_authority_that_is_not_good_now_is_made_anew(tmp_path: Path, years: int) -> None:
    certificate, authority = contents(certify(tmp_path, [], NOW))

    renewed = contents(certify(tmp_path, [], NOW + years * timedelta(days=365)))

    assert certificate != renewed[0]
    assert authority != renewed[1]


def test_the_last_certificate_of_an_authority_ends_with_it(tmp_path: Path) -> None:
    files = certify(tmp_path, [], NOW + timedelta(0))
    certify(tmp_path, [], NOW + timedelta(days=3600))

    ends = [
        x509.load_pem_x509_certificate(file.read_bytes()).not_valid_after_utc
        for file in (files.certificate, files.authority)
    ]
    assert ends[0] == ends[1]


def written(
    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, password: bytes | None = None
) -> bytes:
    sealing = (
        serialization.BestAvailableEncryption(password)
        if password
        else serialization.NoEncryption()
    )
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    return key.private_bytes(encoding, form, sealing)


def rubbish() -> bytes:
    return b"rubbish"


def rsa_key() -> bytes:
    return written(rsa.generate_private_key(65537, 2048))


def ec_key() -> bytes:
    return written(ec.generate_private_key(ec.SECP256R1()))


def sealed_key() -> bytes:
    return written(ec.generate_private_key(ec.SECP256R1()), b"pw")


@pytest.mark.parametrize(
    "key", [rubbish, rsa_key, ec_key, sealed_key], ids=["no key", "RSA", "another's", "sealed"]
)
def test_files_that_do_not_belong_together_are_made_anew(
    tmp_path: Path, key: Callable[[], bytes]
) -> None:
    files = certify(tmp_path, [], NOW)
    files.key.write_bytes(key())

    again = certify(tmp_path, [], NOW)

    load_certificate(again.certificate, again.key)


def test_a_certificate_of_another_authority_is_made_anew(tmp_path: Path) -> None:
    files, other = certify(tmp_path / "a", [], NOW), certify(tmp_path / "b", [], NOW)
    files.certificate.write_bytes(other.certificate.read_bytes())
    files.key.write_bytes(other.key.read_bytes())

    again = certify(tmp_path / "a", [], NOW)

    assert again.certificate.read_bytes() != other.certificate.read_bytes()


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "tls").write_text("a file")

    with pytest.raises(CannotStart, match=r"cannot keep a certificate in .*/tls: File exists"):
        certify(tmp_path / "tls", [], NOW)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (ec_key, "does not belong to the certificate"),
        (sealed_key, "has a password"),
        (rubbish, "give two PEM files"),
        (None, "cannot read .*given.pem: No such file"),
    ],
    ids=["another key", "a sealed key", "rubbish", "no file"],
)
def test_given_files_that_cannot_be_used_are_named(
    tmp_path: Path, key: Callable[[], bytes] | None, message: str
) -> None:
    files = certify(tmp_path, [], NOW)
    if key is not None:
        (tmp_path / "given.pem").write_bytes(key())

    with pytest.raises(CannotStart, match=message):
        load_certificate(files.certificate, tmp_path / "given.pem")
