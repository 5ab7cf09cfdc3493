"""Searches: how a text is read, and which jobs match it."""

import pytest
from msgspec.structs import replace

from foliot.core.errors import Invalid
from foliot.core.ids import CollectionId
from foliot.core.model.action import Action, ActionKind, HttpRequest, QueueMessage
from foliot.core.model.job import Definition, Job
from foliot.core.model.job_search import SearchField, SearchTerm
from foliot.core.recurrence import Frequency, Recurrence
from foliot.core.recurrence.cron import Cron
from foliot.core.rules.job_search import (
    MAX_CHARACTERS,
    matches,
    parse_search,
    search_words,
    terms_for_hosts,
)
from tests.support.builders import a_job

URI = "https://ann:hunter2@Api.Acme.example:8443/hooks/T0/B1?code=hunter3&x=1"
ERROR = Action(
    kind=ActionKind.STORAGE_QUEUE,
    part=QueueMessage(storage_account="spill", queue_name="failed-calls", message="body-text"),
)
REQUEST = HttpRequest(uri=URI, method="POST", headers={"X-Api-Key": "hunter4"}, body="hunter5")
NIGHTLY = a_job(
    CollectionId(1),
    "Nightly-Report",
    definition=Definition(
        action=Action(kind=ActionKind.HTTPS, part=REQUEST, error_action=ERROR),
        recurrence=Recurrence(cron=Cron("30 2 * * MON")),
        description="Sends the invoices",
        tags={"Team": "Payments", "nightly": ""},
    ),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("  Nightly  report ", [("any", "nightly"), ("any", "report")], id="words"),
        pytest.param('"every  Monday"', [("any", "every monday")], id="a phrase"),
        pytest.param("tag:Nightly", [("tag", "nightly")], id="a field"),
        pytest.param('Schedule:"every day"', [("schedule", "every day")], id="a phrase in a field"),
        pytest.param("tag: host:", [], id="a field without a word yet"),
        pytest.param('"', [], id="a quote without a word yet"),
        pytest.param("https://a.example/x", [("any", "https://a.example/x")], id="an address"),
        pytest.param("12:30", [("any", "12:30")], id="a time"),
        pytest.param("a\x1db", [("any", "a"), ("any", "b")], id="a mark is white space"),
    ],
)
def test_a_search_is_read_as_terms(text: str, expected: list[tuple[str, str]]) -> None:
    assert parse_search(text) == tuple(
        SearchTerm(SearchField(field), word) for field, word in expected
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("a b c d e f g", "7 words; search for at most 6", id="many words"),
        pytest.param("x" * (MAX_CHARACTERS + 1), "201 characters; search for at", id="long"),
    ],
)
def test_a_search_that_is_too_long_is_refused(text: str, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        parse_search(text)


@pytest.mark.parametrize(
    "text",
    [
        *("nightly", "REPORT", "name:report", "host:acme", "host:api.acme.example", "type:https"),
        *("tag:nightly", "tag:team", "tag:team=payments", "payments", "schedule:monday"),
        *('schedule:"02:30"', '"30 2 * * mon"', "state:enabled", "state:en", "invoices"),
        *("hooks/t0", "https://api.acme.example", "spill", "type:storagequeue", "failed-calls"),
        "report host:acme tag:team schedule:monday",
    ],
)
def test_a_job_matches(text: str) -> None:
    text = text.replace("https://api.acme.example", "api.acme.example:8443/hooks")

    assert matches(NIGHTLY, parse_search(text))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("weekly", id="another name"),
        pytest.param("name:acme", id="a host is no name"),
        pytest.param("host:nightly", id="a name is no host"),
        pytest.param("type:queue", id="a type begins otherwise"),
        pytest.param("tag:payments", id="a tag begins with its name"),
        pytest.param("schedule:nightly", id="a tag is no schedule"),
        pytest.param("schedule:https", id="a type is no schedule"),
        pytest.param("state:disabled", id="another state"),
        pytest.param("report weekly", id="one word of two"),
        *(pytest.param(f"hunter{number}", id=f"secret {number}") for number in range(2, 6)),
        pytest.param("body-text", id="a message"),
    ],
)
def test_a_job_does_not_match(text: str) -> None:
    assert not matches(NIGHTLY, parse_search(text))


def test_words_that_are_stored_have_no_path_no_query_and_no_credential() -> None:
    words = search_words(NIGHTLY)

    assert words.name == "nightly-report"
    assert words.host == "api.acme.example"
    for secret in ("hunter", "hooks", "ann", "8443", "x=1", "body", "invoices", "failed-calls"):
        assert secret not in words.words


@pytest.mark.parametrize(
    ("uri", "host"),
    [
        ("http://[::1]:80/x", "::1"),
        ("http://[", ""),
        ("not an address", ""),
        ("https://ann:pa/ss@host/", "ann"),
    ],
)
def test_an_address_that_is_odd_has_a_host_or_none(uri: str, host: str) -> None:
    request = HttpRequest(uri=uri, method="GET")
    job = replace(NIGHTLY, definition=_with(request))

    assert search_words(job).host == host
    assert matches(job, parse_search("nightly"))


def test_of_an_address_its_host_is_searched_where_paths_are_not_stored() -> None:
    terms = terms_for_hosts(parse_search("https://API.acme.example/hooks/T0 http:// monday"))

    assert [(each.field.value, each.text) for each in terms] == [
        ("host", "api.acme.example"),
        ("any", "http://"),
        ("any", "monday"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("contoso.servicebus.windows.net", ("any", "contoso")),
        ("Spill.queue.core.windows.net", ("any", "spill")),
        ("spill.queue.core.usgovcloudapi.net:443/failed", ("any", "spill")),
        ("sb://contoso.servicebus.windows.net/orders", ("host", "contoso")),
        ("host:contoso.servicebus.windows.net", ("host", "contoso")),
        ("host:https://api.acme.example/x", ("host", "api.acme.example")),
        ("127.0.0.1:18999", ("any", "127.0.0.1")),
        ("host:127.0.0.1:18999", ("host", "127.0.0.1")),
        ("[::1]:8080", ("any", "::1")),
        ("billing-api:8080/run", ("any", "billing-api")),
        ("api.acme.example/hooks/T0", ("any", "api.acme.example")),
    ],
)
def test_a_host_with_a_port_a_path_or_the_domain_of_queues_is_searched_as_it_is_stored(
    text: str, expected: tuple[str, str]
) -> None:
    (term,) = terms_for_hosts(parse_search(text))

    assert (term.field.value, term.text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "12:30",
        "europe/berlin",
        "team=payments",
        "nightly",
        "name:a.example:80",
        "a:",
        "://",
        "[",
        "*/5",
    ],
)
def test_what_is_no_host_is_searched_as_it_is_typed(text: str) -> None:
    assert terms_for_hosts(parse_search(text)) == parse_search(text)


@pytest.mark.parametrize(
    "text", ["spill.queue.core.windows.net", "host:api.acme.example:8443", "api.acme.example:8443"]
)
def test_a_job_matches_the_host_that_pages_show(text: str) -> None:
    assert matches(NIGHTLY, parse_search(text))


def _with(request: HttpRequest) -> Definition:
    action = Action(kind=ActionKind.HTTP, part=request)
    return Definition(action=action, recurrence=Recurrence(frequency=Frequency.DAY))


def test_a_job_that_runs_once_is_found_by_its_schedule() -> None:
    job: Job = replace(NIGHTLY, definition=replace(NIGHTLY.definition, recurrence=None))

    assert matches(job, parse_search("schedule:once"))
