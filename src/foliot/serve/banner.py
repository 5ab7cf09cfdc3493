"""The start-up text of a server: where it listens, where its data is, how to sign in."""

import os
from importlib import metadata

from foliot.core.model.token import FROM_ENVIRONMENT, STRONG_LENGTH
from foliot.core.secret import Secret
from foliot.serve.address_file import local_url
from foliot.serve.first_token import SignIn
from foliot.serve.server_tls import ServerTls
from foliot.serve.settings import NoTls, PostgresAddress, Settings


def banner(
    settings: Settings,
    port: int,
    sign_in: SignIn,
    tls: ServerTls,
    code: Secret | None = None,
) -> str:
    """Return the start-up text; with a code, a link that signs in once."""
    lines = [
        f"Foliot {metadata.version('foliot')} listens on {_address(settings, port)}",
        f"Data: {settings.data_dir.resolve()} (database {_database(settings)})",
        *_certificate(tls),
        *(["Jobs are run but the API is elsewhere (--no-api)"] if settings.no_api else []),
        *(["Jobs are kept but not run here (--no-engine)"] if settings.no_engine else []),
        *([] if settings.no_api else [f"Portal: {_portal(settings, port, code)}"]),
        *_root(os.geteuid()),
        *_older_tokens(sign_in),
        f"Sign in: {_how(settings, sign_in)}",
    ]
    return "\n".join(lines)


def _database(settings: Settings) -> str:
    kept = settings.database
    return kept.shown if isinstance(kept, PostgresAddress) else str(kept.resolve())


def _address(settings: Settings, port: int) -> str:
    own = _own(settings, port)
    return own if settings.public_url is None else f"{own}, known as {settings.public_url}"


def _own(settings: Settings, port: int) -> str:
    scheme = "http" if isinstance(settings.tls, NoTls) else "https"
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{scheme}://{host}:{port}"


def _portal(settings: Settings, port: int, code: Secret | None) -> str:
    # Not every browser opens 0.0.0.0.
    own = f"{local_url(settings, port)}/"
    return own if code is None else f"{own}sign-in?code={code.reveal()} (good once)"


def _certificate(tls: ServerTls) -> list[str]:
    if tls.warning is not None:
        return [f"TLS: {tls.warning}"]
    if tls.authority is None:
        return []
    return [f"TLS: clients must trust the authority in {tls.authority.resolve()}"]


def _how(settings: Settings, sign_in: SignIn) -> str:
    if settings.no_auth:
        return "not needed; every program on this machine is Owner (--no-auth)"
    if settings.admin_token is not None:
        weak = len(settings.admin_token.reveal()) < STRONG_LENGTH
        warning = f"; it is short, use {STRONG_LENGTH} characters or more" if weak else ""
        return f"Authorization: Bearer <the value of {FROM_ENVIRONMENT}>{warning}"
    if sign_in.file is None:
        return "Authorization: Bearer <a token>; `foliot token create` makes one"
    if sign_in.made is None:
        return f"Authorization: Bearer <the token in {sign_in.file.resolve()}>, or another one"
    return (
        f"Authorization: Bearer {sign_in.made.reveal()}\n"
        f"This Owner token is shown once and kept in {sign_in.file.resolve()}"
    )


def _root(user: int) -> list[str]:
    """Warn of a server that runs as root."""
    if user != 0:
        return []
    return ["Runs as root: whoever breaks in owns the machine; give it a user of its own"]


def _older_tokens(sign_in: SignIn) -> list[str]:
    """List the tokens of other values of the variable, which are still valid."""
    return [
        f"Still good: token {number}, another value of {FROM_ENVIRONMENT}; "
        f"`foliot token revoke {number}` removes it"
        for number in sign_in.older
    ]
