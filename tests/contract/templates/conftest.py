from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.api_client import Client


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with Client(tmp_path) as opened:
        yield opened
