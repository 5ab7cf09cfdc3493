"""Adds credentials to requests. Secrets leave this module in headers only."""

from base64 import b64encode
from collections.abc import Callable
from typing import assert_never
from urllib.parse import unquote

from msgspec.structs import replace

from foliot.core.instant import Instant
from foliot.core.model.action import (
    BasicAuthentication,
    ClientCertificate,
    HttpAuthentication,
    NoAuthentication,
    OAuth,
    StandardWebhooks,
)
from foliot.core.secret import Secret
from foliot.dispatch.auth.certificates import Certificates
from foliot.dispatch.auth.oauth import OAuthTokens
from foliot.dispatch.auth.webhook_signature import with_signature
from foliot.dispatch.http.client import Send
from foliot.dispatch.http.history_messages import Failure, secret_missing
from foliot.dispatch.http.outgoing_request import OutgoingRequest, authorization, with_authorization


class RequestAuthenticator:
    """Adds credentials, and keeps tokens and certificates between requests, in one event loop."""

    def __init__(self, send: Send, login_url: str, now: Callable[[], Instant]) -> None:
        self._now = now
        self._tokens = OAuthTokens(send, login_url, now)
        self._certificates = Certificates()

    async def authenticate(
        self, outgoing: OutgoingRequest, given: HttpAuthentication, *, tag: str, deadline: float
    ) -> OutgoingRequest | Failure:
        """Return a request with the credentials of its job, or why there are none."""
        match given:
            case NoAuthentication():
                return with_user_info(outgoing)
            case BasicAuthentication():
                return _with_password(outgoing, given)
            case ClientCertificate():
                return await self._with_certificate(outgoing, given, deadline)
            case OAuth():
                token = await self._tokens.token(given, deadline)
                return token if isinstance(token, Failure) else _with_bearer(outgoing, token)
            case StandardWebhooks():
                return self._with_signature(with_user_info(outgoing), given, tag)
            case _:
                assert_never(given)

    def forget(self, given: HttpAuthentication | None) -> None:
        """Drop a token that a target does not accept."""
        if isinstance(given, OAuth):
            self._tokens.forget(given)

    async def close(self) -> None:
        """Wait for open requests, and stop opening certificates."""
        await self._tokens.close()
        await self._certificates.close()

    async def _with_certificate(
        self, outgoing: OutgoingRequest, given: ClientCertificate, deadline: float
    ) -> OutgoingRequest | Failure:
        if given.pfx is None:
            return secret_missing("authentication.pfx")
        key = await self._certificates.opened(given.pfx, given.password, deadline)
        return key if isinstance(key, Failure) else replace(outgoing, client_key=key)

    def _with_signature(
        self, outgoing: OutgoingRequest, given: StandardWebhooks, tag: str
    ) -> OutgoingRequest | Failure:
        if given.secret is None:
            return secret_missing("authentication.secret")
        return with_signature(outgoing, given.secret, tag=tag, now=self._now())


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
        case None:
            return shown
        case BasicAuthentication():
            secrets = [given.password]
        case ClientCertificate():
            secrets = [given.pfx, given.password]
        case OAuth():
            secrets = [given.secret]
        case StandardWebhooks():
            secrets = [given.secret]
            # A receiver may know a secret without its prefix.
            written = given.secret.reveal().split() if given.secret else []
            shown += [part for each in written for part in (each, each.partition("_")[2])]
        case _:
            secrets = []
    return shown + [secret.reveal() for secret in secrets if secret is not None]


def _with_bearer(outgoing: OutgoingRequest, token: Secret) -> OutgoingRequest:
    return with_authorization(outgoing, f"Bearer {token.reveal()}")


def _with_password(
    outgoing: OutgoingRequest, given: BasicAuthentication
) -> OutgoingRequest | Failure:
    if given.password is None:
        return secret_missing("authentication.password")
    return with_authorization(outgoing, _basic(given.username or "", given.password.reveal()))


def _basic(username: str, password: str) -> str:
    pair = f"{username}:{password}".encode(errors="replace")
    return f"Basic {b64encode(pair).decode()}"
