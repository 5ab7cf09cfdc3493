"""A real server that exports spans to a real collector, and one whose collector is away."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.http_target import HISTORY, JOB, TOKEN, a_job, answer, target
from tests.support.otlp_receiver import ReceivedSpan, collector
from tests.support.server import COLLECTION, DEADLINE, Server, eventually, foliot, running

AT_ONCE = {"OTEL_BSP_SCHEDULE_DELAY": "50"}


def run_job(server: Server, uri: str) -> None:
    server.call("PUT", COLLECTION, token=TOKEN, body={"location": "westus"})
    assert server.call("PUT", JOB, token=TOKEN, body=a_job(uri)).status == 201


@pytest.mark.parametrize("one_process", ["0", "1"], ids=["worker process", "one process"])
def test_spans_arrive_and_the_target_is_told_of_them(tmp_path: Path, one_process: str) -> None:
    with target() as (uri, arrived), collector() as (endpoint, spans):
        environ = AT_ONCE | {
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test",
        }
        own = {"NO_ENGINE": "0", "ADMIN_TOKEN": TOKEN, "ONE_PROCESS": one_process, "TRACING": "1"}
        with running(tmp_path, **own, **environ) as server:
            run_job(server, f"{uri}?code=hunter2")
            headers = arrived.get(timeout=DEADLINE)
            found = [spans.get(timeout=DEADLINE) for _ in range(2)]

    by_name: dict[str, ReceivedSpan] = {each.name: each for each in found}
    attempt, run = by_name["attempt j"], by_name["run j"]
    tag = headers["x-ms-execution-tag"]
    assert headers["traceparent"] == f"00-{tag}-{attempt.span_id}-01"
    assert (attempt.trace_id, run.trace_id) == (tag, tag)
    assert (attempt.parent_id, run.parent_id) == (run.span_id, "")
    assert attempt.attributes["http.response.status_code"] == 200
    assert attempt.attributes["server.address"] == "127.0.0.1"
    assert run.attributes["foliot.outcome"] == "succeeded"
    assert run.resource["service.name"] == "foliot"
    assert run.resource["deployment.environment.name"] == "test"
    assert "hunter2" not in str(found)


def test_what_is_left_is_exported_when_the_server_ends(tmp_path: Path) -> None:
    with target() as (uri, arrived), collector() as (endpoint, spans):
        environ = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
            "OTEL_BSP_SCHEDULE_DELAY": "3600000",
            "OTEL_SERVICE_NAME": "mine",
        }
        own = {"NO_ENGINE": "0", "ADMIN_TOKEN": TOKEN, "TRACING": "1"}
        with running(tmp_path, **own, **environ) as server:
            run_job(server, uri)
            arrived.get(timeout=DEADLINE)
            eventually(lambda: bool(answer(server, HISTORY)["value"]))
            assert server.stop()[0] == 0
        found = [spans.get(timeout=DEADLINE) for _ in range(2)]

    assert {each.name for each in found} == {"attempt j", "run j"}
    assert {each.resource["service.name"] for each in found} == {"mine"}


def test_a_collector_that_never_answers_delays_no_run_and_no_end(tmp_path: Path) -> None:
    with target() as (uri, arrived), socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        environ = AT_ONCE | {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
        own = {"NO_ENGINE": "0", "ADMIN_TOKEN": TOKEN, "TRACING": "1"}
        with running(tmp_path, **own, **environ) as server:
            run_job(server, uri)
            arrived.get(timeout=DEADLINE)
            eventually(lambda: bool(answer(server, HISTORY)["value"]))
            for _ in range(3):
                assert server.call("POST", JOB.replace("/j?", "/j/run?"), token=TOKEN).status == 200
                arrived.get(timeout=DEADLINE)
            code, _, _ = server.stop()

    assert code == 0


@pytest.mark.parametrize(
    ("variable", "text"),
    [("OTEL_TRACES_EXPORTER", "jaeger"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")],
)
def test_an_exporter_that_does_not_exist_is_refused(
    tmp_path: Path, variable: str, text: str
) -> None:
    ended = foliot(
        "serve",
        "--port",
        "0",
        "--data-dir",
        str(tmp_path),
        "--tracing",
        **({"NO_ENGINE": "0"} | {variable: text}),
    )

    assert ended.returncode == 1
    assert variable in ended.stderr
    assert f"'{text}'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_without_tracing_nothing_of_opentelemetry_is_loaded() -> None:
    program = (
        "import sys; import foliot.serve.main, foliot.serve.worker_main;"
        "print([each for each in sys.modules if 'opentelemetry' in each or 'protobuf' in each])"
    )

    ended = subprocess.run(  # noqa: S603  (our own)
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert ended.stdout.strip() == "[]"


def test_without_the_extra_a_server_with_tracing_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['opentelemetry'] = None;"
        f"sys.argv = ['foliot', 'serve', '--port', '0', '--data-dir', {str(tmp_path)!r},"
        " '--tracing'];"
        "from foliot.cli import app; app()"
    )

    ended = subprocess.run(  # noqa: S603  (our own)
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert ended.returncode == 1
    assert f"pip --python {sys.prefix} install 'foliot[otel]'" in ended.stderr
    assert "Traceback" not in ended.stderr
