"""A real browser on a real server; tests are skipped where chromium is not installed."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from foliot.ports import clock
from tests.browser import demo
from tests.support.server import Server, running

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
# Milliseconds for whatever a page should do or show: a machine that runs all tests is busy.
PATIENCE = 20_000
# Types of console messages that are no errors.
IGNORED = ("verbose", "debug", "info", "log")


# Closed after these tests: playwright's event loop blocks other loops in this thread.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Return one browser for all tests of this package."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def demo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a server with demo data that runs no jobs."""
    data = tmp_path_factory.mktemp("demo")
    # In another thread, since playwright's event loop runs in this one.
    with ThreadPoolExecutor(1) as apart:
        apart.submit(demo.fill, data, clock.now(), extra=150).result()
    with running(data, ADMIN_TOKEN=demo.TOKEN) as server:
        yield server


@pytest.fixture(scope="package")
def demo_session(chromium: Browser, demo_server: Server) -> Any:
    """Return the state of a browser that has signed in, for tests that only look at pages."""
    context = chromium.new_context()
    Tab(context.new_page(), _base(demo_server)).sign_in()
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """Return an empty server that runs jobs."""
    with running(tmp_path, on_terminal=True, NO_ENGINE="0", ADMIN_TOKEN=demo.TOKEN) as started:
        yield started


class Tab:
    """A browser tab: its page, console errors, and requests to other sites."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.console_errors: list[str] = []
        self.foreign_requests: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.console_errors.append(str(error)))
        page.on("request", self._on_request)

    def go(self, path: str) -> Any:
        return self.page.goto(self.base + path)

    def sign_in(self, token: str = demo.TOKEN) -> None:
        self.go("/sign-in")
        self.page.get_by_label("Token").fill(token)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url(self.base + "/")

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type not in IGNORED:
            self.console_errors.append(message.text)

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith((self.base + "/", "data:")):
            self.foreign_requests.append(request.url)


@pytest.fixture
def open_tab(chromium: Browser) -> Iterator[Any]:
    """Return a function that opens a tab on a server, with options of the browser context."""
    contexts = []

    def open_one(server: Server, **options: Any) -> Tab:
        context = chromium.new_context(**({"locale": "en-GB"} | options))
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return Tab(context.new_page(), _base(server))

    yield open_one
    for context in contexts:
        context.close()


def _base(server: Server) -> str:
    return f"http://{server.host}:{server.port}"
