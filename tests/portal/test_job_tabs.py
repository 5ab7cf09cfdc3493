"""The tabs of a job: what all of them share, and the delay of attempts."""

import re

import pytest
from msgspec import structs

from foliot.core.instant import MINUTE, Instant
from foliot.core.model.history import RunOutcome
from foliot.core.model.run import Trigger
from tests.portal.browser import JOB, Browser
from tests.portal.jobs import change, stored, with_job
from tests.support.builders import an_entry

NONE = "\N{EN DASH}"


def stylesheets(html: str) -> set[str]:
    return set(re.findall(r'rel="stylesheet" href="([^"?]+)', html))


def test_every_tab_and_the_page_of_a_run_load_the_styles_of_the_head(billing: Browser) -> None:
    with_job(billing)
    entry = an_entry(stored(billing).id, outcome=RunOutcome.SUCCEEDED, trigger=Trigger.SCHEDULE)
    change(billing, lambda to: to.add_history(entry))
    overview = billing.get(JOB).text
    tabs = re.findall(r'href="([^"]+)"', overview.split('aria-label="Job"')[1].split("</nav>")[0])
    (run,) = set(re.findall(rf'href="({JOB}/runs/\d+)"', billing.get(f"{JOB}/runs").text))

    lacking = {
        page: missing
        for page in [*tabs, run]
        if (missing := stylesheets(overview) - stylesheets(billing.get(page).text))
    }

    assert len(tabs) > 4
    assert lacking == {}


@pytest.mark.parametrize(
    ("trigger", "delay"),
    [
        (None, "5 min"),
        (Trigger.SCHEDULE, "5 min"),
        (Trigger.CATCH_UP, "5 min"),
        (Trigger.MANUAL, NONE),
        (Trigger.REDRIVE, NONE),
        (Trigger.BACKFILL, NONE),
    ],
)
def test_only_attempts_of_planned_runs_have_a_delay(
    billing: Browser, trigger: Trigger | None, delay: str
) -> None:
    with_job(billing)
    entry = an_entry(stored(billing).id, trigger=trigger)
    late = structs.replace(entry, expected_at=Instant(entry.started_at - 5 * MINUTE))
    change(billing, lambda to: to.add_history(late))

    cell = billing.get(JOB).text.split('data-label="Delay"')[1].split("</td>")[0]

    assert cell.split(">")[1] == delay
