"""The subject of a certificate as text, as .NET's X500DistinguishedName.Name writes it.

The most specific part comes first. Keys are those of Windows (`S` is the state), and any other type
is `OID.` and its number. The rules are those of dotnet/runtime, X500NameEncoder, and CertNameToStr.
"""

from typing import Any

from cryptography.x509 import Name, NameAttribute, RelativeDistinguishedName
from cryptography.x509.oid import NameOID

# https://learn.microsoft.com/windows/win32/seccertenroll/creating-a-subject-name
_KEYS = {
    NameOID.COMMON_NAME: "CN",
    NameOID.SURNAME: "SN",
    NameOID.SERIAL_NUMBER: "SERIALNUMBER",
    NameOID.COUNTRY_NAME: "C",
    NameOID.LOCALITY_NAME: "L",
    NameOID.STATE_OR_PROVINCE_NAME: "S",
    NameOID.STREET_ADDRESS: "STREET",
    NameOID.ORGANIZATION_NAME: "O",
    NameOID.ORGANIZATIONAL_UNIT_NAME: "OU",
    NameOID.TITLE: "T",
    NameOID.POSTAL_CODE: "PostalCode",
    NameOID.GIVEN_NAME: "G",
    NameOID.INITIALS: "I",
    NameOID.DN_QUALIFIER: "dnQualifier",
    NameOID.DOMAIN_COMPONENT: "DC",
    NameOID.EMAIL_ADDRESS: "E",
}
# Not \r: it is quoted at the ends only.
_QUOTED_ANYWHERE = frozenset(',+="\n<>#;')
_QUOTED_AT_THE_ENDS = frozenset(" \t\n\v\f\r")


def subject_text(name: Name) -> str:
    """Return a name as text; one without parts is empty."""
    return ", ".join(map(_part, reversed(name.rdns)))


def _part(part: RelativeDistinguishedName) -> str:
    return " + ".join(map(_attribute, part))


def _attribute(attribute: NameAttribute[Any]) -> str:
    key = _KEYS.get(attribute.oid) or f"OID.{attribute.oid.dotted_string}"
    return f"{key}={_value(attribute.value)}"


def _value(value: str | bytes) -> str:
    if isinstance(value, bytes):
        return f"#{value.hex().upper()}"
    ends = {value[:1], value[-1:]}
    if value and not _QUOTED_ANYWHERE & set(value) and not _QUOTED_AT_THE_ENDS & ends:
        return value
    doubled = value.replace('"', '""')
    return f'"{doubled}"'
