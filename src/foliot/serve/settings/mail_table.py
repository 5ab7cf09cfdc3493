"""The rows of the table of settings that tell how e-mails of alerts are sent."""

from foliot.dispatch.alerts.smtp import SmtpSecurity
from foliot.serve.settings import parsers
from foliot.serve.settings.parsers import ValueParser, one_of, whole_number
from foliot.serve.settings.setting import Setting

_MAX_PORT = 65_535

MAIL = (
    Setting(
        "smtp_host",
        parsers.HOST_NAME,
        "The SMTP server that sends the e-mails of alerts.",
        default="none; no e-mails are sent",
        details="See [alerts](alerts.md#e-mail).",
        field="smtp.host",
    ),
    Setting(
        "smtp_port",
        whole_number(1, _MAX_PORT),
        "Its port.",
        default="587 with starttls, 465 with tls, 25 with none",
        field="smtp.port",
    ),
    Setting(
        "smtp_security",
        ValueParser(
            one_of(SmtpSecurity).expected,
            lambda text: SmtpSecurity(str(one_of(SmtpSecurity).parse(text))),
        ),
        "How the connection is encrypted: starttls, tls or none.",
        field="smtp.security",
    ),
    Setting(
        "smtp_user",
        parsers.TEXT,
        "The user who signs in there.",
        default="none",
        field="smtp.user",
    ),
    Setting(
        "smtp_password",
        parsers.SECRET,
        "The password of that user.",
        default="none",
        field="smtp.password",
        is_secret=True,
    ),
    Setting(
        "smtp_from",
        parsers.MAIL_ADDRESS,
        "The sender of the e-mails.",
        default="none; needed with FOLIOT_SMTP_HOST",
        field="smtp.sender",
    ),
)
