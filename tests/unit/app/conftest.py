from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.app.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path)
    yield opened
    opened.close()
