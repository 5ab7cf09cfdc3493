"""How requests prove who sends them. Secrets come in sealed values and leave in headers alone."""

import binascii
from base64 import b64decode, b64encode
from typing import assert_never
from urllib.parse import unquote

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.hazmat.primitives.serialization.pkcs12 import (
    PKCS12KeyAndCertificates,
    load_pkcs12,
)
from msgspec.structs import replace

from foliot.core.model import (
    BasicAuthentication,
    ClientCertificate,
    HttpAuthentication,
    NoAuthentication,
    OAuth,
)
from foliot.core.secret import Secret
from foliot.dispatch.hop import ClientKey, Hop, authorization, with_authorization
from foliot.dispatch.messages import Failure
from foliot.dispatch.oauth import OAuthTokens


async def authenticate(
    hop: Hop, given: HttpAuthentication, tokens: OAuthTokens, deadline: float
) -> Hop | Failure:
    """Add to a request what its target asks for."""
    match given:
        case NoAuthentication():
            return with_user_info(hop)
        case BasicAuthentication():
            return _with_password(hop, given)
        case ClientCertificate():
            return _with_certificate(hop, given)
        case OAuth():
            token = await tokens.token(given, deadline)
            return token if isinstance(token, Failure) else _with_bearer(hop, token)
        case _:
            assert_never(given)


def with_user_info(hop: Hop) -> Hop:
    """Add user name and password of the URI, if there are any and the job says nothing else."""
    if hop.target.user_info is None or authorization(hop) is not None:
        return hop
    username, _, password = unquote(hop.target.user_info).partition(":")
    return with_authorization(hop, _basic(username, password))


def secrets_in(hop: Hop, given: HttpAuthentication | None) -> list[str]:
    """List what must not be seen in a message even if a target sends it back."""
    credential = authorization(hop)
    shown = [*hop.hidden]
    if credential is not None:
        shown += [credential, credential.partition(" ")[2]]
    if hop.target.user_info:
        shown += [hop.target.user_info, unquote(hop.target.user_info).partition(":")[2]]
    match given:
        case BasicAuthentication():
            secrets = [given.password]
        case ClientCertificate():
            secrets = [given.pfx, given.password]
        case OAuth():
            secrets = [given.secret]
        case _:
            secrets = []
    return shown + [secret.reveal() for secret in secrets if secret is not None]


def not_set(name: str) -> Failure:
    """Say which part of an authentication is missing."""
    return Failure("AuthenticationFailure", f"authentication.{name} is not set; send it again.")


def _with_bearer(hop: Hop, token: Secret) -> Hop:
    return with_authorization(hop, f"Bearer {token.reveal()}")


def _with_password(hop: Hop, given: BasicAuthentication) -> Hop | Failure:
    if given.password is None:
        return not_set("password")
    return with_authorization(hop, _basic(given.username or "", given.password.reveal()))


def _basic(username: str, password: str) -> str:
    pair = f"{username}:{password}".encode(errors="replace")
    return f"Basic {b64encode(pair).decode()}"


def _with_certificate(hop: Hop, given: ClientCertificate) -> Hop | Failure:
    if given.pfx is None:
        return not_set("pfx")
    opened = _opened(given.pfx, given.password)
    if opened is None:
        text = "authentication.pfx cannot be opened: the file is broken or its password is wrong."
        return Failure("AuthenticationFailure", text)
    return replace(hop, client_key=opened)


def _opened(pfx: Secret, password: Secret | None) -> ClientKey | None:
    try:
        content = b64decode("".join(pfx.reveal().split()), validate=True)
        file = load_pkcs12(content, password.reveal().encode() if password else None)
    except (binascii.Error, ValueError, UnsupportedAlgorithm):
        return None
    return _pem(file)


def _pem(file: PKCS12KeyAndCertificates) -> ClientKey | None:
    """Unpack for libcurl, in memory: its own reader of PFX files knows no old ciphers."""
    if file.cert is None or file.key is None:
        return None
    chain = [file.cert, *file.additional_certs]
    certificate = b"".join(each.certificate.public_bytes(Encoding.PEM) for each in chain)
    key = file.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return ClientKey(certificate, Secret(key.decode()))
