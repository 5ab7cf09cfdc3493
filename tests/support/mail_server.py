"""An SMTP server in a thread, which keeps what it is sent."""

import asyncio
import ssl
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from threading import Thread
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword


class Mailbox:
    """Keeps messages, or refuses the recipients that a test names."""

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.recipients: list[str] = []
        self.refused: set[str] = set()
        self.port = 0

    async def handle_RCPT(self, *given: Any) -> str:  # noqa: N802  (the library's name)
        _, _, envelope, to, _ = given
        if to in self.refused:
            return f"550 no such mailbox: {to}"
        envelope.rcpt_tos.append(to)
        return "250 OK"

    async def handle_DATA(self, *given: Any) -> str:  # noqa: N802  (the library's name)
        envelope = given[2]
        message = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        self.messages.append(message)
        self.recipients += envelope.rcpt_tos
        return "250 OK"


@contextmanager
def mail_server(
    *, password: str | None = None, tls: ssl.SSLContext | None = None, at_once: bool = False
) -> Generator[Mailbox]:
    """Run a server on loopback; with a password it wants a sign-in, with TLS it wants STARTTLS.

    `at_once`: TLS begins with the connection.
    """
    mailbox, loop = Mailbox(), asyncio.new_event_loop()

    def authenticate(*given: Any) -> AuthResult:
        data = given[4]
        is_right = isinstance(data, LoginPassword) and data.password == (password or "").encode()
        return AuthResult(success=is_right, handled=False)

    def protocol() -> SMTP:
        with warnings.catch_warnings():
            # The library warns of passwords without STARTTLS, even where TLS began before.
            warnings.simplefilter("ignore")
            return SMTP(
                mailbox,
                loop=loop,
                tls_context=None if at_once else tls,
                require_starttls=tls is not None and not at_once,
                authenticator=None if password is None else authenticate,
                auth_required=password is not None,
                auth_require_tls=tls is not None and not at_once,
            )

    context = tls if at_once else None
    server = loop.run_until_complete(loop.create_server(protocol, "127.0.0.1", 0, ssl=context))
    mailbox.port = server.sockets[0].getsockname()[1]
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield mailbox
    finally:
        asyncio.run_coroutine_threadsafe(_end(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _end(server: asyncio.Server) -> None:
    server.close()
    open_ones = asyncio.all_tasks() - {asyncio.current_task()}
    for task in open_ones:
        task.cancel()
    if open_ones:
        await asyncio.wait(open_ones)
    # Transports close in the next rounds of the loop.
    for _ in range(3):
        await asyncio.sleep(0)
