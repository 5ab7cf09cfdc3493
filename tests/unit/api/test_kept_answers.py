"""Jobs and definitions as JSON, kept between answers."""

import pytest
from msgspec import json
from msgspec.structs import replace

from foliot.api.wire.clients import ANY_CLIENT, OWN_CLIENT, WireClient
from foliot.api.wire.job import encode_job, write_jobs
from foliot.api.wire.kept_answers import KeptAnswers
from foliot.core.ids import CollectionId
from foliot.core.model.collection import CollectionState
from foliot.core.model.job import Definition, JobState
from tests.support.builders import DEFINITION, a_collection, a_job
from tests.support.definitions import DEFINITIONS


@pytest.mark.parametrize("definition", DEFINITIONS.values(), ids=DEFINITIONS)
@pytest.mark.parametrize("client", [ANY_CLIENT, OWN_CLIENT], ids=["any", "own"])
def test_a_kept_job_reads_as_one_that_is_written_anew(
    definition: Definition, client: WireClient
) -> None:
    # Of one definition, as the store returns it; the state of a collection changes what is next.
    collections = [a_collection(), a_collection(state=CollectionState.DISABLED)]
    jobs = [
        a_job(CollectionId(1), definition=definition, state=state, execution_count=count)
        for state, count in ((JobState.ENABLED, 3), (JobState.ENABLED, 4), (JobState.DISABLED, 0))
    ]
    asked = [(collection, job) for collection in collections for job in jobs]

    expected = [json.encode(encode_job(*each, client)) for each in asked]

    for _ in range(2):
        written = [write_jobs(collection, jobs, client) for collection in collections]
        assert [json.encode(each) for page in written for each in page] == expected


def test_a_value_is_written_once_for_each_client() -> None:
    asked_for: list[tuple[Definition, WireClient]] = []

    def write(definition: Definition, client: WireClient) -> int:
        asked_for.append((definition, client))
        return len(asked_for)

    kept = KeptAnswers(write)
    other = replace(DEFINITION, description="changed")
    asked = [(DEFINITION, ANY_CLIENT), (DEFINITION, OWN_CLIENT), (other, ANY_CLIENT)]

    assert [kept.get(*each) for each in [*asked, *asked]] == [1, 2, 3, 1, 2, 3]
    assert asked_for == asked


def test_the_oldest_value_makes_room_for_the_newest() -> None:
    written: list[Definition] = []

    def write(definition: Definition) -> None:
        written.append(definition)

    kept = KeptAnswers(write, most=2)
    first, second, third = (replace(DEFINITION, description=text) for text in "abc")
    for each in (first, second, third, second, first):
        kept.get(each)

    assert written == [first, second, third, first]


def test_a_value_that_is_equal_to_a_kept_one_is_not_taken_for_it() -> None:
    kept = KeptAnswers(id)
    # Made and dropped one after the other, which gives an unkept value the identity of the last.
    asked = [kept.get(replace(DEFINITION)) for _ in range(10)]

    assert len(set(asked)) == len(asked)
