"""Azure's client and lists of more than one page."""

from collections.abc import Iterator
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest

from tests.contract.sdk.clients import CLIENTS, Azure, BlockingAzure
from tests.contract.sdk.models import GROUP, a_collection, a_job
from tests.contract.sdk.server import Server

SUBSCRIPTION = str(uuid5(NAMESPACE_URL, __name__))
NAMES = [f"job-{number:03}" for number in range(205)]
DISABLED = [name for number, name in enumerate(NAMES) if number % 2 == 0]


@pytest.fixture(scope="module")
def filled(server: Server) -> str:
    """Return a collection with jobs for three pages, every other one of them disabled."""
    with BlockingAzure(server, SUBSCRIPTION) as azure:
        azure.job_collections.create_or_update(GROUP, "many", a_collection("P20Premium"))
        for name in NAMES:
            state = "Disabled" if name in DISABLED else "Enabled"
            azure.jobs.create_or_update(GROUP, "many", name, a_job(state=state))
    return "many"


@pytest.fixture(params=CLIENTS)
def reader(request: pytest.FixtureRequest, server: Server) -> Iterator[Azure]:
    """Return each of the two clients in turn, in the subscription that all of them read."""
    with CLIENTS[request.param](server, SUBSCRIPTION) as client:
        yield client


@pytest.mark.parametrize(
    ("options", "expected", "pages"),
    [
        pytest.param({}, NAMES, [100, 100, 5], id="all of them, in three pages"),
        pytest.param({"filter": "state eq Disabled"}, DISABLED, [100, 3], id="a filter in two"),
        pytest.param({"filter": "STATE eq 'disabled'"}, DISABLED, [100, 3], id="a quoted filter"),
        pytest.param({"filter": "state eq Faulted"}, [], [0], id="a filter that none passes"),
        pytest.param({"skip": 104}, NAMES[104:], [100, 1], id="after some"),
        pytest.param({"skip": 1000}, [], [0], id="after all"),
        pytest.param({"top": 100}, NAMES[:100], [100], id="the first page's worth and no more"),
        pytest.param({"top": 2, "skip": 3}, NAMES[3:5], [2], id="a few after some"),
        pytest.param(
            {"top": 2, "skip": 101, "filter": "state eq Disabled"},
            DISABLED[101:103],
            [2],
            id="a few after some of a filter",
        ),
    ],
)
def test_a_list_of_jobs_goes_on_to_its_end(
    reader: Azure, filled: str, options: dict[str, Any], expected: list[str], pages: list[int]
) -> None:
    sizes: list[int] = []

    def note(page: list[Any]) -> list[Any]:
        sizes.append(len(page))
        return page

    listed = reader.jobs.list(GROUP, filled, cls=note, **options)

    assert [each.name for each in listed] == [f"many/{name}" for name in expected]
    assert sizes == pages


def test_a_listed_job_is_the_job(reader: Azure, filled: str) -> None:
    listed = reader.jobs.list(GROUP, filled, top=1)

    assert listed == [reader.jobs.get(GROUP, filled, NAMES[0])]


@pytest.mark.parametrize(
    "group",
    [
        pytest.param(GROUP, id="a plain group"),
        pytest.param("Büro-2_(50)", id="a group with letters that a link must escape"),
    ],
)
def test_a_list_of_collections_goes_on_to_its_end(azure: Azure, group: str) -> None:
    names = [f"c-{number:03}" for number in range(101)]
    for name in names:
        azure.job_collections.create_or_update(group, name, a_collection("P10Premium"))

    everywhere = azure.job_collections.list_by_subscription()
    in_group = azure.job_collections.list_by_resource_group(group)

    assert [each.name for each in everywhere] == names
    assert [each.name for each in in_group] == names
