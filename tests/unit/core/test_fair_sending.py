"""Which messages a node sends next."""

from collections import Counter

import pytest

from foliot.core.ids import CollectionId
from foliot.core.model.alert import (
    AlertDestination,
    AlertId,
    EmailDestination,
    SlackDestination,
    WebhookDestination,
)
from foliot.core.rules.alerts.fair_sending import (
    EMAILS_AT_A_TIME,
    MESSAGES_OF_A_COLLECTION,
    MESSAGES_OF_A_NODE,
    MESSAGES_TO_A_HOST,
    MessageRoute,
    choose_messages,
    host_of_destination,
)
from foliot.core.secret import Secret

EMAIL = host_of_destination(EmailDestination(to=("a@example.com",)))


def route(collection: int = 1, alert: int = 1, host: str = "a") -> MessageRoute:
    return MessageRoute(CollectionId(collection), AlertId(alert), host)


def test_the_longest_waiting_go_first() -> None:
    assert choose_messages([route(1), route(2), route(3)], []) == [0, 1, 2]


@pytest.mark.parametrize(
    ("waiting", "most"),
    [
        pytest.param([route(each) for each in range(50)], MESSAGES_TO_A_HOST, id="host"),
        pytest.param([route(each, host=EMAIL) for each in range(50)], EMAILS_AT_A_TIME, id="mail"),
        pytest.param(
            [route(host=str(each)) for each in range(50)], MESSAGES_OF_A_COLLECTION, id="collection"
        ),
        pytest.param(
            [route(each, host=str(each)) for each in range(200)], MESSAGES_OF_A_NODE, id="node"
        ),
    ],
)
def test_what_is_in_flight_has_a_limit(waiting: list[MessageRoute], most: int) -> None:
    assert len(choose_messages(waiting, [])) == most
    assert len(choose_messages(waiting, waiting[: most - 1])) == 1
    assert choose_messages(waiting, waiting[:most]) == []


def test_collections_and_their_alerts_take_turns() -> None:
    many = [route(1, 1 + each % 2, str(each)) for each in range(200)]
    few = [route(2, 9, "b")] * 5

    chosen = choose_messages([*many, *few], [])

    assert chosen[:4] == [0, 200, 1, 201]
    of_alerts = Counter(many[each].alert for each in chosen if each < 200)
    assert of_alerts == {1: 13, 2: 12}


def test_an_alert_with_nothing_in_flight_goes_before_one_that_waits_longer() -> None:
    busy = [route(1, 1, str(each)) for each in range(20)]

    assert choose_messages([route(1, 1, "x"), route(1, 2, "y")], busy)[0] == 1


@pytest.mark.parametrize(
    ("destination", "host"),
    [
        (WebhookDestination(uri="https://Example.com:8443/in?x=1"), "example.com:8443"),
        (SlackDestination(uri=Secret("https://hooks.slack.com/services/T/B/x")), "hooks.slack.com"),
        (EmailDestination(to=("a@example.com",)), EMAIL),
        (None, ""),
    ],
)
def test_messages_share_a_limit_by_their_host(
    destination: AlertDestination | None, host: str
) -> None:
    assert host_of_destination(destination) == host
