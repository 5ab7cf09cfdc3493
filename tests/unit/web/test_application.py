"""Which part of the server answers which request, by the routes of both."""

import asyncio
from collections import Counter
from typing import Any

import pytest
from starlette.requests import Request
from starlette.types import Message, Send

from foliot.api.routes import ROUTES as API_ROUTES
from foliot.portal.routes import ROUTES as PORTAL_ROUTES
from foliot.web.application import WebApplication
from foliot.web.routing import Access, RouteMatch

COLLECTIONS = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections"
BROWSER = {"accept": "text/html,*/*"}
TOKEN = {"authorization": "Bearer x"}


class Recorder:
    """An API or a portal that notes what it is asked for."""

    has_sign_in = True

    def __init__(self, name: str, routes: Any, asked: list[tuple[str, str | None]]) -> None:
        self.routes = routes
        self._name = name
        self._asked = asked

    async def respond(self, _request: Request, match: RouteMatch[Any] | None, _send: Send) -> None:
        self._asked.append((self._name, match and match.route.path))

    async def respond_document(
        self, _request: Request, document: RouteMatch[Any], _send: Send
    ) -> None:
        self._asked.append((f"{self._name}, document", document.route.path))


def asked(
    path: str, headers: dict[str, str], *, has_portal: bool = True, has_sign_in: bool = True
) -> tuple[str, str | None]:
    """Return who is asked for an address, and which route it has."""
    found: list[tuple[str, str | None]] = []
    api = Recorder("api", API_ROUTES, found)
    portal = Recorder("portal", PORTAL_ROUTES, found)
    portal.has_sign_in = has_sign_in
    application = WebApplication(api, (lambda: portal) if has_portal else None)
    asyncio.run(ask(application, path, headers))
    (only,) = found
    return only


async def ask(application: WebApplication, path: str, headers: dict[str, str]) -> None:
    """Ask for an address."""
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }

    async def receive() -> Message:
        raise AssertionError("a body is read by whoever answers")

    async def send(_message: Message) -> None: ...

    await application(scope, receive, send)


def test_every_path_has_one_route_but_those_that_answer_programs_and_browsers() -> None:
    paths = Counter(each.path for each in (*API_ROUTES, *PORTAL_ROUTES))

    assert {path for path, count in paths.items() if count > 1} == {"/audit", "/audit/{entry}"}
    assert max(paths.values()) == 2


def test_health_and_endpoints_alone_are_open_in_the_api() -> None:
    opened = [each.path for each in API_ROUTES if each.access is Access.OPEN]

    assert opened == ["/metadata/endpoints", "/healthz", "/readyz"]


@pytest.mark.parametrize("headers", [{}, BROWSER], ids=["program", "browser"])
@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/healthz", ("api", "/healthz")),
        ("/metrics", ("api", "/metrics")),
        ("/nodes", ("api", "/nodes")),
        ("/metrics/unknown", ("api", None)),
        ("/subscriptions", ("api", "/subscriptions")),
        ("/tenants", ("api", "/tenants")),
        ("/tenants/unknown", ("api", None)),
        ("/providers", ("api", "/providers")),
        ("/providers/unknown", ("api", None)),
        ("/metadata/endpoints", ("api", "/metadata/endpoints")),
        ("/metadata", ("api", None)),
        ("/subscriptions/s/unknown", ("api", None)),
        ("/", ("portal", "/")),
        ("/Timeline/", ("portal", "/timeline")),
        ("/Calendar/unknown", ("portal", None)),
        ("/assets/unknown", ("portal", "/assets/")),
        ("/sign-in", ("portal", "/sign-in")),
        ("/sign-in/unknown", ("portal", None)),
    ],
)
def test_a_known_address_is_answered_by_its_owner_whoever_asks(
    path: str, answer: tuple[str, str | None], headers: dict[str, str]
) -> None:
    assert asked(path, headers) == answer


@pytest.mark.parametrize("path", ["/unknown", "/timelines"])
def test_an_unknown_address_is_the_portals_for_a_browser_alone(path: str) -> None:
    assert asked(path, BROWSER) == ("portal", None)
    assert asked(path, {}) == ("api", None)


def test_a_program_may_write_addresses_of_the_api_in_any_letter_case() -> None:
    name, route = asked(COLLECTIONS.upper(), {})

    assert (name, bool(route)) == ("api", True)


@pytest.mark.parametrize("path", ["/docs", "/openapi.json"])
def test_a_document_is_asked_of_the_portal_when_there_is_no_token(path: str) -> None:
    assert asked(path, {}) == ("portal, document", path)
    assert asked(path, BROWSER) == ("portal, document", path)
    assert asked(path, BROWSER | TOKEN) == ("api", path)
    assert asked(path, BROWSER, has_sign_in=False) == ("api", path)
    assert asked(path, BROWSER, has_portal=False) == ("api", path)


@pytest.mark.parametrize("path", ["/", "/unknown", "/sign-in", "/assets/x"])
def test_without_a_portal_the_api_answers_everything(path: str) -> None:
    assert asked(path, BROWSER, has_portal=False) == ("api", None)


class Loading:
    """An application whose portal is loaded as often as is counted here."""

    def __init__(self, *failures: Exception) -> None:
        self.count = 0
        self.answers: list[tuple[str, str | None]] = []
        self._failures = list(failures)
        self.application = WebApplication(Recorder("api", API_ROUTES, self.answers), self._load)

    def _load(self) -> Recorder:
        self.count += 1
        if self._failures:
            raise self._failures.pop()
        return Recorder("portal", PORTAL_ROUTES, self.answers)


def test_the_portal_is_loaded_once_and_not_for_programs() -> None:
    loading = Loading()

    async def visit() -> None:
        await ask(loading.application, COLLECTIONS, {})
        await ask(loading.application, "/healthz", {})
        await ask(loading.application, "/docs", TOKEN)
        assert loading.count == 0
        await asyncio.gather(*(ask(loading.application, "/", BROWSER) for _ in range(3)))
        await ask(loading.application, "/runs", BROWSER)

    asyncio.run(visit())

    assert loading.count == 1
    assert loading.answers[3:] == [("portal", "/")] * 3 + [("portal", "/runs")]


def test_a_portal_that_could_not_be_loaded_is_loaded_again() -> None:
    loading = Loading(MemoryError())

    async def visit() -> None:
        with pytest.raises(MemoryError):
            await ask(loading.application, "/", BROWSER)
        await ask(loading.application, "/", BROWSER)

    asyncio.run(visit())

    assert (loading.count, loading.answers) == (2, [("portal", "/")])


def test_a_visitor_who_leaves_while_the_portal_is_loaded_does_not_end_the_loading() -> None:
    loading = Loading()

    async def visit() -> None:
        leaving = asyncio.create_task(ask(loading.application, "/", BROWSER))
        staying = asyncio.create_task(ask(loading.application, "/", BROWSER))
        await asyncio.sleep(0)
        leaving.cancel()
        await staying

    asyncio.run(visit())

    assert (loading.count, loading.answers) == (1, [("portal", "/")])
