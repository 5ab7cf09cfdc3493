"""Definitions as JSON, kept between answers."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import json
from msgspec.structs import replace

from foliot.api.wire.clients import ANY_CLIENT, OWN_CLIENT, WireClient
from foliot.api.wire.job import encode_definition, encode_job, write_job
from foliot.api.wire.written_definitions import WrittenDefinitions
from foliot.core.ids import CollectionId
from foliot.core.model.job import Definition, JobState
from tests.support.builders import DEFINITION, a_collection, a_job
from tests.support.definitions import DEFINITIONS


@pytest.mark.parametrize("definition", DEFINITIONS.values(), ids=DEFINITIONS)
@pytest.mark.parametrize("client", [ANY_CLIENT, OWN_CLIENT], ids=["any", "own"])
def test_a_kept_definition_reads_as_one_that_is_written_anew(
    definition: Definition, client: WireClient
) -> None:
    collection = a_collection()
    jobs = [
        a_job(CollectionId(1), definition=definition, state=state, execution_count=count)
        for state, count in ((JobState.ENABLED, 3), (JobState.DISABLED, 0))
    ]

    expected = [json.encode(encode_job(collection, job, client)) for job in jobs]

    for _ in range(2):
        assert [json.encode(write_job(collection, job, client)) for job in jobs] == expected


def test_a_definition_is_encoded_once_for_each_client() -> None:
    encoded: list[tuple[Definition, WireClient]] = []

    def encode(definition: Definition, client: WireClient) -> dict[str, Any]:
        encoded.append((definition, client))
        return encode_definition(definition, client)

    written = WrittenDefinitions(encode)
    other = replace(DEFINITION, description="changed")
    asked: Sequence[tuple[Definition, WireClient]] = [
        (DEFINITION, ANY_CLIENT),
        (DEFINITION, OWN_CLIENT),
        (other, ANY_CLIENT),
    ]
    for definition, client in [*asked, *asked]:
        written.written(definition, client)

    assert encoded == asked


def test_the_oldest_definition_makes_room_for_the_newest() -> None:
    encoded: list[Definition] = []

    def encode(definition: Definition, _: WireClient) -> dict[str, Any]:
        encoded.append(definition)
        return {}

    written = WrittenDefinitions(encode, most=2)
    first, second, third = (replace(DEFINITION, description=text) for text in "abc")
    for each in (first, second, third, second, first):
        written.written(each, ANY_CLIENT)

    assert encoded == [first, second, third, first]
