"""The site of the documents in a browser, opened as files: it searches, and asks no other host."""

import os
import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, expect

ROOT = Path(__file__).parents[2]


def test_the_site_works_from_files_with_search_and_without_a_network(
    chromium: Browser, tmp_path: Path
) -> None:
    subprocess.run(  # noqa: S603  (our own command)
        [
            *(sys.executable, "-m", "mkdocs", "build", "--quiet"),
            *("--config-file", "site/mkdocs.yml", "--site-dir", str(tmp_path / "site")),
        ],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        check=True,
    )
    page = chromium.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    page.goto(f"file://{tmp_path}/site/docs/explanation/architecture.html")
    expect(page.locator("img.drawing").first).to_be_visible()
    page.keyboard.press("s")
    page.keyboard.type("daylight")

    expect(page.locator(".md-search-result__meta")).to_have_text(
        re.compile(r"\d+ matching document")
    )
    assert {each.partition(":")[0] for each in asked} <= {"file", "data", "blob"}
    page.close()
