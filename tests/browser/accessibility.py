"""Checks a page with axe, the accessibility checker."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe


def violations(page: Any) -> list[str]:
    """Return all violations that axe finds."""
    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        for node in each["nodes"]
    ]
