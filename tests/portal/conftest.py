from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.portal.browser import COLLECTION, Browser


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[Browser]:
    """Return a browser whose user has not signed in."""
    with Browser(tmp_path) as browser:
        yield browser


@pytest.fixture
def browser(stranger: Browser) -> Browser:
    """Return a browser whose user is an Owner."""
    # Where it leads is looked at by the tests of signing in.
    assert stranger.sign_in(follow=False).status == 303
    return stranger


@pytest.fixture
def billing(browser: Browser) -> Browser:
    """Return a browser of an Owner, with an empty collection."""
    form = {
        "subscription": "me",
        "group": "home",
        "collection": "Billing",
        "properties.sku.name": "Standard",
        "was": "{}",
    }
    assert browser.post("/collections", form, follow=False).header("location") == COLLECTION
    return browser
