"""Alerts on the wire: what is read, what is refused and why, what answers leave out."""

from typing import Any

import pytest

from foliot.api.wire.alert import decode_alert, encode_alert, patch_alert, replace_alert
from foliot.core.errors import Invalid
from foliot.core.ids import CollectionId, CollectionKey
from foliot.core.instant import MINUTE, Instant
from foliot.core.model.alert import (
    Alert,
    EmailDestination,
    QuietHours,
    SlackDestination,
    WebhookDestination,
)
from foliot.core.model.notification import AlertState
from foliot.core.secret import Secret

KEY = CollectionKey("sub", "group", "billing")
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105  (of a test)
OTHER_SECRET = "whsec_b3RoZXIgc2VjcmV0IHRoYXQgaXMgbG9uZw=="  # noqa: S105  (of a test)
HOOK = "https://hooks.example.com/oncall"
SLACK = "https://hooks.slack.com/services/T0/B0/hush"
ALL = {
    "state": "disabled",
    "description": "night jobs",
    "tags": {"team": "billing"},
    "when": {
        "failed": {"inARow": 2},
        "late": {"by": "PT5M"},
        "noSuccess": {"intervals": 3},
        "paused": True,
        "expiring": {"within": "P14D"},
    },
    "sendTo": [
        {"type": "webhook", "uri": HOOK, "secret": SECRET},
        {"type": "slack", "uri": SLACK},
        {"type": "email", "to": ["a@b.example", "c@d.example"]},
    ],
    "quietHours": {"from": "22:00", "to": "07:00", "timeZone": "Europe/Prague"},
}
FAILED = {"failed": {"inARow": 1}}


def saved(properties: dict[str, Any], old: Alert | None = None) -> Alert:
    """Return an alert as a PUT would store it."""
    given = decode_alert({"properties": properties}, KEY, "nightly")
    return stored(*replace_alert(old, given))


def patched(old: Alert, properties: dict[str, Any]) -> Alert:
    return stored(*patch_alert(old, {"properties": properties}, KEY))


def stored(definition: Any, is_enabled: bool) -> Alert:  # noqa: FBT001  (as it is returned)
    return Alert(
        collection_id=CollectionId(1),
        name="nightly",
        definition=definition,
        is_enabled=is_enabled,
        changed_at=Instant(0),
    )


def answer(alert: Alert) -> dict[str, Any]:
    found: dict[str, Any] = encode_alert(KEY, alert, AlertState())
    return found["properties"]


def alert_to(*destinations: dict[str, Any]) -> Alert:
    return saved({"when": FAILED, "sendTo": list(destinations)})


def webhook(uri: str = HOOK, **more: Any) -> dict[str, Any]:
    return {"type": "webhook", "uri": uri, **more}


def slack(**more: Any) -> dict[str, Any]:
    return {"type": "slack", **more}


def test_everything_of_an_alert_is_read() -> None:
    alert = saved(ALL)
    definition = alert.definition
    conditions = definition.conditions

    assert not alert.is_enabled
    assert (conditions.failed_in_a_row, conditions.no_success_intervals) == (2, 3)
    assert conditions.late_by is not None
    assert conditions.late_by.ticks == 5 * MINUTE
    assert conditions.paused
    assert definition.destinations == (
        WebhookDestination(uri=HOOK, secret=Secret(SECRET)),
        SlackDestination(uri=Secret(SLACK)),
        EmailDestination(to=("a@b.example", "c@d.example")),
    )
    assert definition.quiet_hours == QuietHours(begin=1320, end=420, time_zone="Europe/Prague")


def test_answers_leave_out_secrets_and_show_the_host_of_a_slack_address() -> None:
    shown = answer(saved(ALL))

    status = {"openIncidents": 0, "waitingMessages": 0, "destinations": []}
    assert shown.pop("status") == status
    assert shown == ALL | {
        "sendTo": [
            {"type": "webhook", "uri": HOOK, "signed": True},
            {"type": "slack", "host": "hooks.slack.com"},
            {"type": "email", "to": ["a@b.example", "c@d.example"]},
        ]
    }


def test_an_answer_that_is_sent_back_changes_nothing() -> None:
    alert = saved(ALL)

    assert saved(answer(alert), alert) == alert
    assert patched(alert, answer(alert)) == alert
    assert patched(alert, {}) == alert


def test_without_a_state_a_put_enables_and_a_patch_leaves_it() -> None:
    disabled = saved(ALL)
    without = {name: value for name, value in answer(disabled).items() if name != "state"}

    assert saved(without, disabled).is_enabled
    assert not patched(disabled, {"description": "other"}).is_enabled


def test_a_patch_merges_objects_and_removes_what_is_null() -> None:
    alert = saved(ALL)

    new = patched(alert, {"when": {"late": None, "failed": {"inARow": 5}}, "quietHours": None})

    assert answer(new)["when"] == {
        name: value
        for name, value in (ALL["when"] | {"failed": {"inARow": 5}}).items()  # type: ignore[operator]
        if name != "late"
    }
    assert "quietHours" not in answer(new)
    assert new.definition.destinations == alert.definition.destinations


def test_quiet_hours_are_in_utc_unless_a_zone_is_given() -> None:
    alert = saved({**ALL, "quietHours": {"from": "22:00", "to": "06:30"}})

    assert answer(alert)["quietHours"] == {"from": "22:00", "to": "06:30", "timeZone": "UTC"}


def test_one_recipient_needs_no_list() -> None:
    alert = alert_to({"type": "email", "to": "a@b.example"})

    assert alert.definition.destinations == (EmailDestination(to=("a@b.example",)),)


@pytest.mark.parametrize("path", ["/oncall", "/elsewhere"])
def test_the_secret_of_a_webhook_is_kept_for_the_same_server(path: str) -> None:
    old = alert_to(webhook(secret=SECRET))

    new = patched(old, {"sendTo": [webhook(f"https://hooks.example.com{path}")]})

    assert new.definition.destinations == (
        WebhookDestination(uri=f"https://hooks.example.com{path}", secret=Secret(SECRET)),
    )


@pytest.mark.parametrize(
    "uri",
    [
        "https://other.example.com/oncall",
        "http://hooks.example.com/oncall",
        "https://hooks.example.com:8443/oncall",
    ],
    ids=["host", "scheme", "port"],
)
def test_the_secret_of_a_webhook_is_not_sent_to_another_server(uri: str) -> None:
    old = alert_to(webhook(secret=SECRET))

    with pytest.raises(Invalid) as refusal:
        patched(old, {"sendTo": [webhook(uri)]})

    assert str(refusal.value) == (
        "properties.sendTo[0].secret: is left out, but scheme, host or port has changed: "
        "send the secret again, or null for none."
    )


def test_null_removes_the_secret_of_a_webhook() -> None:
    old = alert_to(webhook(secret=SECRET))

    new = patched(old, {"sendTo": [webhook(secret=None)]})

    assert new.definition.destinations == (WebhookDestination(uri=HOOK),)


def test_a_webhook_that_is_added_needs_no_secret() -> None:
    old = alert_to(webhook(secret=SECRET))

    new = patched(old, {"sendTo": [webhook("https://other.example.com/"), webhook()]})

    assert new.definition.destinations == (
        WebhookDestination(uri="https://other.example.com/"),
        WebhookDestination(uri=HOOK, secret=Secret(SECRET)),
    )


def test_of_two_secrets_for_one_server_none_is_guessed() -> None:
    old = alert_to(webhook(secret=SECRET), webhook(f"{HOOK}/2", secret=OTHER_SECRET))

    with pytest.raises(Invalid, match="it is not clear which is meant: send the secret again"):
        patched(old, {"sendTo": [webhook(f"{HOOK}/3")]})


def test_slack_addresses_of_one_host_are_kept_in_their_order() -> None:
    old = alert_to(slack(uri=SLACK), webhook(), slack(uri=f"{SLACK}2"))
    host = "hooks.slack.com"

    new = patched(old, {"sendTo": [slack(host=host), slack(host=host.upper())]})

    assert new.definition.destinations == (
        SlackDestination(uri=Secret(SLACK)),
        SlackDestination(uri=Secret(f"{SLACK}2")),
    )


def test_the_only_slack_address_is_kept_without_its_host() -> None:
    old = alert_to(slack(uri=SLACK))

    assert patched(old, {"sendTo": [slack()]}) == old


BAD_SLACK: dict[str, tuple[list[dict[str, Any]], str]] = {
    "one of two is gone": (
        [slack(host="hooks.slack.com")],
        "properties.sendTo[0].uri: is left out, but the alert has 2 of type slack at "
        '"hooks.slack.com", and it is not clear which is meant: send the secret again.',
    ),
    "another host": (
        [slack(host="chat.example.com")],
        'properties.sendTo[0].uri: is left out, and the alert has no address at "chat.example.com"'
        ": send the secret again.",
    ),
}


@pytest.mark.parametrize(("destinations", "message"), BAD_SLACK.values(), ids=BAD_SLACK)
def test_slack_addresses_are_not_guessed(destinations: list[Any], message: str) -> None:
    old = alert_to(slack(uri=SLACK), slack(uri=f"{SLACK}2"))

    with pytest.raises(Invalid) as refusal:
        patched(old, {"sendTo": destinations})

    assert str(refusal.value) == message


def when(**conditions: Any) -> dict[str, Any]:
    return {**ALL, "when": conditions}


def to(*destinations: Any) -> dict[str, Any]:
    return {**ALL, "sendTo": list(destinations)}


def quiet(**hours: Any) -> dict[str, Any]:
    return {**ALL, "quietHours": hours}


def without(name: str) -> dict[str, Any]:
    return {each: value for each, value in ALL.items() if each != name}


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown property": (
        {**ALL, "sentTo": []},
        "properties.sentTo: is not known here; did you mean 'sendTo'?",
    ),
    "a misspelt required property": (
        {**without("sendTo"), "sendTos": []},
        "properties.sendTos: is not known here; did you mean 'sendTo'?",
    ),
    "no conditions": (without("when"), "properties.when: is missing; give an object {...}."),
    "no destinations": (
        without("sendTo"),
        "properties.sendTo: is missing; give a list of destinations.",
    ),
    "a state that there is not": (
        {**ALL, "state": "paused"},
        'properties.state: "paused" is not valid; give one of enabled, disabled.',
    ),
    "a long description": (
        {**ALL, "description": "x" * 1001},
        "properties.description: has 1001 characters; give at most 1000.",
    ),
    "a tag with a bad name": (
        {**ALL, "tags": {"a/b": "c"}},
        'properties.tags: "a/b" is not valid; give names without <>%&\\?/ and control characters.',
    ),
    "empty conditions": (
        when(),
        "properties.when: is empty; give at least one of failed, late, noSuccess, paused, "
        "expiring.",
    ),
    "only a condition that is off": (
        when(paused=False),
        "properties.when: is empty; give at least one of failed, late, noSuccess, paused, "
        "expiring.",
    ),
    "an unknown condition": (
        when(fail={"inARow": 1}, paused=True),
        "properties.when.fail: is not known here; did you mean 'failed'?",
    ),
    "failed without a number": (
        when(failed={}),
        "properties.when.failed.inARow: is missing; give a whole number from 1 to 100.",
    ),
    "failed as a number": (
        when(failed=2),
        "properties.when.failed: 2 is not valid; give an object {...}.",
    ),
    "too many failures": (
        when(failed={"inARow": 101}),
        "properties.when.failed.inARow: 101 is not valid; give a whole number from 1 to 100.",
    ),
    "no failures": (
        when(failed={"inARow": 0}),
        "properties.when.failed.inARow: 0 is not valid; give a whole number from 1 to 100.",
    ),
    "an unknown part of failed": (
        when(failed={"inArow": 1, "of": 2}),
        "properties.when.failed.of: is not known here; the known properties are inARow.",
    ),
    "late by no time": (
        when(late={"by": "PT0S"}),
        'properties.when.late.by: "PT0S" is not valid; give a duration from PT1S to P31D.',
    ),
    "late by no duration": (
        when(late={"by": "5m"}),
        'properties.when.late.by: "5m" is not valid; give ISO 8601 such as "PT30S" or "P1D", or '
        '[d.]hh:mm:ss such as "00:00:30".',
    ),
    "half an interval": (
        when(noSuccess={"intervals": 0.5}),
        "properties.when.noSuccess.intervals: 0.5 is not valid; give a whole number.",
    ),
    "paused as a word": (
        when(paused="yes"),
        'properties.when.paused: "yes" is not valid; give true or false.',
    ),
    "expiring in two years": (
        when(expiring={"within": "P2Y"}),
        'properties.when.expiring.within: "P2Y" is not valid; give a duration from PT1H to P366D.',
    ),
    "an empty list of destinations": (
        to(),
        "properties.sendTo: [] is empty; give at least one value, or leave it out.",
    ),
    "one destination without a list": (
        {**ALL, "sendTo": {"type": "slack", "uri": SLACK}},
        "properties.sendTo: an object is not valid; give a list [...].",
    ),
    "an address in the place of the list": (
        {**ALL, "sendTo": SLACK},
        "properties.sendTo: a string is not valid; give a list [...].",
    ),
    "an address as destination": (
        to("https://hooks.slack.com/services/T0/B0/hush"),
        "properties.sendTo[0]: a string is not valid; give an object {...}.",
    ),
    "a destination without a type": (
        to({"uri": HOOK}),
        "properties.sendTo[0].type: is missing; give one of webhook, slack, email.",
    ),
    "a type that there is not": (
        to({"type": "pager"}),
        'properties.sendTo[0].type: "pager" is not valid; give one of webhook, slack, email.',
    ),
    "too many destinations": (
        to(*(webhook(f"{HOOK}/{number}") for number in range(11))),
        "properties.sendTo: 11 destinations are too many; give at most 10.",
    ),
    "a webhook without an address": (
        to({"type": "webhook"}),
        "properties.sendTo[0].uri: is missing; give an address.",
    ),
    "a webhook with a misspelt address": (
        to({"type": "webhook", "url": HOOK}),
        "properties.sendTo[0].url: is not known here; did you mean 'uri'?",
    ),
    "a webhook with a part of e-mail": (
        to(webhook(to=["a@b.example"])),
        "properties.sendTo[0].to: is not known here; the known properties are type, uri, secret.",
    ),
    "a relative address": (
        to(webhook("/oncall")),
        'properties.sendTo[0].uri: "/oncall" is not valid; give an absolute address such as '
        '"https://example.com/path".',
    ),
    "an address with a space": (
        to(webhook("https://example.com/a b?key=hush")),
        'properties.sendTo[0].uri: "https://example.com/a b" is not valid; give an absolute '
        'address such as "https://example.com/path", other characters percent-encoded.',
    ),
    "a long address": (
        to(webhook("https://example.com/" + "x" * 2048)),
        "properties.sendTo[0].uri: has 2068 characters; give at most 2048.",
    ),
    "a masked address": (
        to(webhook("https://example.com/?token=***")),
        "properties.sendTo[0].uri: token is ***, which stands for a value that was hidden; "
        "send the value itself.",
    ),
    "a weak secret": (
        to({**webhook(), "secret": "hush"}),
        "properties.sendTo[0].secret: is not a signing secret; give whsec_ and, in base64, "
        "24 to 64 bytes.",
    ),
    "a secret that is not ASCII": (
        to({**webhook(), "secret": "whsec_ü"}),
        "properties.sendTo[0].secret: is not a signing secret; give whsec_ and, in base64, "
        "24 to 64 bytes.",
    ),
    "a secret that is a number": (
        to(webhook(secret=5)),
        "properties.sendTo[0].secret: a number is not valid; give a string.",
    ),
    "a Slack address that is none": (
        to(slack(uri="hush")),
        "properties.sendTo[0].uri: is not an address; give one such as "
        '"https://hooks.slack.com/services/...".',
    ),
    "no Slack address": (
        to(slack()),
        "properties.sendTo[0].uri: is missing; give an address such as "
        '"https://hooks.slack.com/services/...".',
    ),
    "no recipients": (
        to({"type": "email"}),
        "properties.sendTo[0].to: is missing; give a list of e-mail addresses.",
    ),
    "a recipient that is none": (
        to({"type": "email", "to": ["a@b.example", "oncall"]}),
        'properties.sendTo[0].to[1]: "oncall" is not valid; give one e-mail address such as '
        '"oncall@example.com".',
    ),
    "a recipient with another header": (
        to({"type": "email", "to": ["a@b.example\r\nBcc: c@d.example"]}),
        'properties.sendTo[0].to[0]: "a@b.example\\r\\nBcc: c@d.example" is not valid; give one '
        'e-mail address such as "oncall@example.com".',
    ),
    "too many recipients": (
        to({"type": "email", "to": [f"a{number}@b.example" for number in range(21)]}),
        "properties.sendTo[0].to: 21 values are too many; give at most 20.",
    ),
    "the same webhook twice": (
        to(webhook(), webhook(secret=SECRET)),
        f'properties.sendTo[1]: "{HOOK}" is in sendTo[0] already; give it once.',
    ),
    "the same Slack address twice": (
        to(slack(uri=SLACK), slack(uri=SLACK)),
        'properties.sendTo[1]: "hooks.slack.com" is in sendTo[0] already; give it once.',
    ),
    "the same recipient twice": (
        to({"type": "email", "to": "a@b.example"}, {"type": "email", "to": "A@b.example"}),
        'properties.sendTo[1]: "A@b.example" is in sendTo[0] already; give it once.',
    ),
    "quiet hours without an end": (
        quiet(**{"from": "22:00"}),
        'properties.quietHours.to: is missing; give a time of day such as "22:00".',
    ),
    "a time of day that there is not": (
        quiet(**{"from": "24:00", "to": "07:00"}),
        'properties.quietHours.from: "24:00" is not valid; give a time of day such as "22:00".',
    ),
    "quiet hours of a whole day": (
        quiet(**{"from": "07:00", "to": "07:00"}),
        'properties.quietHours.to: "07:00" is not valid; give another time than from, or set the '
        "state to disabled.",
    ),
    "a zone that there is not": (
        quiet(**{"from": "22:00", "to": "07:00", "timeZone": "Europe/Prag"}),
        'properties.quietHours.timeZone: "Europe/Prag" is not an IANA time zone; '
        'did you mean "Europe/Prague"?',
    ),
}


@pytest.mark.parametrize(("properties", "message"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_named_with_its_path_and_what_would_be_right(
    properties: dict[str, Any], message: str
) -> None:
    with pytest.raises(Invalid) as refusal:
        saved(properties)

    assert str(refusal.value) == message
    assert "hush" not in str(refusal.value)
