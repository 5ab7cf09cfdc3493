"""Sends a message to a destination, once: through the dispatcher of actions, or by e-mail."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, assert_never
from urllib.parse import urlsplit

from foliot.core.errors import origin_of
from foliot.core.instant import Instant
from foliot.core.model.action import Action, ActionKind, HttpRequest, StandardWebhooks
from foliot.core.model.alert import (
    AlertDestination,
    EmailDestination,
    SlackDestination,
    WebhookDestination,
)
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.notification import AlertMessage, Delivery, NotificationKind
from foliot.core.rules.alerts.fair_sending import EMAILS_AT_A_TIME
from foliot.core.rules.signing_secrets import SIGNATURE_HEADERS
from foliot.dispatch.alerts.bodies import email_text, slack_body, subject_line, webhook_body
from foliot.dispatch.alerts.email_threads import EmailThreads
from foliot.dispatch.alerts.smtp import Email, Ending, SmtpSettings, send_email
from foliot.dispatch.redaction import without
from foliot.ports.dispatch import Dispatcher
from foliot.ports.logs import get_logger
from foliot.ports.random_ids import new_id

_SECONDS: Final = 20.0
# A mail server may answer each command just in time.
_EMAIL_SECONDS: Final = 25.0
_LONGEST_ERROR: Final = 500
_JSON: Final = {"Content-Type": "application/json"}

_log = get_logger("foliot.alerts")


class DispatchedAlertSender:
    """Satisfies `ports.alert_sender.AlertSender`."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        smtp: SmtpSettings,
        now: Callable[[], Instant],
        *,
        public_url: str | None = None,
        ca_file: Path | None = None,
    ) -> None:
        self._dispatcher = dispatcher
        self._smtp = smtp
        self._now = now
        self._public_url = public_url
        self._ca_file = ca_file
        # A test does not wait for the threads of messages.
        self._emails = EmailThreads(EMAILS_AT_A_TIME, "alert e-mail")
        self._test_emails = EmailThreads(EMAILS_AT_A_TIME, "test e-mail")

    async def send(
        self, destination: AlertDestination, message: AlertMessage, message_id: str
    ) -> Delivery:
        """Try once to send a message."""
        try:
            return await self._send(destination, message, message_id)
        except Exception as error:  # noqa: BLE001  (a try never raises)
            _log.error("A message broke down", alert=message.alert, error=origin_of(error))
            return Delivery(error="The try ended unexpectedly; the log of the server has more.")

    async def _send(
        self, destination: AlertDestination, message: AlertMessage, message_id: str
    ) -> Delivery:
        match destination:
            case WebhookDestination(uri=uri, secret=secret):
                signing = None if secret is None else StandardWebhooks(secret=secret)
                headers = _JSON if signing else _JSON | {SIGNATURE_HEADERS[0]: message_id}
                body = webhook_body(message, self._public_url)
                request = _request(uri, headers, body, signing)
                return await self._dispatch(request, message, message_id)
            case SlackDestination(uri=secret):
                uri = secret.reveal()
                request = _request(uri, _JSON, slack_body(message, self._public_url))
                hidden = [uri, urlsplit(uri).path.strip("/")]
                return await self._dispatch(request, message, message_id, hidden)
            case EmailDestination(to=to):
                email = Email(
                    id=message_id,
                    to=to,
                    subject=subject_line(message),
                    text=email_text(message, self._public_url),
                    sent_at=self._now(),
                )
                is_test = message.kind is NotificationKind.TEST
                return await self._mail(email, self._test_emails if is_test else self._emails)
            case _:
                assert_never(destination)

    async def _mail(self, email: Email, threads: EmailThreads) -> Delivery:
        ending = Ending()
        send = partial(send_email, email, self._smtp, self._ca_file, ending)
        try:
            async with asyncio.timeout(_EMAIL_SECONDS):
                return Delivery(error=await threads.run(send))
        except TimeoutError:
            return Delivery(
                error=f"The SMTP server {self._smtp.host} did not take the message within "
                f"{_EMAIL_SECONDS:.0f} seconds."
            )
        finally:
            ending.end()

    async def _dispatch(
        self,
        request: HttpRequest,
        message: AlertMessage,
        message_id: str,
        hidden: list[str] | None = None,
    ) -> Delivery:
        is_https = request.uri.lower().startswith("https:")
        attempt = AttemptRequest(
            action=Action(kind=ActionKind.HTTPS if is_https else ActionKind.HTTP, part=request),
            collection=message.collection,
            job=message.job or message.alert,
            region=None,
            expected_at=message.at,
            tag=message_id,
            request_id=new_id(),
            timeout_seconds=_SECONDS,
        )
        outcome = await self._dispatcher.dispatch(attempt)
        if isinstance(outcome, NotSent):
            return Delivery(error=f"Nothing was sent: {outcome.reason}.", is_ours=True)
        if outcome.succeeded:
            return Delivery()
        error = without(hidden or [], _error(outcome))[:_LONGEST_ERROR]
        return Delivery(error=error, retry_after=outcome.retry_after)


def _request(
    uri: str, headers: dict[str, str], body: str, signing: StandardWebhooks | None = None
) -> HttpRequest:
    return HttpRequest(uri=uri, method="POST", headers=headers, body=body, authentication=signing)


def _error(outcome: Outcome) -> str:
    if outcome.status_code is None:
        # The history of a job begins so, and this is no action.
        text = " ".join(outcome.message.split())
        return text.removeprefix("Http Action - ")
    return f"{outcome.host} answered {outcome.status_code}."
