"""The portal without scripts: nothing that people need is missing, nothing is shown in vain."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.work_collection import COLLECTION, make_collection, put_job
from tests.support.server import Server

JOB = f"{COLLECTION}/jobs/nightly"
# Each is a part of an element that only a script brings to life.
DEAD = "[data-add], [data-remove], [data-theme-toggle], [data-menu], [data-copy], [data-reads]"


def opened(server: Server, open_tab: Any, **options: Any) -> Any:
    tab = open_tab(server, java_script_enabled=False, **options)
    tab.sign_in()
    make_collection(tab)
    tags = {"team": "billing"}
    put_job(server, "nightly", recurrence={"frequency": "year"}, state="disabled", tags=tags)
    return tab


def test_a_collection_is_paused_and_resumed(server: Server, open_tab: Any) -> None:
    tab = opened(server, open_tab)
    page = tab.page
    tab.go(COLLECTION)

    page.get_by_role("link", name="Pause…").click()
    page.get_by_role("button", name="Pause collection").click()
    page.get_by_text("Collection paused: its jobs").wait_for()
    page.get_by_role("link", name="Resume…").click()
    page.get_by_role("button", name="Resume collection").click()

    page.get_by_text("Collection resumed").wait_for()


def test_a_job_is_deleted(server: Server, open_tab: Any) -> None:
    tab = opened(server, open_tab)
    page = tab.page
    tab.go(JOB)

    page.get_by_role("link", name="Delete…").click()
    page.get_by_role("link", name="Cancel").click()
    page.get_by_role("link", name="Delete…").click()
    page.get_by_role("button", name="Delete job").click()

    page.get_by_text("Job nightly deleted.").wait_for()


def test_a_tag_is_added_and_another_removed(server: Server, open_tab: Any) -> None:
    tab = opened(server, open_tab)
    page = tab.page
    tab.go(f"{JOB}/edit")
    tags = page.get_by_role("group", name="Tags")

    tags.get_by_label("Name", exact=True).fill("")
    tags.get_by_label("Another name").fill("stage")
    tags.get_by_label("Another value").fill("test")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    tab.go(f"{JOB}/edit")

    expect(tags.get_by_label("Name", exact=True)).to_have_value("stage")
    expect(tags.get_by_label("Value", exact=True)).to_have_value("test")


def test_the_form_of_a_job_says_where_its_next_runs_are_shown(
    server: Server, open_tab: Any
) -> None:
    tab = opened(server, open_tab)
    page = tab.page
    tab.go(f"{JOB}/edit")

    expect(page.get_by_text("The next runs appear here.")).to_be_hidden()
    expect(page.get_by_text("After you save the job, its tab Schedule shows")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("navigation", name="Job").get_by_role("link", name="Schedule").click()
    expect(page.get_by_role("heading", name="Next 10 runs")).to_be_visible()


@pytest.mark.parametrize("width", [pytest.param(390, id="narrow"), pytest.param(1200, id="wide")])
def test_what_needs_a_script_is_not_shown(server: Server, open_tab: Any, width: int) -> None:
    tab = opened(server, open_tab, viewport={"width": width, "height": 800})
    page = tab.page
    for path in (f"{JOB}/edit", f"{JOB}/properties", f"{COLLECTION}/edit"):
        tab.go(path)
        assert page.locator(DEAD).filter(visible=True).all_text_contents() == []
        expect(page.get_by_role("link", name="Failures")).to_be_visible()
