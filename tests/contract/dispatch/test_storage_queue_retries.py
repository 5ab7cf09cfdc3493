"""Jobs for storage queues that run, in virtual time, against a real Azurite."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foliot.core.model.job import JobState
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.queue_endpoints import storage_endpoints
from foliot.dispatch.storage_queue import StorageQueueDispatcher
from tests.support.azurite import ACCOUNT, Azurite, running
from tests.support.engine_world import World


@pytest.fixture(scope="module")
def azurite() -> Iterator[Azurite]:
    with running() as started:
        yield started


@pytest.fixture
def world(tmp_path: Path, azurite: Azurite) -> Iterator[World]:
    with World(tmp_path) as made:
        endpoints = storage_endpoints(placed=f'{{"{ACCOUNT}": "{azurite.url}"}}')
        settings = HttpSettings(timeout_seconds=10)
        dispatcher = StorageQueueDispatcher(EgressRules(), made.clock.now, settings, endpoints)
        made.targets = dispatcher
        made.start_engine()
        yield made
        made.run(dispatcher.close())


def queue_action(name: str, sas: str, text: str, **more: Any) -> dict[str, Any]:
    message = {"storageAccount": ACCOUNT, "queueName": name, "sasToken": sas, "message": text}
    return {"type": "StorageQueue", "queueMessage": message, **more}


def test_a_queue_service_that_is_away_for_a_while_gets_the_message_by_a_retry(
    world: World, azurite: Azurite
) -> None:
    queue = azurite.queue()
    azurite.kill()
    policy = {"retryType": "fixed", "retryInterval": "PT1M", "retryCount": 4}
    action = queue_action(queue.name, queue.sas(), "hello", retryPolicy=policy)
    world.add_job(action=action)

    world.advance_to("2026-01-10T00:01:30Z")
    azurite.start()
    world.advance_to("2026-01-10T00:02:30Z")
    azurite.queue(queue.name)
    world.advance_to("2026-01-10T00:04:00Z")

    assert queue.texts() == ["hello"]
    said = [entry.message.partition("failed: ")[2].partition(" ")[0] for entry in world.history()]
    assert said == ["ConnectFailure", "ConnectFailure", "QueueNotFound", ""]
    assert world.job().state is JobState.COMPLETED


def test_an_error_action_goes_to_another_queue(world: World, azurite: Azurite) -> None:
    broken, errors = azurite.queue(), azurite.queue()
    broken.client.delete_queue()
    action = queue_action(broken.name, broken.sas(), "main", retryPolicy={"retryType": "none"})
    action["errorAction"] = queue_action(errors.name, errors.sas(), "it failed")
    world.add_job(action=action)

    world.advance_to("2026-01-10T00:00:01Z")

    assert errors.texts() == ["it failed"]
    assert world.job().state is JobState.FAULTED
