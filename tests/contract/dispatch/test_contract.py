"""What anyone may expect of a dispatcher: to plug one in, add how it is opened and a request."""

import asyncio
import socket
from collections.abc import Callable
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from foliot.core.model.action import (
    Action,
    ActionKind,
    BasicAuthentication,
    QueueMessage,
    ServiceBusAuthentication,
    ServiceBusMessage,
)
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.model.reason import Reason
from foliot.core.secret import Secret
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.attempt import HttpDispatcher
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.queue_endpoints import bus_endpoints, storage_endpoints
from foliot.dispatch.router import Dispatchers
from foliot.dispatch.service_bus.send import ServiceBusDispatcher
from foliot.dispatch.storage_queue import StorageQueueDispatcher
from foliot.dispatch.worker.client import WorkerClient
from foliot.dispatch.worker.server import WorkerServer
from foliot.ports.dispatch import Dispatcher
from foliot.ports.health import Health
from tests.contract.dispatch.target import Routes, Target, answer, hang, redirect, target
from tests.support.builders import NOW
from tests.support.dispatch_harness import a_request, request_for, run

SECRET = "Pa55-w0rd"  # noqa: S105  (a test's)


class Kind(NamedTuple):
    """A kind of dispatcher: with a deadline, and a request for a target that holds the secret."""

    open: Callable[[float, Target], Dispatcher]
    request: Callable[[Target], AttemptRequest]


def _settings(seconds: float) -> HttpSettings:
    return HttpSettings(timeout_seconds=seconds)


def _http(seconds: float, _: Target) -> HttpDispatcher:
    return HttpDispatcher(EgressRules(), lambda: NOW, _settings(seconds))


def _http_request(server: Target) -> AttemptRequest:
    given = BasicAuthentication(username="ann", password=Secret(SECRET))
    return a_request(server.url(f"/hook?key={SECRET}"), method="POST", authentication=given)


def _routed(seconds: float, server: Target) -> Dispatchers:
    http = _http(seconds, server)
    return Dispatchers({type(a_request("http://h/").action.part): http})


class _InProcessLauncher:
    """Starts workers in the same process."""

    def __init__(self, seconds: float, server: Target) -> None:
        self._make = lambda: WorkerServer(_routed(seconds, server))
        self._serving: set[asyncio.Task[None]] = set()

    async def start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        self._serving.add(asyncio.create_task(self._make().serve(theirs)))
        return ours

    def kill(self) -> None:
        """Nothing here is ever stuck."""

    async def was_killed(self) -> bool:
        return False


class _RunningClient(WorkerClient):
    """A client that runs until it is closed."""

    def __init__(self, launcher: _InProcessLauncher) -> None:
        super().__init__(launcher, Health())
        self._running = asyncio.create_task(self.run())

    async def close(self) -> None:
        await super().close()
        self._running.cancel()
        await asyncio.wait([self._running])


def _through_worker(seconds: float, server: Target) -> WorkerClient:
    return _RunningClient(_InProcessLauncher(seconds, server))


def _storage(seconds: float, server: Target) -> StorageQueueDispatcher:
    endpoints = storage_endpoints(placed=f'{{"here": "{server.url()}"}}')
    return StorageQueueDispatcher(EgressRules(), lambda: NOW, _settings(seconds), endpoints)


def _storage_request(_: Target) -> AttemptRequest:
    token = Secret(f"sv=2024-08-04&sig={SECRET}")
    part = QueueMessage(storage_account="here", queue_name="orders", message="m", sas_token=token)
    return request_for(Action(kind=ActionKind.STORAGE_QUEUE, part=part))


def _bus(seconds: float, server: Target) -> ServiceBusDispatcher:
    endpoints = bus_endpoints(placed=f'{{"here": "{server.url()}"}}')
    return ServiceBusDispatcher(EgressRules(), lambda: NOW, _settings(seconds), endpoints)


def _amqp(seconds: float, server: Target) -> ServiceBusDispatcher:
    endpoints = bus_endpoints(placed=f'{{"here": "amqp://127.0.0.1:{server.port}"}}')
    return ServiceBusDispatcher(EgressRules(), lambda: NOW, _settings(seconds), endpoints)


def _bus_request(_: Target) -> AttemptRequest:
    given = ServiceBusAuthentication(sas_key=Secret(SECRET), sas_key_name="key")
    part = ServiceBusMessage(entity="q", namespace="here", message="m", authentication=given)
    return request_for(Action(kind=ActionKind.SERVICE_BUS_QUEUE, part=part))


KINDS = {
    "http": Kind(_http, _http_request),
    "router": Kind(_routed, _http_request),
    "worker": Kind(_through_worker, _http_request),
    "storage": Kind(_storage, _storage_request),
    "bus over HTTP": Kind(_bus, _bus_request),
    "bus over AMQP": Kind(_amqp, _bus_request),
}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


async def _reset(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def _echo(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    body = f"Basic YW5uOlBhNTUtdzByZA== {SECRET}".encode()
    writer.write(answer("400 Bad Request", body, X_Echo=SECRET))


BEHAVIOURS: dict[str, Routes] = {
    "answers": {"*": answer()},
    "fails": {"*": answer("500 Oops")},
    "hangs": {"*": hang},
    "resets": {"*": _reset},
    "talks nonsense": {"*": b"\0\1\2\3\r\n\r\n"},
    "redirects in circles": {"*": redirect("/")},
    "redirects to a file": {"*": redirect("file:///etc/passwd")},
    "sends the secret back": {"*": _echo},
}


@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=BEHAVIOURS)
def test_an_attempt_ends_by_its_deadline_without_exception_or_secret(
    kind: Kind, behaviour: Routes
) -> None:
    outcome = run(_attempt(kind, behaviour, 0.3))

    assert outcome.message
    assert SECRET not in outcome.message
    assert "YW5uOlBhNTUtdzByZA" not in outcome.message


@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=BEHAVIOURS)
def test_a_failure_has_a_reason_and_every_attempt_its_host(kind: Kind, behaviour: Routes) -> None:
    outcome = run(_attempt(kind, behaviour, 0.3))

    assert (outcome.reason is None) is outcome.succeeded
    assert outcome.host == "127.0.0.1"


def test_a_job_may_have_a_timeout_of_its_own(kind: Kind) -> None:
    outcome = run(_attempt(kind, {"*": hang}, 30, timeout_seconds=0.2))

    assert outcome.reason is Reason.TIMEOUT


async def _attempt(
    kind: Kind, behaviour: Routes, seconds: float, timeout_seconds: float | None = None
) -> Outcome:
    async with target(behaviour) as server:
        dispatcher = kind.open(seconds, server)
        request = replace(kind.request(server), timeout_seconds=timeout_seconds)
        async with asyncio.timeout(3):
            outcome = await dispatcher.dispatch(request)
        await dispatcher.close()
        assert isinstance(outcome, Outcome)
        return outcome


@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=BEHAVIOURS)
def test_no_connection_is_left_after_it_was_closed(kind: Kind, behaviour: Routes) -> None:
    async def steps() -> int:
        async with target(behaviour) as server:
            dispatcher = kind.open(0.2, server)
            await asyncio.gather(*(dispatcher.dispatch(kind.request(server)) for _ in range(5)))
            await dispatcher.close()
            await server.all_gone()
            return len(server.open_connections)

    assert run(steps()) == 0


def test_a_refused_connection_is_an_outcome(kind: Kind) -> None:
    async def steps() -> bool:
        async with target() as server:
            pass
        dispatcher = kind.open(1, server)
        outcome = await dispatcher.dispatch(kind.request(server))
        await dispatcher.close()
        return outcome.succeeded

    assert not run(steps())


def test_a_dispatcher_can_be_closed_unused_and_twice(kind: Kind) -> None:
    async def steps() -> None:
        async with target() as server:
            dispatcher = kind.open(1, server)
        await dispatcher.close()
        await dispatcher.close()

    run(steps())


def test_a_cancelled_attempt_is_cancelled(kind: Kind) -> None:
    async def steps() -> bool:
        async with target({"*": hang}) as server:
            dispatcher = kind.open(5, server)
            attempt = asyncio.ensure_future(dispatcher.dispatch(kind.request(server)))
            await asyncio.sleep(0.01)
            attempt.cancel()
            await asyncio.gather(attempt, return_exceptions=True)
            await dispatcher.close()
            await server.all_gone()
            return attempt.cancelled()

    assert run(steps())


def test_a_kind_of_action_without_a_dispatcher_is_a_failure() -> None:
    async def steps() -> tuple[object, str]:
        outcome = await Dispatchers({}).dispatch(a_request("http://h/"))
        return outcome.reason, outcome.message

    assert run(steps()) == (
        Reason.INVALID_REQUEST,
        "Http Action - Request to host 'h' failed: "
        "UnknownError This kind of action cannot be carried out yet.",
    )
