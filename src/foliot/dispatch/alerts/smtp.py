"""Sends an e-mail through the SMTP server of the settings.

The egress rules do not apply to it: whoever runs the server has named this one host, and no caller
of the API can name another.
"""

import smtplib
import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from email.message import EmailMessage
from email.utils import format_datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from msgspec import Struct

from foliot.core.instant import Instant, moment_of
from foliot.core.secret import Secret
from foliot.dispatch.redaction import without

# For each answer; `Ending` limits all of them together.
_SECONDS = 20.0
_LONGEST_REPLY = 200
_SUBMISSION, _SUBMISSION_TLS, _RELAY = 587, 465, 25


class SmtpSecurity(StrEnum):
    """How the connection to the SMTP server is encrypted."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


_PORTS = {
    SmtpSecurity.STARTTLS: _SUBMISSION,
    SmtpSecurity.TLS: _SUBMISSION_TLS,
    SmtpSecurity.NONE: _RELAY,
}


class SmtpSettings(Struct, frozen=True, kw_only=True):
    """The SMTP server that e-mails go through; without a host none are sent."""

    host: str | None = None
    port: int | None = None
    security: SmtpSecurity = SmtpSecurity.STARTTLS
    user: str | None = None
    password: Secret | None = None
    sender: str | None = None


class Email(Struct, frozen=True, kw_only=True):
    """An e-mail; its id is the same at every try, so that a mail program can tell repeats."""

    id: str
    to: Sequence[str]
    subject: str
    text: str
    sent_at: Instant


class Ending:
    """Lets another thread end a conversation with a server that answers byte by byte."""

    def __init__(self) -> None:
        self.has_ended = False
        self.server: smtplib.SMTP | None = None

    def end(self) -> None:
        """Let the conversation end before its next answer; harmless if it has ended."""
        self.has_ended = True
        connection = None if self.server is None else self.server.sock
        if connection is not None:
            # Closed meanwhile, or replaced by one with TLS: then the next answer is the last.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Smtp(smtplib.SMTP):
    def __init__(self, ending: Ending, *arguments: Any, **options: Any) -> None:
        self._ending = ending
        ending.server = self
        super().__init__(*arguments, **options)

    def getreply(self) -> tuple[int, bytes]:
        if self._ending.has_ended:
            # Nobody else does: the library closes what it has refused itself.
            self.close()
            raise smtplib.SMTPServerDisconnected
        return super().getreply()


class _SmtpOverTls(_Smtp, smtplib.SMTP_SSL):
    """TLS begins with the connection."""


def send_email(
    email: Email,
    settings: SmtpSettings,
    ca_file: Path | None = None,
    ending: Ending | None = None,
) -> str | None:
    """Send an e-mail, in the calling thread; return why it was not sent, without secrets."""
    if settings.host is None or settings.sender is None:
        return "This server sends no e-mail: FOLIOT_SMTP_HOST and FOLIOT_SMTP_FROM are not set."
    try:
        with _connected(settings, settings.host, ca_file, ending or Ending()) as server:
            refused = server.send_message(_message(email, settings.sender))
    except (smtplib.SMTPException, OSError, ValueError) as error:
        return _problem(error, settings)
    # Who was refused is known to the mail server alone, unless nobody was accepted.
    return _refusal(refused, settings) if len(refused) == len(email.to) else None


def _connected(
    settings: SmtpSettings, host: str, ca_file: Path | None, ending: Ending
) -> smtplib.SMTP:
    port = settings.port or _PORTS[settings.security]
    context = ssl.create_default_context(cafile=ca_file)
    if settings.security is SmtpSecurity.TLS:
        server: _Smtp = _SmtpOverTls(ending, host, port, timeout=_SECONDS, context=context)
    else:
        server = _Smtp(ending, host, port, timeout=_SECONDS)
    try:
        if settings.security is SmtpSecurity.STARTTLS:
            server.starttls(context=context)
        if settings.user is not None and settings.password is not None:
            server.login(settings.user, settings.password.reveal())
    except BaseException:
        server.close()
        raise
    return server


def _message(email: Email, sender: str) -> EmailMessage:
    message = EmailMessage()
    message["From"] = sender
    message["To"] = ", ".join(email.to)
    message["Subject"] = email.subject
    # The time of this try: programs sort by it, and mail that seems hours old is taken for spam.
    message["Date"] = format_datetime(moment_of(email.sent_at))
    message["Message-ID"] = f"<{email.id}@foliot>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(email.text)
    return message


def _problem(error: Exception, settings: SmtpSettings) -> str:
    server = f"The SMTP server {settings.host}"
    match error:
        case smtplib.SMTPRecipientsRefused(recipients=refused):
            return _refusal(refused, settings)
        case smtplib.SMTPResponseException(smtp_code=code, smtp_error=reply) if code > 0:
            return _reply(code, reply, settings)
        case smtplib.SMTPException() | ssl.SSLError():
            return f"{server} {_failure(error)}."
        case OSError():
            return f"{server} cannot be reached: {error.strerror or type(error).__name__}."
        case _:
            return "The message has an address that is not valid in an e-mail."


def _failure(error: smtplib.SMTPException | ssl.SSLError) -> str:
    match error:
        case ssl.SSLCertVerificationError(verify_message=said):
            return f"has a certificate that is not accepted ({said.rstrip('.')})"
        case ssl.SSLError():
            return "does not begin TLS; check its port and FOLIOT_SMTP_SECURITY"
        case smtplib.SMTPNotSupportedError():
            # The library's own words: STARTTLS, or AUTH, which many servers offer after TLS alone.
            return f"lacks what is needed ({str(error).rstrip('.')}); check FOLIOT_SMTP_SECURITY"
        case smtplib.SMTPServerDisconnected():
            return "closed the connection or was silent; check its port and FOLIOT_SMTP_SECURITY"
        case smtplib.SMTPResponseException():
            return "does not answer as an SMTP server does; check its port"
        case _:
            return f"did not take the message: {_name(error)}"


def _refusal(refused: dict[str, tuple[int, bytes]], settings: SmtpSettings) -> str:
    code, reply = next(iter(refused.values()))
    return _reply(code, reply, settings)


def _reply(code: int, reply: bytes | str, settings: SmtpSettings) -> str:
    text = reply.decode(errors="replace") if isinstance(reply, bytes) else reply
    shown = " ".join(without(_secrets(settings), text).split())[:_LONGEST_REPLY]
    return f"The SMTP server {settings.host} answered {code}: {shown}"


def _secrets(settings: SmtpSettings) -> list[str]:
    if settings.password is None:
        return []
    password = settings.password.reveal()
    # AUTH PLAIN sends the second, in base64, and some servers quote what they do not understand.
    return [password, f"\0{settings.user}\0{password}"]


def _name(error: Exception) -> str:
    return type(error).__name__.removeprefix("SMTP")
