"""The numbers by which messages refer to the destinations of an alert."""

import pytest
from msgspec.structs import replace

from foliot.core.model.alert import (
    AlertDefinition,
    AlertDestination,
    EmailDestination,
    SlackDestination,
    WebhookDestination,
)
from foliot.core.rules.alert_destinations import number_destinations
from foliot.core.secret import Secret
from tests.support.alerts import ALERT_DEFINITION


def webhook(name: str, secret: str | None = None) -> WebhookDestination:
    given = None if secret is None else Secret(secret)
    return WebhookDestination(uri=f"https://{name}.example.com/", secret=given)


A, B, C = webhook("a"), webhook("b"), webhook("c")
SLACK = SlackDestination(uri=Secret("https://hooks.slack.com/services/T/B/x"))
MAIL = EmailDestination(to=("a@example.com", "b@example.com"))


def numbered(
    *destinations: AlertDestination, old: AlertDefinition | None = None
) -> AlertDefinition:
    return number_destinations(replace(ALERT_DEFINITION, destinations=destinations), old)


@pytest.mark.parametrize(
    ("before", "after", "numbers"),
    [
        pytest.param([A, B], [A, B], (0, 1), id="same"),
        pytest.param([A, B], [B, A], (1, 0), id="another order"),
        pytest.param([A, B], [B], (1,), id="first removed"),
        pytest.param([A, B], [A], (0,), id="last removed"),
        pytest.param([A, B], [A, B, C], (0, 1, 2), id="added"),
        pytest.param([A, B], [C, A, B], (2, 0, 1), id="added at the front"),
        pytest.param([A, B], [A, C], (0, 1), id="corrected"),
        pytest.param([A, B], [B, C], (1, 2), id="removed and added"),
        pytest.param([A, B], [C], (2,), id="all replaced by one"),
        pytest.param([A, SLACK], [A, MAIL], (0, 2), id="another type"),
        pytest.param([A], [webhook("a", "whsec_c2VjcmV0")], (0,), id="another secret"),
        pytest.param([MAIL], [replace(MAIL, to=MAIL.to[::-1])], (0,), id="recipients in order"),
        pytest.param([MAIL], [replace(MAIL, to=MAIL.to[:1])], (0,), id="fewer recipients"),
    ],
)
def test_a_destination_keeps_its_number(
    before: list[AlertDestination], after: list[AlertDestination], numbers: tuple[int, ...]
) -> None:
    old = numbered(*before)

    assert numbered(*after, old=old).numbers == numbers


def test_a_number_is_not_used_twice() -> None:
    with_one = numbered(A, old=numbered(A, B))

    with_another = numbered(A, C, old=with_one)

    assert with_another.numbers == (0, 2)
    assert (with_another.destination(2), with_another.destination(1)) == (C, None)


def test_an_alert_without_numbers_has_the_positions_of_its_destinations() -> None:
    stored = replace(ALERT_DEFINITION, destinations=(A, B))

    assert stored.numbers == (0, 1)
    assert numbered(A, B, old=stored) == stored
    assert numbered(B, C, A, old=stored).numbers == (1, 2, 0)
