"""The site of the documents builds without a warning, and its pages load nothing from elsewhere."""

import os
import re
import runpy
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Elements of HTML that a browser loads by itself, with the attribute that names what.
LOADED = {
    "script": "src",
    "img": "src",
    "source": "src",
    "iframe": "src",
    "link": "href",
    "object": "data",
    "use": "href",
}
# Links to pages that a browser does not load before somebody follows them.
ONLY_NAMED = {"canonical", "next", "prev", "alternate", "license"}
OUTSIDE = re.compile(r"^(https?:)?//")
# Signs of Markdown that was not understood, in paragraphs: fences, rows of tables, list items.
UNREAD = re.compile(r"```|^\|.*\|$|^\s*(-|\d+\.) \S", re.MULTILINE)


class Page(HTMLParser):
    """What a page loads, and the text of its paragraphs."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.paragraphs: list[str] = []
        self._is_in_paragraph = False
        self.feed(file.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in LOADED and values.get("rel") not in ONLY_NAMED:
            self.loaded.append(values.get(LOADED[tag]) or "")
        if tag == "p":
            self.paragraphs.append("")
            self._is_in_paragraph = True
        elif tag == "pre":
            self._is_in_paragraph = False
        elif tag == "code" and self._is_in_paragraph:
            # What is quoted is no Markdown.
            self.paragraphs[-1] += "'"

    def handle_endtag(self, tag: str) -> None:
        self._is_in_paragraph = self._is_in_paragraph and tag != "p"

    def handle_data(self, data: str) -> None:
        if self._is_in_paragraph:
            self.paragraphs[-1] += data


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site, built as `make site` does; a warning is an error there."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(  # noqa: S603  (our own command)
        [
            *(sys.executable, "-m", "mkdocs", "build", "--config-file", "site/mkdocs.yml"),
            *("--site-dir", str(folder)),
        ],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stderr}\nDrawings without a picture: run `make drawings`."
    return folder


def test_no_page_of_the_site_loads_anything_from_another_host(site: Path) -> None:
    found = {
        (str(file.relative_to(site)), each)
        for file in site.rglob("*.html")
        for each in Page(file).loaded
        if OUTSIDE.match(each)
    }

    assert found == set()


def test_no_style_sheet_of_the_site_loads_anything_from_another_host(site: Path) -> None:
    sheets = {file.name: file.read_text() for file in site.rglob("*.css")}

    assert sheets
    assert [
        name
        for name, text in sheets.items()
        if re.search(r"(@import\s+|url\()[\"']?(https?:)?//", text)
    ] == []


def test_the_site_shows_no_markdown_that_was_not_understood(site: Path) -> None:
    found = {
        (str(file.relative_to(site)), text)
        for file in site.rglob("*.html")
        for text in Page(file).paragraphs
        if UNREAD.search(text)
    }

    assert found == set()


def test_every_page_of_the_documents_is_in_the_menu(site: Path) -> None:
    menu = (site / "docs" / "index.html").read_text()
    pages = [str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")]

    missing = [
        page
        for page in pages
        if page not in ("README.md", "adr/README.md")
        and f'href="{page.removesuffix(".md")}.html"' not in menu
    ]

    assert missing == []


def test_lists_are_indented_as_mkdocs_reads_them() -> None:
    hooks = runpy.run_path(str(ROOT / "site" / "hooks.py"))
    page = "1. a\n\n   ```sh\n   x\n   ```\n2. b\n   - c\n     d\n\ne\n\n    code\n"

    indented = hooks["indent_lists"](page)

    assert indented == (
        "1. a\n\n    ```sh\n    x\n    ```\n\n2. b\n    - c\n        d\n\ne\n\n    code"
    )
