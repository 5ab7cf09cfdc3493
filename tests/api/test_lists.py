"""Listings: pages, links that go on stably, $top, $skip and $filter."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from foliot.core.model.job import JobState
from tests.support import builders
from tests.support.api_client import (
    COLLECTION,
    COLLECTIONS,
    JOB,
    JOBS,
    SUBSCRIPTION,
    Client,
    a_collection,
    http_job,
)

VERSION = "api-version=2016-03-01"
OF_SUBSCRIPTION = f"{SUBSCRIPTION}/providers/Microsoft.Scheduler/jobCollections"


def add_jobs(client: Client, *names: str, **fields: Any) -> None:
    found = client.collection().id
    jobs = [builders.a_job(found, name, **fields) for name in names]
    client.run(client.store.write(lambda tx: [tx.add_job(job) for job in jobs]))


def add_collections(client: Client, *names: str, group: str = "Prod") -> None:
    new = [builders.a_collection(name, group=group) for name in names]
    client.run(client.store.write(lambda tx: [tx.add_collection(each) for each in new]))


def numbered(count: int, prefix: str = "job") -> list[str]:
    return [f"{prefix}{number:03}" for number in range(count)]


def names_of(listing: Any) -> list[str]:
    return [each["name"].rpartition("/")[2] for each in listing["value"]]


def follow(client: Client, link: str) -> Any:
    parts = urlsplit(link)
    return client.get(parts.path, query=parts.query).json


def all_names(client: Client, path: str, query: str = VERSION) -> list[list[str]]:
    """Return the names on each page."""
    page = client.get(path, query=query).json
    pages = [names_of(page)]
    while page["nextLink"] is not None:
        page = follow(client, page["nextLink"])
        pages.append(names_of(page))
    return pages


@pytest.mark.parametrize(
    ("count", "sizes"),
    [(0, [0]), (1, [1]), (100, [100]), (101, [100, 1]), (200, [100, 100]), (250, [100, 100, 50])],
)
@pytest.mark.parametrize("kind", ["jobs", "collections of a group", "collections"])
def test_a_listing_comes_in_pages_of_100(
    client: Client, kind: str, count: int, sizes: list[int]
) -> None:
    if kind == "jobs":
        client.put(COLLECTION, a_collection())
        add_jobs(client, *numbered(count))
        path = JOBS
    else:
        half = numbered(count)
        add_collections(client, *half)
        path = COLLECTIONS if kind == "collections of a group" else OF_SUBSCRIPTION

    pages = all_names(client, path)

    assert [len(page) for page in pages] == sizes
    assert [name for page in pages for name in page] == numbered(count)


def test_a_list_has_its_values_and_a_link_and_nothing_else(billing: Client) -> None:
    assert billing.get(JOBS).content == b'{"value":[],"nextLink":null}'


def test_jobs_are_listed_by_name_in_any_letter_case(billing: Client) -> None:
    for name in ("b", "C", "a", "D", "a-1", "a_1", "A1"):
        billing.put(f"{JOBS}/{name}", http_job())

    assert names_of(billing.get(JOBS).json) == ["a", "a-1", "A1", "a_1", "b", "C", "D"]


def test_the_link_is_absolute_and_keeps_the_version_and_the_filter(billing: Client) -> None:
    add_jobs(billing, *numbered(101))
    query = "api-version=2014-08-01-preview&$filter=state%20eq%20'Enabled'&$skip=0"

    link = billing.get(JOBS, query=query).json["nextLink"]

    assert link == (
        f"http://foliot.test:8080{JOBS}?api-version=2014-08-01-preview"
        "&$filter=state%20eq%20%27Enabled%27&$skiptoken=job099"
    )
    assert names_of(follow(billing, link)) == ["job100"]


def test_the_link_begins_with_the_public_url_if_there_is_one(tmp_path: Any) -> None:
    with Client(tmp_path, public_url="https://jobs.example.com/foliot") as client:
        client.put(COLLECTION, a_collection())
        add_jobs(client, *numbered(101))

        link = client.get(JOBS).json["nextLink"]

    assert link.startswith(f"https://jobs.example.com/foliot{JOBS}?api-version=2016-03-01&")


def test_the_link_is_an_address_also_where_a_name_needs_escapes(client: Client) -> None:
    path = COLLECTIONS.replace("/Prod/", "/a%20b%3F%C3%A9/")
    add_collections(client, *numbered(101), group="a b?é")

    pages = all_names(client, path)

    assert [len(page) for page in pages] == [100, 1]


def test_the_pages_stay_right_while_jobs_come_and_go(billing: Client) -> None:
    add_jobs(billing, *numbered(210))

    first = billing.get(JOBS).json
    billing.delete(f"{JOBS}/job099")
    billing.delete(f"{JOBS}/job050")
    add_jobs(billing, "aaa", "job099a", "zzz")
    second = follow(billing, first["nextLink"])
    billing.delete(f"{JOBS}/job205")
    add_jobs(billing, "job000a")
    third = follow(billing, second["nextLink"])

    seen = names_of(first) + names_of(second) + names_of(third)
    assert len(seen) == len(set(seen))
    assert seen == [
        *numbered(100),
        "job099a",
        *numbered(205)[100:],
        *numbered(210)[206:],
        "zzz",
    ]


def test_the_pages_of_collections_stay_right_while_some_come_and_go(client: Client) -> None:
    add_collections(client, *numbered(60, "a"), group="g1")
    add_collections(client, *numbered(60, "b"), group="g2")

    first = client.get(OF_SUBSCRIPTION).json
    client.delete(
        f"{SUBSCRIPTION}/resourceGroups/g2/providers/Microsoft.Scheduler/jobCollections/b039"
    )
    add_collections(client, "new", group="g1")
    add_collections(client, "b039a", group="G2")
    second = follow(client, first["nextLink"])

    assert names_of(first) == numbered(60, "a") + numbered(40, "b")
    assert names_of(second) == ["b039a", *numbered(60, "b")[40:]]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("$top=1", numbered(1)),
        ("$top=100", numbered(100)),
        ("$top=5&$skip=3", numbered(8)[3:]),
        ("$top=5&$skip=148", numbered(150)[148:]),
        ("$top=5&$skip=1000", []),
        ("%24top=2", numbered(2)),
        ("$TOP=2&$Skip=1", numbered(3)[1:]),
    ],
)
def test_top_caps_the_whole_answer(billing: Client, query: str, names: list[str]) -> None:
    add_jobs(billing, *numbered(150))

    listing = billing.get(JOBS, query=f"{VERSION}&{query}").json

    assert names_of(listing) == names
    assert listing["nextLink"] is None


@pytest.mark.parametrize(
    ("skip", "sizes"), [(0, [100, 50]), (20, [100, 30]), (50, [100]), (120, [30]), (150, [0])]
)
def test_skip_passes_over_the_first_ones_once(billing: Client, skip: int, sizes: list[int]) -> None:
    add_jobs(billing, *numbered(150))

    pages = all_names(billing, JOBS, f"{VERSION}&$skip={skip}")

    assert [len(page) for page in pages] == sizes
    assert [name for page in pages for name in page] == numbered(150)[skip:]


@pytest.mark.parametrize(
    ("parameter", "value", "allowed"),
    [
        *(
            ("$top", value, "1 to 100")
            for value in ("0", "101", "-1", "", "x", "1.5", "+5", "٣", "1e1", "9" * 30)
        ),
        *(("$skip", value, "0 to 2147483647") for value in ("-1", "", "x", "2147483648")),
    ],
)
@pytest.mark.parametrize(
    "path", [JOBS, f"{JOB}/history", COLLECTIONS], ids=["jobs", "history", "collections"]
)
def test_a_page_that_cannot_be_is_refused(
    billing: Client, path: str, parameter: str, value: str, allowed: str
) -> None:
    billing.put(JOB, http_job())
    escaped = "".join(f"%{byte:02x}" for byte in value.encode())

    reply = billing.get(path, query=f"{VERSION}&{parameter}={escaped}")

    assert (reply.status, reply.code) == (400, "MissingOrInvalidRequiredQueryParameter")
    assert reply.message.startswith(f"{parameter}: ")
    assert reply.message.endswith(f" is not valid; give a whole number from {allowed}.")


@pytest.mark.parametrize(
    "form",
    [
        "state eq {}",
        "state eq '{}'",
        "STATE EQ {}",
        "State  Eq  '{}' ",
    ],
)
@pytest.mark.parametrize("state", list(JobState))
@pytest.mark.parametrize("spell", [str.lower, str.capitalize, str.upper])
def test_jobs_can_be_filtered_by_state(
    billing: Client, form: str, state: JobState, spell: Any
) -> None:
    for each in JobState:
        add_jobs(billing, f"is-{each}", state=each)
    text = form.format(spell(state.value)).replace(" ", "%20").replace("'", "%27")

    listing = billing.get(JOBS, query=f"{VERSION}&$filter={text}").json

    assert names_of(listing) == [f"is-{state}"]


def test_a_filtered_listing_goes_on_with_its_filter(billing: Client) -> None:
    add_jobs(billing, *numbered(150, "off"), state=JobState.DISABLED)
    add_jobs(billing, *numbered(150, "on"))

    pages = all_names(billing, JOBS, f"{VERSION}&$filter=state%20eq%20disabled")

    assert [len(page) for page in pages] == [100, 50]
    assert [name for page in pages for name in page] == numbered(150, "off")


FILTERS = {
    "empty": "",
    "unknown field": "name eq Nightly",
    "field of the other list": "status eq failed",
    "unknown value": "state eq paused",
    "no value": "state eq",
    "empty value": "state eq ''",
    "another operator": "state ne enabled",
    "two conditions": "state eq enabled or state eq disabled",
    "a quote too few": "state eq 'enabled",
    "double quotes": 'state eq "enabled"',
    "value first": "enabled eq state",
    "no spaces": "state=enabled",
}


@pytest.mark.parametrize("text", FILTERS.values(), ids=FILTERS.keys())
def test_a_filter_that_is_not_understood_is_refused_with_those_that_are(
    billing: Client, text: str
) -> None:
    escaped = "".join(f"%{byte:02x}" for byte in text.encode())

    reply = billing.get(JOBS, query=f"{VERSION}&$filter={escaped}")

    assert (reply.status, reply.code) == (400, "MissingOrInvalidRequiredQueryParameter")
    assert reply.message.startswith("$filter: ")
    assert reply.message.endswith(
        " is not understood; give one of state eq enabled, state eq disabled, "
        "state eq completed, state eq faulted."
    )
