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
    assert stranger.sign_in().status == 200
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
    shown = browser.post("/collections", form)
    assert shown.status == 200
    assert browser.get(COLLECTION).status == 200
    return browser
