from collections.abc import Iterator
from uuid import NAMESPACE_URL, uuid5

import pytest

from tests.contract.sdk.clients import CLIENTS, Azure
from tests.contract.sdk.models import GROUP, a_collection
from tests.contract.sdk.server import Server, running_server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a server that all tests of a worker share."""
    with running_server(tmp_path_factory.mktemp("foliot")) as started:
        yield started


@pytest.fixture
def subscription(request: pytest.FixtureRequest) -> str:
    """Return a subscription of the test's own, so that none meets what another has made."""
    return str(uuid5(NAMESPACE_URL, request.node.nodeid))


@pytest.fixture(params=CLIENTS)
def azure(request: pytest.FixtureRequest, server: Server, subscription: str) -> Iterator[Azure]:
    """Return each of the two clients in turn."""
    with CLIENTS[request.param](server, subscription) as client:
        yield client


@pytest.fixture
def ledger(azure: Azure) -> Azure:
    """Return a client with an empty collection `ledger`."""
    azure.job_collections.create_or_update(GROUP, "ledger", a_collection())
    return azure
