"""A local certificate authority, and the server certificates it signs."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from msgspec import Struct

_AUTHORITY_LIFE = timedelta(days=3650)
# Some clients refuse a server certificate that lives longer.
_SERVER_LIFE = timedelta(days=397)
_RENEW_BEFORE = timedelta(days=30)
# The clock of a client may be behind.
_BACKDATED = timedelta(hours=1)


class CertifiedKey(Struct, frozen=True):
    """A certificate and its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


def make_authority(now: datetime) -> CertifiedKey:
    """Make a self-signed authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name(f"Foliot local CA {key.public_key().public_numbers().x % 16**8:08x}")
    builder = (
        _certificate(name, name, key, now, _AUTHORITY_LIFE)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
    )
    return CertifiedKey(builder.sign(key, hashes.SHA256()), key)


def make_server(authority: CertifiedKey, hosts: Sequence[str], now: datetime) -> CertifiedKey:
    """Make a certificate for a server under these names and addresses."""
    key = ec.generate_private_key(ec.SECP256R1())
    issuer = authority.certificate
    life = min(_SERVER_LIFE, issuer.not_valid_after_utc - now)
    signed_by = issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    builder = (
        _certificate(_name("Foliot"), issuer.subject, key, now, life)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(_alternative_names(hosts), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(signed_by),
            critical=False,
        )
    )
    return CertifiedKey(builder.sign(authority.key, hashes.SHA256()), key)


def is_fresh(certificate: x509.Certificate, now: datetime) -> bool:
    """Tell whether a certificate is valid now and for some weeks to come."""
    begun = certificate.not_valid_before_utc <= now
    return begun and certificate.not_valid_after_utc - now > _RENEW_BEFORE


def is_good_for(server: CertifiedKey, authority: CertifiedKey, hosts: Sequence[str]) -> bool:
    """Tell whether a server's certificate is this authority's and has all these names."""
    try:
        server.certificate.verify_directly_issued_by(authority.certificate)
        names = server.certificate.extensions.get_extension_for_class(
            x509.SubjectAlternativeName
        ).value
    except Exception:  # noqa: BLE001  (whatever is wrong, a new certificate is made)
        return False
    return set(_alternative_names(hosts)) <= set(names)


def names_not_covered(certificate: x509.Certificate, hosts: Sequence[str]) -> list[str]:
    """Return the hosts for which a client would refuse a certificate."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return list(hosts)
    covered = {str(each.value).lower() for each in names}
    return [host for host in hosts if not covered & {host.lower(), _wildcard(host.lower())}]


def _wildcard(host: str) -> str:
    return f"*.{host.partition('.')[2]}"


def certificate_text(certificate: x509.Certificate) -> bytes:
    """Write a certificate as a PEM file."""
    return certificate.public_bytes(serialization.Encoding.PEM)


def key_text(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Write a key as a PEM file."""
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def read_identity(certificate: bytes, key: bytes) -> CertifiedKey:
    """Read the two files; ValueError if they are not a certificate and its key."""
    read, private = (
        x509.load_pem_x509_certificate(certificate),
        serialization.load_pem_private_key(key, None),
    )
    if not isinstance(private, ec.EllipticCurvePrivateKey):
        raise ValueError("not a key that Foliot made")  # noqa: TRY004  (a file's content, not a type)
    if read.public_key() != private.public_key():
        raise ValueError("the key belongs to another certificate")
    return CertifiedKey(read, private)


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    now: datetime,
    life: timedelta,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _BACKDATED)
        .not_valid_after(now + life)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _alternative_names(hosts: Sequence[str]) -> x509.SubjectAlternativeName:
    return x509.SubjectAlternativeName([_alternative_name(host) for host in hosts])


def _alternative_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)
