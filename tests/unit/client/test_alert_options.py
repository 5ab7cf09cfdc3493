"""Options of an alert as the JSON that the API takes."""

from typing import Any

import pytest

from foliot.client.alert_options import AlertOptions, alert_changes
from foliot.core.errors import Invalid
from foliot.core.secret import Secret


def changes(**options: Any) -> Any:
    return alert_changes(AlertOptions(**options)).get("properties")


def test_every_option_has_its_place() -> None:
    found = changes(
        failed="2",
        late="5m",
        no_success="3",
        paused=True,
        expiring="14d",
        webhook=["https://example.com/a"],
        secret=Secret("whsec_x"),
        slack=[Secret("https://hooks.slack.com/x")],
        email=["a@b.example", "c@d.example"],
        tag=["team=billing", "empty="],
        quiet="22:00-7:00",
        zone="Europe/Prague",
        description="at night",
        disabled=True,
    )

    assert found == {
        "state": "disabled",
        "description": "at night",
        "tags": {"team": "billing", "empty": ""},
        "when": {
            "failed": {"inARow": 2},
            "late": {"by": "PT5M"},
            "noSuccess": {"intervals": 3},
            "paused": True,
            "expiring": {"within": "P14D"},
        },
        "sendTo": [
            {"type": "webhook", "uri": "https://example.com/a", "secret": "whsec_x"},
            {"type": "slack", "uri": "https://hooks.slack.com/x"},
            {"type": "email", "to": ["a@b.example", "c@d.example"]},
        ],
        "quietHours": {"from": "22:00", "to": "07:00", "timeZone": "Europe/Prague"},
    }


def test_none_takes_away() -> None:
    found = changes(failed="none", late="NONE", paused=False, quiet="none", tag=["team"])

    assert found == {
        "tags": {"team": None},
        "when": {"failed": None, "late": None, "paused": False},
        "quietHours": None,
    }


def test_without_options_there_is_nothing_to_change() -> None:
    assert alert_changes(AlertOptions()) == {}


def test_a_zone_alone_changes_the_zone() -> None:
    assert changes(zone="CET") == {"quietHours": {"timeZone": "CET"}}


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no number": (
        {"failed": "two"},
        '--failed: "two" is not valid; give a whole number, or none.',
    ),
    "no period": (
        {"late": "soon"},
        '--late: "soon" is not valid; give a period such as 30s, 5m, 12h, 7d or 1h30m.',
    ),
    "no hours": (
        {"quiet": "night"},
        '--quiet: "night" is not valid; give hours such as 22:00-07:00, or none.',
    ),
    "no tag": (
        {"tag": ["=x"]},
        '--tag: "=x" is not valid; give NAME=VALUE, or NAME to remove the tag.',
    ),
    "a secret for nothing": (
        {"secret": Secret("whsec_x")},
        "--secret-file: has no use without --webhook.",
    ),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_a_wrong_option_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(Invalid) as refusal:
        changes(**options)

    assert str(refusal.value) == message
