import asyncio

import pytest

from foliot.core.ids import CollectionKey
from foliot.ports.logs import (
    LogEvent,
    add_to_context,
    collection_text,
    context_fields,
    get_logger,
    log_context,
    short_message,
)

LOG = get_logger("foliot.test")


def fields_of(caplog: pytest.LogCaptureFixture) -> list[dict[str, object]]:
    return [dict(record.msg.fields) for record in caplog.records if is_ours(record.msg)]


def is_ours(message: object) -> bool:
    return isinstance(message, LogEvent)


def test_a_handler_that_knows_no_fields_shows_them_behind_the_event(
    caplog: pytest.LogCaptureFixture,
) -> None:
    LOG.error("Run given up", job="Nightly", attempts=5)

    assert caplog.messages == ["Run given up job=Nightly attempts=5"]


def test_lines_of_a_block_have_its_fields_and_those_added_later(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def in_a_task() -> None:
        add_to_context(who="ops")

    async def steps() -> None:
        with log_context(request_id="1"):
            await asyncio.gather(in_a_task())
            LOG.warning("inside", job="j")
        LOG.warning("outside")

    asyncio.run(steps())

    assert fields_of(caplog) == [{"job": "j", "request_id": "1", "who": "ops"}, {}]


def test_a_field_of_the_line_wins_over_that_of_the_block(caplog: pytest.LogCaptureFixture) -> None:
    with log_context(request_id="1"):
        LOG.warning("inside", request_id="2")

    assert fields_of(caplog) == [{"request_id": "2"}]


def test_outside_of_a_block_nothing_is_added() -> None:
    add_to_context(who="ops")

    assert context_fields() == {}


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("", ""),
        ("Unable to connect", "Unable to connect"),
        ("first\r\nsecond", "first"),
        ("a\tb\x1b[0m\u202e", r"a\tb\x1b[0m\u202e"),
        ("x" * 500, "x" * 200),
        (
            "Http Action - Response from host 'h': '500' Response Headers: a: b\r\n Body: c",
            "Http Action - Response from host 'h': '500'",
        ),
    ],
    ids=["empty", "short", "two lines", "control characters", "long", "a target's words"],
)
def test_of_a_message_a_line_shows_the_beginning(message: str, shown: str) -> None:
    assert short_message(message) == shown


def test_a_collection_is_shown_with_its_subscription_and_group() -> None:
    assert collection_text(CollectionKey("s", "g", "c")) == "s/g/c"
