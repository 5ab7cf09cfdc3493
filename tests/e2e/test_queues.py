"""A real server that puts messages on real queues."""

import json
from base64 import b64decode
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proton import SSLDomain

from tests.support import amqp_peer, azurite
from tests.support.amqp_peer import KEY, KEY_NAME
from tests.support.azurite import ACCOUNT, Queue
from tests.support.server import COLLECTION, DEADLINE, Server, running
from tests.support.tls_authority import Authority

TOKEN = "t" * 40
NO_RETRY = {"retryType": "none"}
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
# Round trips, each of some milliseconds, until a message must have arrived.
PATIENCE = 3000


def queue_action(queue: Queue, sas: str, message: str, **more: str) -> dict[str, Any]:
    fields = {"storageAccount": ACCOUNT, "queueName": queue.name, "sasToken": sas}
    part = {**fields, "message": message, **more}
    return {"type": "StorageQueue", "queueMessage": part, "retryPolicy": NO_RETRY}


def save(server: Server, name: str, action: dict[str, Any]) -> None:
    path = COLLECTION.replace("?", f"/jobs/{name}?")
    body = {"properties": {"action": action}}
    assert server.call("PUT", path, token=TOKEN, body=body).status == 201


def arrived(queue: Queue) -> str:
    for _ in range(PATIENCE):
        if texts := queue.texts():
            return texts[0]
    raise AssertionError(queue.name)


def first_entry(server: Server, name: str) -> dict[str, Any]:
    path = COLLECTION.replace("?", f"/jobs/{name}/history?")
    connection = server.connect()
    connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
    found = json.loads(connection.getresponse().read())["value"]
    connection.close()
    return found[-1]["properties"]


def test_jobs_put_messages_on_queues_and_history_tells_of_them(tmp_path: Path) -> None:
    with azurite.running() as service:
        names = ("text", "unicode", "large", "envelope", "error")
        queues = {name: service.queue() for name in names}
        texts = {"text": "hello", "unicode": "žluťoučký 🐎 <&>\r\n", "large": "€" * 16 * 1024}
        settings = {
            "ADMIN_TOKEN": TOKEN,
            "STORAGE_ENDPOINTS": json.dumps({ACCOUNT: service.url}),
            "MAX_JOB_BYTES": "100000",
            "QUEUE_FORMAT": "envelope",
            "LOG_LEVEL": "debug",
        }
        with running(tmp_path, NO_ENGINE="0", **settings) as server:
            server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
            for name, text in texts.items():
                sas = f"?{queues[name].sas()}"
                save(server, name, queue_action(queues[name], sas, text, format="text"))
            wrapped = queues["envelope"]
            save(server, "envelope", queue_action(wrapped, wrapped.sas(), "hi"))
            action = queue_action(queues["text"], queues["text"].sas(expiry=LONG_AGO), "late")
            errors = queues["error"]
            action["errorAction"] = queue_action(errors, errors.sas(), "it failed", format="text")
            save(server, "error", action)
            found = {name: arrived(queue) for name, queue in queues.items()}
            code, out, complaints = server.stop()
        with running(tmp_path, **settings) as server:
            told = {name: first_entry(server, name) for name in names}

    document = b64decode(found.pop("envelope")).decode()
    assert found == texts | {"error": "it failed"}
    assert "<SchedulerJobId>envelope</SchedulerJobId>" in document
    assert "<Region>West US</Region>\r\n  <Message>hi</Message>" in document
    assert [told[name]["status"] for name in names] == ["completed"] * 4 + ["failed"]
    assert told["large"]["message"] == (
        f"StorageQueue Action - Message to storage account '{ACCOUNT}' "
        f"queue '{queues['large'].name}' succeeded: 'Created'"
    )
    assert "has expired: it was good until 2020-01-01T00:00:00Z." in told["error"]["message"]
    assert code == 0
    assert "sig=" not in out + complaints


def bus_action(kind: str, namespace: str, entity: str, key: str = KEY) -> dict[str, Any]:
    """Return an action; the transport is not named, as the address of the namespace says it."""
    name, path = {
        "ServiceBusQueue": ("serviceBusQueueMessage", "queueName"),
        "ServiceBusTopic": ("serviceBusTopicMessage", "topicPath"),
    }[kind]
    sign_in = {"type": "sharedAccessKey", "sasKeyName": KEY_NAME, "sasKey": key}
    part = {path: entity, "namespace": namespace, "message": "ahoj", "authentication": sign_in}
    return {"type": kind, name: part, "retryPolicy": NO_RETRY}


def test_jobs_send_messages_over_amqp_with_and_without_tls(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    (tmp_path / "peer.pem").write_bytes(authority.issue("localhost").pem())
    domain = SSLDomain(SSLDomain.MODE_SERVER)
    domain.set_credentials(str(tmp_path / "peer.pem"), str(tmp_path / "peer.pem"), "")
    with amqp_peer.running() as plain, amqp_peer.running(domain=domain) as secure:
        places = {
            "plain": f"amqp://127.0.0.1:{plain.port}",
            "secure": f"amqps://localhost:{secure.port}",
        }
        settings = {
            "ADMIN_TOKEN": TOKEN,
            "SERVICEBUS_ENDPOINTS": json.dumps(places),
            "CA_FILE": str(authority.file),
            "LOG_LEVEL": "debug",
        }
        with running(tmp_path / "data", NO_ENGINE="0", **settings) as server:
            server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
            save(server, "queue", bus_action("ServiceBusQueue", "plain", "orders"))
            bad = bus_action("ServiceBusQueue", "plain", "orders", "d3Jvbmc=")
            bad["errorAction"] = bus_action("ServiceBusTopic", "secure", "news")
            save(server, "topic", bad)
            found = [peer.arrived.get(timeout=DEADLINE) for peer in (plain, secure)]
            code, out, complaints = server.stop()
        with running(tmp_path / "data", **settings) as server:
            told = {name: first_entry(server, name) for name in ("queue", "topic")}

    assert [arrived.entity for arrived in found] == ["orders", "news"]
    assert [arrived.message.properties["x-ms-scheduler-jobid"] for arrived in found] == [
        "queue",
        "topic",
    ]
    assert told["queue"]["status"] == "completed"
    assert "Unauthorized The key 'RootManageSharedAccessKey'" in told["topic"]["message"]
    assert code == 0
    assert KEY not in out + complaints
    assert "SharedAccessSignature" not in out + complaints
