"""Messages of alerts, sent to a real HTTP server and a real SMTP server."""

import asyncio
import gc
import json
import socket
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from socketserver import StreamRequestHandler, TCPServer
from threading import Thread
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from foliot.core.ids import CollectionId
from foliot.core.instant import HOUR, Instant
from foliot.core.model.alert import (
    AlertDestination,
    EmailDestination,
    SlackDestination,
    WebhookDestination,
)
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.notification import AlertMessage, Delivery, NotificationKind
from foliot.core.rules.alerts.fair_sending import EMAILS_AT_A_TIME
from foliot.core.rules.alerts.messages import message_of_test
from foliot.core.secret import Secret
from foliot.dispatch.alerts import sender as sender_module
from foliot.dispatch.alerts.sender import DispatchedAlertSender
from foliot.dispatch.alerts.smtp import Email, Ending, SmtpSecurity, SmtpSettings, send_email
from foliot.dispatch.egress.parse_rules import parse_egress
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.attempt import HttpDispatcher
from foliot.ports import clock
from tests.contract.dispatch.target import Received, answer, target
from tests.support.alerts import KEY, a_message, an_alert
from tests.support.builders import NOW
from tests.support.dispatch_harness import run
from tests.support.mail_server import mail_server
from tests.support.tls_authority import Authority

SECRET = f"whsec_{b64encode(bytes(range(24))).decode()}"
PASSWORD = "correct horse battery"  # noqa: S105  (a test's)
PUBLIC = "https://jobs.example.com"
ID = "msg_0123456789abcdef"


async def deliver(
    destination: AlertDestination,
    message: AlertMessage | None = None,
    smtp: SmtpSettings | None = None,
    **options: Any,
) -> Delivery:
    egress, now = options.pop("egress", EgressRules()), options.pop("now", clock.now)
    dispatcher = HttpDispatcher(egress, clock.now)
    sender = DispatchedAlertSender(dispatcher, smtp or SmtpSettings(), now, **options)
    try:
        return await sender.send(destination, message or a_message(), ID)
    finally:
        await dispatcher.close()


def posted(
    make: Any, routes: Any = None, message: AlertMessage | None = None, **options: Any
) -> tuple[list[Received], Delivery]:
    async def steps() -> tuple[list[Received], Delivery]:
        async with target(routes) as server:
            delivery = await deliver(make(server.url("/in/T0/B1/x9y8z7")), message, **options)
            return server.received, delivery

    return run(steps())


def webhook(secret: str | None) -> Any:
    return lambda uri: WebhookDestination(
        uri=uri, secret=None if secret is None else Secret(secret)
    )


def slack(uri: str) -> SlackDestination:
    return SlackDestination(uri=Secret(uri))


def test_a_webhook_is_signed_and_its_id_is_that_of_the_message() -> None:
    (received,), delivery = posted(webhook(SECRET), public_url=PUBLIC)

    headers = {name.lower(): value for name, value in received.headers}
    body = Webhook(SECRET).verify(received.body, headers)
    assert delivery == Delivery()
    assert headers["webhook-id"] == ID
    assert received.method == "POST"
    assert headers["content-type"] == "application/json"
    page = f"{PUBLIC}/collections/s/g/c"
    assert body == {
        "type": "alert.raised",
        "timestamp": "2026-01-10T00:00:00Z",
        "data": {
            "alert": "on-call",
            "collection": {"subscription": "s", "resourceGroup": "g", "name": "c"},
            "job": "nightly",
            "event": "failed",
            "sentence": "Job 'nightly' failed.",
            "facts": {"failedInARow": 1, "reason": "Timeout"},
            "links": {"collection": page, "job": f"{page}/jobs/nightly"},
        },
    }


def test_a_signature_of_another_secret_is_not_verified() -> None:
    (received,), _ = posted(webhook(SECRET))
    headers = {name.lower(): value for name, value in received.headers}

    with pytest.raises(WebhookVerificationError):
        Webhook(f"whsec_{b64encode(b'o' * 24).decode()}").verify(received.body, headers)


def test_a_webhook_without_a_secret_has_the_id_and_no_signature() -> None:
    (received,), _ = posted(webhook(None))

    assert received.header("webhook-id") == ID
    assert received.header("webhook-signature") is None
    assert "links" in json.loads(received.body)["data"]


def test_slack_gets_text_and_blocks_with_its_special_characters_escaped() -> None:
    message = a_message(sentence="Job 'a<b>&c' failed.", kind=NotificationKind.RESOLVED)

    (received,), delivery = posted(slack, message=message, public_url=PUBLIC)

    body = json.loads(received.body)
    assert delivery.error is None
    assert body["text"] == "Resolved: Job 'a&lt;b&gt;&amp;c' failed."
    section, context = body["blocks"]
    assert section["text"]["text"] == "*Resolved*: Job 'a&lt;b&gt;&amp;c' failed."
    assert f"<{PUBLIC}/collections/s/g/c/jobs/nightly|job>" in context["elements"][0]["text"]


def test_an_answer_that_is_no_success_is_an_error_without_the_address() -> None:
    echo = answer("503 Busy", b"no: /in/T0/B1/x9y8z7", Retry_After="120")

    _, delivery = posted(slack, {"/in/T0/B1/x9y8z7": echo})

    assert delivery.error is not None
    assert delivery.error.endswith("answered 503.")
    assert "x9y8z7" not in delivery.error
    assert delivery.retry_after == 120 * 10_000_000


def test_the_egress_rules_of_actions_apply() -> None:
    received, delivery = posted(webhook(SECRET), egress=parse_egress(None, "127.0.0.0/8", None))

    assert received == []
    assert delivery.error is not None
    assert "EgressDenied" in delivery.error or "not allowed" in delivery.error
    # The words of the history of jobs: this is no action.
    assert "Action" not in delivery.error


def test_a_reason_on_our_side_is_no_failure_of_the_destination() -> None:
    class Broken:
        def __init__(self, result: NotSent | Exception) -> None:
            self._result = result

        async def dispatch(self, _: AttemptRequest) -> Outcome | NotSent:
            if isinstance(self._result, Exception):
                raise self._result
            return self._result

        async def close(self) -> None:
            """Hold nothing."""

    async def send(result: NotSent | Exception) -> Delivery:
        sender = DispatchedAlertSender(Broken(result), SmtpSettings(), clock.now)
        return await sender.send(webhook(None)("http://example.com/"), a_message(), ID)

    ours = run(send(NotSent("no descriptors")))
    broken = run(send(RuntimeError("secret text")))

    assert (ours.is_ours, ours.error) == (True, "Nothing was sent: no descriptors.")
    assert broken.error is not None
    assert "secret text" not in broken.error


TO = ("ops@example.com", "boss@example.com")


def smtp(port: int, **fields: Any) -> SmtpSettings:
    given = {"host": "127.0.0.1", "sender": "foliot@example.com", "security": SmtpSecurity.NONE}
    return SmtpSettings(port=port, **{**given, **fields})


def mailed(settings: SmtpSettings, message: AlertMessage | None = None, **options: Any) -> Delivery:
    return run(deliver(EmailDestination(to=TO), message, settings, **options))


def test_an_email_has_the_sentence_and_the_id_of_the_message() -> None:
    message = a_message(sentence="Job 'nächtlich' failed.", job="two\r\nBcc: x@example.com")

    with mail_server() as mailbox:
        delivery = mailed(smtp(mailbox.port), message, public_url=PUBLIC)

    (received,) = mailbox.messages
    text = received.get_content()
    assert delivery == Delivery()
    assert mailbox.recipients == list(TO)
    assert received["Message-ID"] == f"<{ID}@foliot>"
    assert received["From"] == "foliot@example.com"
    assert received["Subject"] == "[Foliot] Alert: two Bcc: x@example.com failed (c)"
    assert text.startswith("Job 'nächtlich' failed.")
    assert "reason: Timeout" in text
    assert "Collection: s/g/c" in text


def test_an_email_has_the_date_of_its_try_and_not_of_what_it_tells() -> None:
    hours_later = Instant(NOW + 9 * HOUR)

    with mail_server() as mailbox:
        mailed(smtp(mailbox.port), now=lambda: hours_later)

    (received,) = mailbox.messages
    assert received["Date"] == "Sat, 10 Jan 2026 09:00:00 +0000"
    assert "Time: 2026-01-10T00:00:00Z" in received.get_content()


@pytest.mark.parametrize("security", [SmtpSecurity.STARTTLS, SmtpSecurity.TLS])
def test_an_email_is_sent_over_tls_after_a_sign_in(tmp_path: Path, security: SmtpSecurity) -> None:
    authority = Authority(tmp_path)
    at_once = security is SmtpSecurity.TLS
    context = authority.server()

    with mail_server(password=PASSWORD, tls=context, at_once=at_once) as mailbox:
        settings = smtp(mailbox.port, security=security, user="foliot", password=Secret(PASSWORD))
        trusted = mailed(settings, ca_file=authority.file)
        untrusted = mailed(settings)

    assert trusted == Delivery()
    assert len(mailbox.messages) == 1
    assert untrusted.error is not None


def test_an_email_with_a_wrong_password_is_an_error_without_it() -> None:
    with mail_server(password=PASSWORD) as mailbox:
        settings = smtp(mailbox.port, user="foliot", password=Secret("wrong password"))
        delivery = mailed(settings)

    assert delivery.error is not None
    assert "answered 535" in delivery.error
    assert "wrong" not in delivery.error


class _QuotesCommands(StreamRequestHandler):
    """Refuses a sign-in with the command in which it came, as some mail servers do."""

    def handle(self) -> None:
        self.wfile.write(b"220 mail\r\n")
        while line := self.rfile.readline().strip():
            if line.startswith(b"ehlo"):
                self.wfile.write(b"250-mail\r\n250 AUTH PLAIN\r\n")
            else:
                self.wfile.write(b'500 Command unrecognized: "' + line + b'"\r\n')


def test_an_error_of_a_mail_server_that_quotes_the_sign_in_has_no_password() -> None:
    with TCPServer(("127.0.0.1", 0), _QuotesCommands) as server:
        Thread(target=server.handle_request, daemon=True).start()
        port = server.server_address[1]
        delivery = mailed(smtp(port, user="foliot", password=Secret(PASSWORD)))

    assert delivery.error is not None
    assert delivery.error.endswith('answered 500: Command unrecognized: "AUTH PLAIN ***="')


def test_an_email_that_some_recipients_refuse_is_sent_to_the_others() -> None:
    with mail_server() as mailbox:
        mailbox.refused = {TO[0]}
        some = mailed(smtp(mailbox.port))
        mailbox.refused = set(TO)
        none = mailed(smtp(mailbox.port))

    assert some == Delivery()
    assert mailbox.recipients == [TO[1]]
    assert none.error is not None
    assert "answered 550: no such mailbox" in none.error


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        pytest.param(SmtpSettings(), "FOLIOT_SMTP_FROM are not set", id="none"),
        pytest.param(smtp(1), "The SMTP server 127.0.0.1 cannot be reached", id="refused"),
        pytest.param(smtp(25, host="no.invalid"), "no.invalid cannot be reached", id="no name"),
    ],
)
def test_a_mail_server_that_is_not_there_is_an_error(settings: SmtpSettings, error: str) -> None:
    delivery = mailed(settings)

    assert delivery.error is not None
    assert error in delivery.error


@contextmanager
def server_that_says(greeting: bytes) -> Iterator[int]:
    """Greet one caller, and close; yield the port."""

    class Greeter(StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(greeting)

    with TCPServer(("127.0.0.1", 0), Greeter) as server:
        Thread(target=server.handle_request, daemon=True).start()
        yield server.server_address[1]


def test_a_mail_server_that_is_not_as_the_settings_say_is_told_in_words(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with mail_server() as plain:
        no_starttls = mailed(smtp(plain.port, security=SmtpSecurity.STARTTLS)).error
        no_tls = mailed(smtp(plain.port, security=SmtpSecurity.TLS)).error
    with mail_server(tls=authority.server("mail.example.com"), at_once=True) as secure:
        settings = smtp(secure.port, security=SmtpSecurity.TLS)
        distrusted = mailed(settings).error
        of_another = mailed(settings, ca_file=authority.file).error
    with server_that_says(b"SSH-2.0-OpenSSH\r\n") as port:
        no_smtp = mailed(smtp(port)).error
    with server_that_says(b"") as port:
        silent = mailed(smtp(port)).error

    begin = "The SMTP server 127.0.0.1 "
    assert no_starttls == (
        f"{begin}lacks what is needed (STARTTLS extension not supported by server);"
        " check FOLIOT_SMTP_SECURITY."
    )
    assert no_tls == f"{begin}does not begin TLS; check its port and FOLIOT_SMTP_SECURITY."
    assert distrusted is not None
    assert distrusted.startswith(f"{begin}has a certificate that is not accepted (")
    assert of_another is not None
    assert "not valid for '127.0.0.1'" in of_another
    assert no_smtp == f"{begin}does not answer as an SMTP server does; check its port."
    assert silent == (
        f"{begin}closed the connection or was silent; check its port and FOLIOT_SMTP_SECURITY."
    )


def test_a_test_message_says_that_nothing_is_wrong() -> None:
    message = message_of_test(an_alert(CollectionId(1), "on-call"), KEY, NOW)

    (received,), delivery = posted(webhook(SECRET), message=message)

    body = json.loads(received.body)
    assert delivery == Delivery()
    assert body["type"] == "alert.test"
    assert "job" not in body["data"]
    assert body["data"]["sentence"].endswith("Nothing is wrong.")


@contextmanager
def mail_server_that_hangs() -> Iterator[tuple[int, Callable[[int], Awaitable[None]]]]:
    """Accept connections and say nothing; yield the port and a way to await connections."""
    with socket.create_server(("127.0.0.1", 0)) as listening, ExitStack() as accepted:
        listening.settimeout(0)

        async def accept(count: int) -> None:
            for _ in range(count):
                connection, _ = await asyncio.get_running_loop().sock_accept(listening)
                accepted.enter_context(connection)

        yield listening.getsockname()[1], accept


def test_a_mail_server_that_hangs_stops_neither_webhooks_nor_tests() -> None:
    async def steps(port: int, accept: Callable[[int], Awaitable[None]]) -> list[asyncio.Task[Any]]:
        dispatcher = HttpDispatcher(EgressRules(), clock.now)
        sender = DispatchedAlertSender(dispatcher, smtp(port), clock.now)
        to, test = EmailDestination(to=TO), a_message(kind=NotificationKind.TEST)
        async with target() as server:
            hanging = [
                asyncio.create_task(sender.send(to, a_message(), f"{ID}{number}"))
                for number in range(EMAILS_AT_A_TIME)
            ]
            await accept(EMAILS_AT_A_TIME)

            # Each of these would wait for ever if it needed what the others hold.
            delivery = await sender.send(webhook(None)(server.url("/in")), a_message(), ID)
            tested = asyncio.create_task(sender.send(to, test, ID))
            await accept(1)

        assert delivery == Delivery()
        assert not any(each.done() for each in [*hanging, tested])
        await dispatcher.close()
        return [*hanging, tested]

    async def all_steps() -> list[Delivery]:
        with mail_server_that_hangs() as (port, accept):
            tasks = await steps(port, accept)
        # The connections are closed.
        return await asyncio.gather(*tasks)

    ended = run(all_steps())

    assert all(each.error is not None for each in ended)


def test_a_mail_server_that_answers_byte_by_byte_is_left_after_some_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sender_module, "_EMAIL_SECONDS", 0.2)

    async def steps(listening: socket.socket) -> tuple[Delivery, bytes]:
        loop = asyncio.get_running_loop()
        sending = asyncio.create_task(
            deliver(EmailDestination(to=TO), smtp=smtp(listening.getsockname()[1]))
        )
        connection, _ = await loop.sock_accept(listening)
        with connection:
            # The beginning of a greeting: what follows may take hours.
            await loop.sock_sendall(connection, b"2")
            delivery = await sending
            # Returns when the other end is closed, which is long before the timeout of an answer.
            end = await asyncio.wait_for(loop.sock_recv(connection, 1), 10)
        return delivery, end

    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0)
        delivery, end = run(steps(listening))

    assert delivery.error is not None
    assert "did not take the message within" in delivery.error
    assert end == b""


def test_a_connection_that_opens_after_its_time_is_closed_at_once() -> None:
    ending = Ending()
    ending.end()
    email = Email(id=ID, to=TO, subject="s", text="t", sent_at=NOW)

    # Only a closed connection ends: one that is left to the garbage collector stays.
    gc.disable()
    try:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            error = send_email(email, smtp(listening.getsockname()[1]), ending=ending)
            connection, _ = listening.accept()
            with connection:
                connection.settimeout(10)
                end = connection.recv(1)
    finally:
        gc.enable()

    assert error is not None
    assert end == b""
