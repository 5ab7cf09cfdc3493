"""Checks a page with axe, the accessibility checker."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe

SERIOUS = ("serious", "critical")


def violations(page: Any) -> list[str]:
    """Return the serious and critical violations that axe finds."""
    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]
