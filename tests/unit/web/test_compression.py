"""What is compressed, and for whom."""

import asyncio
import gzip

import pytest

from foliot.web.compression import compressed

LONG = b"long " * 1000


def sent(content: bytes, *accepted: str) -> bytes | None:
    headers = [(b"accept-encoding", each.encode()) for each in accepted]
    return asyncio.run(compressed(content, {"type": "http", "headers": headers}))


@pytest.mark.parametrize(
    "accepted",
    [
        ["gzip"],
        ["deflate, gzip;q=0.5, br"],
        ["br", "GZIP"],
        ["*"],
        ["gzip ; q=1"],
        ["identity;q=0, *;q=0.1"],
    ],
    ids=str,
)
def test_a_client_that_takes_gzip_gets_it(accepted: list[str]) -> None:
    smaller = sent(LONG, *accepted)

    assert smaller is not None
    assert len(smaller) < len(LONG) / 10
    assert gzip.decompress(smaller) == LONG


@pytest.mark.parametrize(
    "accepted",
    [[], [""], ["br"], ["gzip;q=0"], ["*, gzip;q=0"], ["gzip;q=x"], ["xgzip"], [",;="]],
    ids=str,
)
def test_another_client_gets_it_as_it_is(accepted: list[str]) -> None:
    assert sent(LONG, *accepted) is None


def test_what_is_small_is_not_compressed() -> None:
    assert sent(b"x" * 1023, "gzip") is None
    assert sent(b"x" * 1024, "gzip") is not None


def test_what_is_very_large_is_compressed_beside_the_event_loop() -> None:
    large = LONG * 100

    assert gzip.decompress(sent(large, "gzip") or b"") == large
