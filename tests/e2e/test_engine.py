"""A real server that runs a job against a real target."""

import os
import signal
import socket
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from standardwebhooks import Webhook

from tests.support.http_target import HISTORY, JOB, TOKEN, a_job, answer, target, text
from tests.support.server import COLLECTION, DEADLINE, accepts, eventually, foliot, running


def test_a_job_runs_and_its_history_is_there_after_a_restart(tmp_path: Path) -> None:
    with target() as (uri, arrived):
        with running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN) as server:
            server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
            server.call("PUT", JOB, token=TOKEN, body=a_job(uri))
            headers = arrived.get(timeout=DEADLINE)
            assert server.stop()[0] == 0
        with running(tmp_path, ADMIN_TOKEN=TOKEN) as server:
            history, job = answer(server, HISTORY)["value"], answer(server, JOB)

    assert headers["x-ms-scheduler-jobid"] == "j"
    assert len(headers["x-ms-execution-tag"]) == 32
    assert len(history) == 1
    assert history[0]["properties"]["status"] == "completed"
    assert history[0]["properties"]["message"].startswith(
        "Http Action - Response from host '127.0.0.1': 'OK' Response Headers: "
    )
    assert job["properties"]["state"] == "completed"
    assert arrived.empty()


def test_what_is_sent_is_in_the_metrics(tmp_path: Path) -> None:
    with target() as (uri, arrived), running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN) as server:
        server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
        server.call("PUT", JOB, token=TOKEN, body=a_job(uri))
        arrived.get(timeout=DEADLINE)
        metrics = text(server, "/metrics")
        refused = server.call("GET", "/metrics").status

    assert 'foliot_attempt_lateness_seconds_count{action="Http"} 1.0' in metrics
    assert refused == 401


def test_what_a_job_asks_for_goes_through_the_worker_process(tmp_path: Path) -> None:
    secret = f"whsec_{b64encode(b'k' * 32).decode()}"
    job = a_job("", policy={"timeout": "PT20S"})
    job["properties"]["action"] |= {"template": True, "retryPolicy": {"retryType": "none"}}
    request = job["properties"]["action"]["request"]
    request |= {
        "body": '{"job": "{{job}}"}',
        "expect": {"bodyContains": "no such text"},
        "authentication": {"type": "StandardWebhooks", "secret": secret},
    }

    with target() as (uri, arrived), running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN) as server:
        request["uri"] = f"{uri}?attempt={{{{attempt}}}}"
        server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
        assert server.call("PUT", JOB, token=TOKEN, body=job).status == 201
        headers = arrived.get(timeout=DEADLINE)
        eventually(lambda: bool(answer(server, HISTORY)["value"]))
        (entry,) = answer(server, HISTORY)["value"]

    lowered = {name.lower(): value for name, value in headers.items()}
    assert Webhook(secret).verify(b'{"job": "j"}', lowered) == {"job": "j"}
    assert entry["properties"]["status"] == "failed"
    assert (
        'Expectation failed: the body does not contain "no such text"'
        in (entry["properties"]["message"])
    )


@contextmanager
def silent_target() -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Return the address of a target that never answers, and how to wait for what it is sent."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(DEADLINE)
        held: list[socket.socket] = []

        def received() -> bytes:
            connection, _ = server.accept()
            connection.settimeout(DEADLINE)
            held.append(connection)
            return connection.recv(65536)

        yield f"http://127.0.0.1:{server.getsockname()[1]}/", received
        for connection in held:
            connection.close()


def tag_in(request: bytes) -> bytes:
    return request.partition(b"x-ms-execution-tag: ")[2][:32]


def test_a_second_signal_ends_it_at_once_and_what_was_under_way_repeats(tmp_path: Path) -> None:
    with silent_target() as (uri, received):
        with running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN, GRACE="3600") as server:
            server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
            server.call("PUT", JOB, token=TOKEN, body=a_job(uri))
            first = received()
            server.process.send_signal(signal.SIGTERM)
            eventually(lambda: not accepts(server))
            assert server.stop()[0] == 0
        with running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN, GRACE="0"):
            again = received()

    assert len(tag_in(first)) == 32
    assert tag_in(again) == tag_in(first)


def test_what_was_under_way_when_it_was_killed_repeats_as_soon_as_it_is_back(
    tmp_path: Path,
) -> None:
    with silent_target() as (uri, received):
        with running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN) as server:
            server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
            server.call("PUT", JOB, token=TOKEN, body=a_job(uri))
            first = received()
            server.process.kill()
        with running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN, GRACE="0"):
            again = received()

    assert tag_in(again) == tag_in(first)


def children_of(process: int) -> list[int]:
    return [
        int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()
    ]


def is_running(process: int) -> bool:
    # One that has ended may wait for its parent to hear of it.
    status = Path(f"/proc/{process}/status")
    return status.exists() and "State:\tZ" not in status.read_text()


def test_requests_are_sent_by_a_process_of_its_own_and_by_the_next_if_it_is_killed(
    tmp_path: Path,
) -> None:
    with (
        target() as (uri, arrived),
        running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN) as server,
    ):
        server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
        server.call("PUT", JOB, token=TOKEN, body=a_job(uri))
        arrived.get(timeout=DEADLINE)
        eventually(lambda: bool(answer(server, HISTORY)["value"]))
        (sender,) = children_of(server.process.pid)
        os.kill(sender, signal.SIGKILL)
        server.call("PUT", JOB.replace("/j?", "/k?"), token=TOKEN, body=a_job(uri))
        headers = arrived.get(timeout=DEADLINE)
        (successor,) = children_of(server.process.pid)
        code, _, complaints = server.stop()

    assert headers["x-ms-scheduler-jobid"] == "k"
    assert successor != sender
    assert "Worker process ended; another one starts" in complaints
    assert code == 0
    assert not is_running(successor)


def test_a_server_ends_in_time_while_its_sender_is_stopped(tmp_path: Path) -> None:
    with silent_target() as (uri, received):
        with running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN, GRACE="1") as server:
            server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
            server.call("PUT", JOB, token=TOKEN, body=a_job(uri))
            first = received()
            (sender,) = children_of(server.process.pid)
            os.kill(sender, signal.SIGSTOP)
            code = server.stop()[0]
        with running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN, GRACE="0"):
            again = received()

    assert code == 0
    assert not is_running(sender)
    assert tag_in(again) == tag_in(first)


def test_the_sender_knows_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    with (
        target() as (uri, arrived),
        running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN) as server,
    ):
        server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
        server.call("PUT", JOB, token=TOKEN, body=a_job(uri))
        arrived.get(timeout=DEADLINE)
        (sender,) = children_of(server.process.pid)
        environment = Path(f"/proc/{sender}/environ").read_bytes()
        command = Path(f"/proc/{sender}/cmdline").read_bytes()

    assert b"PATH=" in environment
    assert b"FOLIOT_" not in environment
    assert TOKEN.encode() not in environment + command


def test_the_process_that_sends_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    with (
        target() as (uri, arrived),
        running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN) as server,
    ):
        server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
        server.call("PUT", JOB, token=TOKEN, body=a_job(uri))
        arrived.get(timeout=DEADLINE)
        (sender,) = children_of(server.process.pid)
        # As a terminal does with Ctrl-C, and a service manager: both are told. One waits for it.
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(sender, number)
        assert is_running(sender)
        server.process.kill()
        eventually(lambda: not is_running(sender))


def test_one_process_does_all_if_it_is_told_to(tmp_path: Path) -> None:
    with (
        target() as (uri, arrived),
        running(tmp_path, "--one-process", NO_ENGINE="0", ADMIN_TOKEN=TOKEN) as server,
    ):
        server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
        server.call("PUT", JOB, token=TOKEN, body=a_job(uri))
        arrived.get(timeout=DEADLINE)

        assert children_of(server.process.pid) == []


def test_a_file_of_certificates_that_is_not_there_is_told_at_the_start(tmp_path: Path) -> None:
    missing = tmp_path / "none.pem"

    done = foliot(
        "serve", "--port", "0", NO_ENGINE="0", DATA_DIR=str(tmp_path), CA_FILE=str(missing)
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert f"FOLIOT_CA_FILE: {missing} is not a file" in done.stderr


def test_a_job_may_not_call_the_server_itself(tmp_path: Path) -> None:
    policy = {"retryType": "none"}
    with (
        target() as (uri, arrived),
        running(tmp_path, NO_ENGINE="0", ADMIN_TOKEN=TOKEN) as server,
    ):
        own = a_job(f"http://127.0.0.1:{server.port}/healthz")
        own["properties"]["action"]["retryPolicy"] = policy
        # The error action tells when the main one was given up.
        own["properties"]["action"]["errorAction"] = a_job(uri)["properties"]["action"]
        server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
        server.call("PUT", JOB, token=TOKEN, body=own)
        arrived.get(timeout=DEADLINE)
        history = answer(server, HISTORY)["value"]

    assert history[-1]["properties"]["status"] == "failed"
    assert "listen" in history[-1]["properties"]["message"].lower()
