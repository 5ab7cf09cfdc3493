import pytest
from cryptography.x509 import Name, NameAttribute, NameOID, ObjectIdentifier
from cryptography.x509 import RelativeDistinguishedName as Part
from cryptography.x509.name import _ASN1Type

from foliot.api.wire.pfx.subject_name import subject_text

CN, ORG, OU = NameOID.COMMON_NAME, NameOID.ORGANIZATION_NAME, NameOID.ORGANIZATIONAL_UNIT_NAME
S, C = NameOID.STATE_OR_PROVINCE_NAME, NameOID.COUNTRY_NAME


def name(*attributes: tuple[ObjectIdentifier, str]) -> Name:
    return Name([NameAttribute(oid, value) for oid, value in attributes])


# A certificate has its names from the least specific one on.
SUBJECTS: dict[str, tuple[Name, str]] = {
    "nothing": (Name([]), ""),
    "one name": (name((CN, "a")), "CN=a"),
    "the most specific first": (
        name((C, "US"), (S, "c"), (OU, "b"), (CN, "a")),
        "CN=a, OU=b, S=c, C=US",
    ),
    "two of a kind": (name((OU, "outer"), (OU, "inner")), "OU=inner, OU=outer"),
    "keys of Windows": (
        name(
            (NameOID.DOMAIN_COMPONENT, "com"),
            (NameOID.LOCALITY_NAME, "l"),
            (NameOID.STREET_ADDRESS, "s"),
            (NameOID.POSTAL_CODE, "p"),
            (NameOID.TITLE, "t"),
            (NameOID.GIVEN_NAME, "g"),
            (NameOID.INITIALS, "i"),
            (NameOID.SURNAME, "sn"),
            (NameOID.SERIAL_NUMBER, "n"),
            (NameOID.DN_QUALIFIER, "q"),
            (ORG, "o"),
            (NameOID.EMAIL_ADDRESS, "e@example.com"),
        ),
        "E=e@example.com, O=o, dnQualifier=q, SERIALNUMBER=n, SN=sn, I=i, G=g, T=t, "
        "PostalCode=p, STREET=s, L=l, DC=com",
    ),
    "a type without a key": (
        name((ObjectIdentifier("1.2.3"), "x"), (CN, "a")),
        "CN=a, OID.1.2.3=x",
    ),
    "a comma": (name((ORG, "Acme, Inc."), (CN, "a")), 'CN=a, O="Acme, Inc."'),
    "apostrophes stay": (name((CN, "O'Brien")), "CN=O'Brien"),
    "quotes are doubled": (name((CN, 'a "b" c')), 'CN="a ""b"" c"'),
    "a leading space": (name((CN, " a")), 'CN=" a"'),
    "a trailing space": (name((CN, "a ")), 'CN="a "'),
    "spaces inside": (name((CN, "a  b")), "CN=a  b"),
    "a line feed": (name((CN, "a\nb")), 'CN="a\nb"'),
    "a carriage return inside": (name((CN, "a\rb")), "CN=a\rb"),
    "a backslash": (name((CN, "a\\b")), "CN=a\\b"),
    "letters of other languages": (name((CN, "Žofie 🐎")), "CN=Žofie 🐎"),
    "several attributes in one part": (
        Name(
            [
                Part([NameAttribute(ORG, "o")]),
                Part([NameAttribute(CN, "a"), NameAttribute(OU, "b, c")]),
            ]
        ),
        'CN=a + OU="b, c", O=o',
    ),
    **{
        f"quoted for {sign}": (name((CN, f"a{sign}b")), f'CN="a{sign}b"')
        for sign in ("+", "=", "<", ">", "#", ";")
    },
}


@pytest.mark.parametrize(("subject", "text"), SUBJECTS.values(), ids=SUBJECTS.keys())
def test_a_subject_is_written_as_dot_net_does(subject: Name, text: str) -> None:
    assert subject_text(subject) == text


def test_bytes_are_written_as_hexadecimal_digits() -> None:
    part = NameAttribute(NameOID.X500_UNIQUE_IDENTIFIER, b"\x0a\xff", _type=_ASN1Type.BitString)

    assert subject_text(Name([part])) == "OID.2.5.4.45=#0AFF"
