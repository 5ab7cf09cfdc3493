"""Jobs for the tests of pages: created by the API, read and changed in the store."""

import re
from html import unescape
from typing import Any

from msgspec import structs

from foliot.core.model.job import JobState
from foliot.core.model.token import Scope
from foliot.ports.store import Reading
from tests.portal.browser import COLLECTION, JOB, Browser, Shown
from tests.portal.filling import filled, read_form
from tests.support.api_client import http_job

NEW = f"{COLLECTION}/new"
EDIT = f"{JOB}/edit"
SECRET = "s3cr3t-and-not-shown"  # noqa: S105  (of a test)
NOT_KEPT = "must be entered again: a form that was not saved does not keep secrets."
# Prefixes of field names, as arguments of `filled`.
ACTION = "properties__action"
RECURRENCE = "properties__recurrence"


def with_job(browser: Browser, name: str = "Nightly", **properties: Any) -> None:
    browser.api("PUT", f"Billing/jobs/{name}", http_job(**properties))


def stored(browser: Browser, name: str = "Nightly") -> Any:
    def view(reading: Reading) -> Any:
        found = reading.search_collections(Scope())[0].collection
        located = reading.located_job(found.key, name)
        return None if located is None else located[1]

    return browser.run(browser.store.read(view))


def change(browser: Browser, steps: Any) -> Any:
    return browser.run(browser.store.write(steps))


def names(browser: Browser) -> list[str]:
    return [each["name"].split("/")[1] for each in browser.api("GET", "Billing/jobs")["value"]]


def ended(job: Any) -> Any:
    return structs.replace(job, state=JobState.COMPLETED, next_at=None)


def new_form(billing: Browser) -> list[tuple[str, str]]:
    return filled(
        read_form(billing.get(NEW).text, NEW),
        name="Nightly",
        properties__action__request__uri="https://127.0.0.1/",
    )


def problems_on(shown: Shown) -> dict[str, str]:
    """Return the problems in the summary of a form, by field."""
    summary = shown.text.split('id="problems"')[1].split("</div>")[0]
    return {
        field: unescape(words) for field, words in re.findall(r'href="#([^"]+)">([^<]+)<', summary)
    }


def refused_on(shown: Shown) -> set[str]:
    """Return the fields with a problem, without secrets that were valid and must be typed again."""
    return {field for field, words in problems_on(shown).items() if NOT_KEPT not in words}


def paragraph_at(html: str, start: int) -> str:
    """Return the text of a paragraph from a position on."""
    return html[start : html.index("</p>", start)].replace("&#34;", '"').replace("&#39;", "'")
