"""Writes the bodies of messages: JSON for webhooks and for Slack, text for e-mail."""

from typing import Any
from urllib.parse import quote

from msgspec import json

from foliot.core.instant import format_instant, to_the_second
from foliot.core.model.alert import AlertEvent
from foliot.core.model.notification import AlertMessage, NotificationKind

_TITLES = {
    NotificationKind.RAISED: "Alert",
    NotificationKind.RESOLVED: "Resolved",
    NotificationKind.SUMMARY: "Summary",
    NotificationKind.TEST: "Test",
}
EVENT_WORDS = {
    AlertEvent.FAILED: "failed",
    AlertEvent.LATE: "is late",
    AlertEvent.NO_SUCCESS: "had no success",
    AlertEvent.PAUSED: "was paused",
    AlertEvent.EXPIRING: "has a credential that expires",
}


def webhook_body(message: AlertMessage, public_url: str | None) -> str:
    """Return the JSON of a webhook, in the shape that Standard Webhooks recommends."""
    key = message.collection
    data: dict[str, Any] = {
        "alert": message.alert,
        "collection": {
            "subscription": key.subscription,
            "resourceGroup": key.group,
            "name": key.name,
        },
        "job": message.job,
        "event": None if message.event is None else message.event.value,
        "sentence": message.sentence,
        "facts": message.facts,
        "links": _links(message, public_url),
    }
    body = {
        "type": f"alert.{message.kind.value}",
        "timestamp": _moment(message),
        "data": {name: value for name, value in data.items() if value is not None},
    }
    return json.encode(body).decode()


def slack_body(message: AlertMessage, public_url: str | None) -> str:
    """Return the JSON of an incoming webhook of Slack."""
    title, sentence = _TITLES[message.kind], _escaped(message.sentence)
    links = " · ".join(f"<{url}|{name}>" for name, url in _links(message, public_url).items())
    notes = f"{_moment(message)} · alert {_escaped(message.alert)}"
    blocks = [
        {"type": "section", "text": {"type": "mrkdwn", "text": f"*{title}*: {sentence}"}},
        {
            "type": "context",
            "elements": [{"type": "mrkdwn", "text": f"{notes} · {links}" if links else notes}],
        },
    ]
    return json.encode({"text": f"{title}: {sentence}", "blocks": blocks}).decode()


def subject_line(message: AlertMessage) -> str:
    """Return the subject of an e-mail, on one line."""
    event = "" if message.event is None else f" {EVENT_WORDS[message.event]}"
    about = message.job or message.alert
    text = f"[Foliot] {_TITLES[message.kind]}: {about}{event} ({message.collection.name})"
    return " ".join(text.split())


def email_text(message: AlertMessage, public_url: str | None) -> str:
    """Return the text of an e-mail."""
    key = message.collection
    links = _links(message, public_url)
    lines = [
        message.sentence,
        "",
        *(f"{name}: {value}" for name, value in message.facts.items()),
        *([""] if message.facts else []),
        *(f"{name}: {url}" for name, url in links.items()),
        *([""] if links else []),
        f"Alert: {message.alert}",
        f"Collection: {key.subscription}/{key.group}/{key.name}",
        f"Time: {_moment(message)}",
    ]
    return "\n".join(lines) + "\n"


def _links(message: AlertMessage, public_url: str | None) -> dict[str, str]:
    """Return addresses of pages of the portal, if it is known how clients reach it."""
    if public_url is None:
        return {}
    key = message.collection
    parts = (key.subscription, key.group, key.name)
    collection = f"{public_url}/collections/" + "/".join(quote(part, safe="") for part in parts)
    links = {"collection": collection}
    if message.job is not None:
        links["job"] = f"{collection}/jobs/{quote(message.job, safe='')}"
    return links


def _moment(message: AlertMessage) -> str:
    return format_instant(to_the_second(message.at))


def _escaped(text: str) -> str:
    # https://api.slack.com/reference/surfaces/formatting: these three characters, nothing else.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
