from collections.abc import Generator

import pytest

from tests.support import postgres


@pytest.fixture
def url() -> Generator[str]:
    """The address of a database with Foliot's tables and nothing in them."""
    with postgres.new_database() as address:
        yield address
        postgres.check_due(address)
