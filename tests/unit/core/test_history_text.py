"""Messages in history that tell of no response: clients parse them like all others."""

from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.history_text import failure_note, history_note
from foliot.core.instant import DAY, Instant
from foliot.core.model.action import (
    Action,
    ActionKind,
    HttpRequest,
    QueueMessage,
    ServiceBusMessage,
)
from foliot.core.model.job import Job
from foliot.core.model.run import DueJob, DueRun, Phase
from foliot.core.recurrence import Frequency, Recurrence
from foliot.core.rules.planning import Claiming, faulted, plan
from foliot.core.rules.settling import abandon
from tests.support.builders import DEFINITION, NOW, a_collection, a_job, a_lease, a_run
from tests.support.history_parser import details_of


def http(uri: str = "https://Example.com:8443/a?b", kind: ActionKind = ActionKind.HTTPS) -> Action:
    return Action(kind=kind, part=HttpRequest(uri=uri, method="GET"))


def queue(**fields: Any) -> Action:
    given = {"storage_account": "acme", "queue_name": "orders", "message": "m"} | fields
    return Action(kind=ActionKind.STORAGE_QUEUE, part=QueueMessage(**given))


def bus(kind: ActionKind) -> Action:
    part = ServiceBusMessage(entity="news", namespace="acme", message="m")
    return Action(kind=kind, part=part)


ACTIONS: dict[str, tuple[Action, str, tuple[str, ...]]] = {
    "Http": (http(kind=ActionKind.HTTP), "Http Action - ", ("example.com",)),
    "Https": (http(), "Http Action - ", ("example.com",)),
    "an IPv6 address": (http("http://[::1]:80/"), "Http Action - ", ("::1",)),
    "a user in the address": (http("http://me:secret@h/"), "Http Action - ", ("h",)),
    "an address that is none": (http("http://[::1"), "Http Action - ", ("?",)),
    "StorageQueue": (queue(), "StorageQueue Action - ", ()),
    "ServiceBusQueue": (
        bus(ActionKind.SERVICE_BUS_QUEUE),
        "ServiceBusQueue Action - ",
        ("news", "acme"),
    ),
    "ServiceBusTopic": (
        bus(ActionKind.SERVICE_BUS_TOPIC),
        "ServiceBusTopic Action - ",
        ("news", "acme"),
    ),
}


def job_with(action: Action) -> Job:
    rule = Recurrence(frequency=Frequency.DAY)
    definition = replace(DEFINITION, action=action, recurrence=rule)
    return a_job(a_collection().id, definition=definition, next_at=NOW)


def notes(action: Action) -> dict[str, str]:
    job, collection = job_with(action), a_collection()
    late, lease = Instant(NOW + 5 * DAY), a_lease()
    (missed,) = plan(DueJob(job, collection, 0), Claiming(late, lease), "t").skipped
    (crowded,) = plan(DueJob(job, collection, 10), Claiming(NOW, lease), "t").skipped
    (broken,) = faulted(DueJob(job, collection, 0), NOW, "KeyError").skipped
    dropped = DueRun(a_run(job, phase=Phase.ERROR), job, collection)
    return {
        "missed": missed.message,
        "crowded": crowded.message,
        "broken": broken.message,
        "dropped": abandon(dropped, NOW, other_open_runs=0).entries[0].message,
        "failed": failure_note(action, "UnknownError", "It broke; the server's log has more."),
    }


@pytest.mark.parametrize("what", notes(http()))
@pytest.mark.parametrize(("action", "prefix", "names"), ACTIONS.values(), ids=ACTIONS.keys())
def test_every_note_begins_with_its_action_and_can_be_parsed(
    action: Action, prefix: str, names: tuple[str, ...], what: str
) -> None:
    message = notes(action)[what]

    assert message.startswith(prefix)
    assert details_of(message).kind == prefix.split(" ", maxsplit=1)[0]
    assert details_of(message).destination == names
    assert "secret" not in message


def test_more_skipped_occurrences_than_are_counted_are_told_as_more() -> None:
    job = replace(
        job_with(http()),
        definition=replace(
            DEFINITION, action=http(), recurrence=Recurrence(frequency=Frequency.MINUTE)
        ),
    )

    claiming = Claiming(Instant(NOW + 5 * DAY), a_lease())
    (found,) = plan(DueJob(job, a_collection(), 0), claiming, "t").skipped

    assert found.message.startswith(
        "Http Action - Skipped: more than 1000 occurrences for host 'example.com', from 2026-01-10"
    )


def test_characters_that_nobody_sees_are_written_as_escapes() -> None:
    note = history_note(queue(queue_name="a\u202eb\x1b"), "Skipped: 1 for", ".")

    assert note == (
        r"StorageQueue Action - Skipped: 1 for storage account 'acme' queue 'a\u202eb\x1b'."
    )
