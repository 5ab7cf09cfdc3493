"""What the site adds to MkDocs: new pages in the menu, pictures of drawings, lists as usual."""

import hashlib
import re
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

# The section of the menu that gets the new pages of a folder, by the titles that lead to it.
FOLDERS = {
    "docs/tutorial/": ("Tutorial",),
    "docs/how-to/": ("How-to guides", "Operate it"),
    "docs/reference/": ("Reference",),
    "docs/explanation/": ("Explanation",),
    "docs/proof/": ("Explanation", "What was tested"),
    "docs/adr/": ("Decisions",),
}
ITEM = re.compile(r"(?:[-*]|\d+\.) +")
DRAWING = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add each page that the menu does not name to the section of its folder."""
    nav: list[Any] = config.nav or []
    named = set(_pages(nav))
    for page in sorted(file.src_uri for file in files.documentation_pages()):
        folder = page[: page.rfind("/") + 1]
        if page not in named and folder in FOLDERS:
            _section(nav, FOLDERS[folder]).append(page)
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Show the pictures that `make drawings` made, so that no script draws in the browser."""
    del config, files
    up = "../" * page.file.src_uri.count("/")

    def picture(match: re.Match[str]) -> str:
        return f"![A drawing]({up}docs/pictures/{picture_name(match[1])}){{ .drawing }}"

    return indent_lists(DRAWING.sub(picture, markdown))


def picture_name(drawing: str) -> str:
    """Return the name of the picture of a drawing, which another text does not have."""
    return f"drawing-{hashlib.sha256(drawing.encode()).hexdigest()[:12]}.svg"


def indent_lists(markdown: str) -> str:
    """Indent what belongs to an item of a list by four spaces, as MkDocs needs it.

    Pages indent it as far as the text of the item, which every other reader of Markdown takes.
    """
    lines: list[str] = []
    # For each open item: how far its text is indented, and how far it must be.
    items: list[tuple[int, int]] = []
    shift, fence, has_parts = 0, "", False
    for line in markdown.splitlines():
        text = line.lstrip()
        indent = len(line) - len(text)
        if text and not fence:
            while items and indent < items[-1][0]:
                items.pop()
            shift = items[-1][1] - items[-1][0] if items else 0
            if item := ITEM.match(text):
                items.append((indent + item.end(), indent + shift + 4))
                # An item after one with several parts needs an empty line before it.
                lines += [""] if has_parts and lines[-1] else []
                has_parts = False
        has_parts = has_parts or (not text and bool(items))
        if text.startswith("```"):
            fence = "" if fence else text
        lines.append(" " * (indent + shift) + text if text else "")
    return "\n".join(lines)


def _pages(nav: Any) -> list[str]:
    match nav:
        case str():
            return [nav]
        case dict():
            return [page for part in nav.values() for page in _pages(part)]
        case _:
            return [page for part in nav for page in _pages(part)]


def _section(nav: list[Any], titles: tuple[str, ...]) -> list[Any]:
    (found,) = [part[titles[0]] for part in nav if isinstance(part, dict) and titles[0] in part]
    return _section(found, titles[1:]) if titles[1:] else found
