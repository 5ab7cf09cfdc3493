"""Takes screenshots of the pages, in both themes, into docs/screenshots."""

import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from foliot.ports import clock
from tests.browser import demo
from tests.browser.conftest import ARGUMENTS
from tests.support.server import running

COLOURS = 256
FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
COLLECTION = "/collections/acme/shop/billing"
JOB = f"{COLLECTION}/jobs/payment-poll"
# The page, and how high the picture is.
PAGES = {
    "sign-in": ("/sign-in", 620),
    "overview": ("/", 1080),
    "all-runs": ("/runs", 900),
    "failures": ("/failures", 900),
    "all-jobs": ("/jobs", 760),
    "collections": ("/collections", 560),
    "jobs": (COLLECTION, 760),
    "alerts": (f"{COLLECTION}/alerts", 640),
    "alert": (f"{COLLECTION}/alerts/on-call", 720),
    "properties": (f"{COLLECTION}/properties", 860),
    "access": (f"{COLLECTION}/access", 860),
    "new-job": ("/jobs/new?into=new", 1180),
    "job": (JOB, 900),
    "runs": (f"{JOB}/runs", 900),
    "job-changes": (f"{JOB}/changes", 760),
    "code": (f"{JOB}/code", 900),
    "move": (f"{JOB}/move", 640),
    "schedule": (f"{COLLECTION}/jobs/tax-rates/schedule", 820),
    "edit": (f"{COLLECTION}/jobs/tax-rates/edit", 1180),
    "timeline": ("/timeline", 640),
    "explain": (f"{JOB}/explain", 900),
    "tokens": ("/tokens", 640),
    "changes": ("/audit", 640),
    "settings": ("/settings", 820),
}
NARROW = {
    "narrow-overview": "/",
    "narrow-jobs": COLLECTION,
    "narrow-failures": "/failures",
    "narrow-timeline": "/timeline",
}


def main() -> None:
    """Start a server with something on every page, and take the pictures."""
    found = shutil.which("chromium")
    if found is None:
        sys.exit("chromium is not installed: apt-get install chromium")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        demo.fill(Path(folder), clock.now())
        with (
            running(Path(folder), seconds=900, ADMIN_TOKEN=demo.TOKEN) as server,
            sync_playwright() as playwright,
        ):
            browser = playwright.chromium.launch(
                executable_path=found, args=[*ARGUMENTS, "--font-render-hinting=none"]
            )
            base = f"http://{server.host}:{server.port}"
            for theme in ("light", "dark"):
                take_all(browser, base, theme)
            browser.close()


def take_all(browser: Browser, base: str, theme: str) -> None:
    """Take the pictures of one theme."""
    context = browser.new_context(color_scheme=theme, locale="en-GB", timezone_id="Europe/Prague")
    page = context.new_page()
    take(page, base, PAGES["sign-in"][0], (900, PAGES["sign-in"][1]), f"sign-in-{theme}")
    page.get_by_label("Token").fill(demo.TOKEN)
    page.get_by_role("button", name="Sign in").click()
    for name, (path, height) in PAGES.items():
        if name != "sign-in":
            take(page, base, path, (1280, height), f"{name}-{theme}")
    if theme == "light":
        for name, path in NARROW.items():
            take(page, base, path, (390, 844), name)
    context.close()


def take(page: Page, base: str, path: str, size: tuple[int, int], name: str) -> None:
    """Write the picture of a page, in few colours: it is flat and gets small by that."""
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    page.goto(base + path)
    page.wait_for_load_state("networkidle")
    image = Image.open(BytesIO(page.screenshot())).convert("RGB")
    in_few_colours(image).save(FOLDER / f"{name}.png", optimize=True)


def in_few_colours(image: Image.Image) -> Image.Image:
    """Return an image in its most frequent colours, unchanged: averages would tint the page."""
    counted = image.getcolors(image.width * image.height) or []
    frequent = [colour for _, colour in sorted(counted, reverse=True)[:COLOURS]]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in frequent for part in colour])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


if __name__ == "__main__":
    main()
