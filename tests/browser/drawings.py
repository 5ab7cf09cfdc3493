"""Makes pictures of the Mermaid drawings in the documents, for the site, into docs/pictures."""

import runpy
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import ARGUMENTS
from tests.support import npm

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
VERSION = "11.12.1"
OPTIONS = {
    "startOnLoad": False,
    "theme": "neutral",
    "fontFamily": "sans-serif",
    # Texts of SVG itself: HTML inside a picture is not shown by every browser.
    "htmlLabels": False,
    "flowchart": {"htmlLabels": False},
}


def drawings() -> dict[str, str]:
    """Return the drawings of all documents by the names of their pictures."""
    hooks = runpy.run_path(str(ROOT / "site" / "hooks.py"))
    return {
        hooks["picture_name"](drawing): drawing
        for document in sorted((ROOT / "docs").rglob("*.md"))
        for drawing in hooks["DRAWING"].findall(document.read_text())
    }


def main() -> None:
    """Draw what has no picture yet, and delete pictures of drawings that are gone."""
    found = shutil.which("chromium")
    if found is None:
        sys.exit("chromium is not installed: apt-get install chromium")
    wanted = drawings()
    for picture in PICTURES.glob("drawing-*.svg"):
        if picture.name not in wanted:
            picture.unlink()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        page = browser.new_page()
        page.add_script_tag(path=_mermaid())
        page.evaluate("options => mermaid.initialize(options)", OPTIONS)
        for name, drawing in wanted.items():
            (PICTURES / name).write_text(_draw(page, name, drawing))
        browser.close()


def _mermaid() -> Path:
    folder = npm.CACHE / f"mermaid-{VERSION}"
    made = folder / "node_modules" / "mermaid" / "dist" / "mermaid.min.js"
    npm.install(folder, "install", f"mermaid@{VERSION}", makes=made)
    return made


def _draw(page: Page, name: str, drawing: str) -> str:
    # Texts of SVG have no bold words.
    plain = drawing.replace("<b>", "").replace("</b>", "")
    made = page.evaluate(
        "async ([id, text]) => (await mermaid.render(id, text)).svg",
        [name.removesuffix(".svg"), plain],
    )
    return f"{made}\n"


if __name__ == "__main__":
    main()
