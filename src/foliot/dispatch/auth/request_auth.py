"""Adds credentials to requests. Secrets leave this module in headers only."""

from base64 import b64encode
from typing import assert_never
from urllib.parse import unquote

from msgspec.structs import replace

from foliot.core.model.action import (
    BasicAuthentication,
    ClientCertificate,
    HttpAuthentication,
    NoAuthentication,
    OAuth,
)
from foliot.core.secret import Secret
from foliot.dispatch.auth.certificates import Certificates
from foliot.dispatch.auth.oauth import OAuthTokens
from foliot.dispatch.http.history_messages import Failure
from foliot.dispatch.http.outgoing_request import OutgoingRequest, authorization, with_authorization


async def authenticate(
    outgoing: OutgoingRequest,
    given: HttpAuthentication,
    tokens: OAuthTokens,
    certificates: Certificates,
    deadline: float,
) -> OutgoingRequest | Failure:
    """Return a request with the credentials of its job, or why there are none."""
    match given:
        case NoAuthentication():
            return with_user_info(outgoing)
        case BasicAuthentication():
            return _with_password(outgoing, given)
        case ClientCertificate():
            if given.pfx is None:
                return not_set("pfx")
            key = await certificates.opened(given.pfx, given.password, deadline)
            return key if isinstance(key, Failure) else replace(outgoing, client_key=key)
        case OAuth():
            token = await tokens.token(given, deadline)
            return token if isinstance(token, Failure) else _with_bearer(outgoing, token)
        case _:
            assert_never(given)


def with_user_info(outgoing: OutgoingRequest) -> OutgoingRequest:
    """Add the user name and password of the URI, unless the job gives other credentials."""
    if outgoing.target.user_info is None or authorization(outgoing) is not None:
        return outgoing
    username, _, password = unquote(outgoing.target.user_info).partition(":")
    return with_authorization(outgoing, _basic(username, password))


def secrets_in(outgoing: OutgoingRequest, given: HttpAuthentication | None) -> list[str]:
    """List the secrets to remove from what a target sends back."""
    credential = authorization(outgoing)
    shown = [*outgoing.hidden]
    if credential is not None:
        shown += [credential, credential.partition(" ")[2]]
    if outgoing.target.user_info:
        shown += [outgoing.target.user_info, unquote(outgoing.target.user_info).partition(":")[2]]
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
    """Return the failure of an authentication without one of its parts."""
    return Failure("AuthenticationFailure", f"authentication.{name} is not set; send it again.")


def _with_bearer(outgoing: OutgoingRequest, token: Secret) -> OutgoingRequest:
    return with_authorization(outgoing, f"Bearer {token.reveal()}")


def _with_password(
    outgoing: OutgoingRequest, given: BasicAuthentication
) -> OutgoingRequest | Failure:
    if given.password is None:
        return not_set("password")
    return with_authorization(outgoing, _basic(given.username or "", given.password.reveal()))


def _basic(username: str, password: str) -> str:
    pair = f"{username}:{password}".encode(errors="replace")
    return f"Basic {b64encode(pair).decode()}"
