"""A browser without a screen: it keeps cookies, follows redirects and sends forms, in process."""

import gzip
import json
import re
import sqlite3
from contextlib import closing
from html import unescape
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import unquote, urlencode, urlsplit

from foliot.api.app import Api, ApiContext
from foliot.app.engine_access import NO_ENGINE, EngineAccess
from foliot.app.use_cases import UseCases
from foliot.core.instant import parse_instant
from foliot.core.limits import Limits
from foliot.core.model.token import Role, Scope, Token, digest
from foliot.portal.app import Portal
from foliot.portal.context import PortalContext, ServerInfo
from foliot.serve.metrics import Metrics
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite.store import SqliteStore
from foliot.web.application import WebApplication
from foliot.web.auth.bearer_tokens import TokenAuthenticator
from foliot.web.auth.one_time_code import OneTimeCode
from foliot.web.auth.sessions import Sessions
from tests.support.api_client import ManualClock
from tests.support.steps import Steps
from tests.support.stores import sqlite_file

OWNER = "owner-token"
HOST = "foliot.test:8080"
ORIGIN = f"http://{HOST}"
COLLECTION = "/collections/me/home/Billing"
JOB = f"{COLLECTION}/jobs/Nightly"

_CSRF = re.compile(r'name="csrf" value="([^"]+)"')
_WAS = re.compile(r'name="was" value="([^"]*)"')


class Shown(NamedTuple):
    """A page as it came."""

    status: int
    headers: list[tuple[str, str]]
    text: str

    def header(self, name: str) -> str:
        return dict(self.headers).get(name, "")

    @property
    def cookies(self) -> list[str]:
        return [value for name, value in self.headers if name == "set-cookie"]

    @property
    def words(self) -> str:
        """The text without its tags, as people read it."""
        return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", self.text)))

    @property
    def has_form(self) -> bool:
        return _CSRF.search(self.text) is not None

    @property
    def csrf(self) -> str:
        found = _CSRF.search(self.text)
        assert found, self.text
        return unescape(found[1])

    @property
    def was(self) -> str:
        found = _WAS.search(self.text)
        assert found, self.text
        return unescape(found[1])


def fields_of(asked: Shown) -> dict[str, str]:
    """Return what the form of a question sends."""
    found = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', asked.text)
    return {name: value for name, value in found if name != "csrf"}


class Browser:
    """Visits a portal on a real store, with a clock of the test's own."""

    def __init__(  # noqa: PLR0913  (each is another server)
        self,
        data: Path,
        *,
        is_open: bool = False,
        is_restarted: bool = False,
        public_url: str | None = None,
        limits: Limits | None = None,
        engine: EngineAccess = NO_ENGINE,
    ) -> None:
        self.clock = ManualClock()
        self._database = sqlite_file(data)
        self.store = SqliteStore.open(self._database, Keyring([b"k" * 32]))
        self.use_cases = UseCases.of(self.store, self.clock, engine=engine)
        self.elapsed = 0.0
        self.code = OneTimeCode(digest(OWNER))
        self.authenticator = TokenAuthenticator(
            self.store, self.clock, sleep=self._sleep, elapsed=lambda: self.elapsed
        )
        limits = limits or Limits()
        self.context = PortalContext(
            use_cases=self.use_cases,
            authenticator=None if is_open else self.authenticator,
            sessions=Sessions(Keyring([b"k" * 32]), self.store),
            clock=self.clock,
            limits=limits,
            facts=ServerInfo(
                version="9.9",
                node="node-1",
                started_at=self.clock.now(),
                runs_jobs=True,
                database="SQLite, here",
                time_offset="none",
                settings={"FOLIOT_PORT": "1"},
            ),
            public_url=public_url,
            code=self.code,
        )
        metrics = Metrics(self.store, self.clock)
        context = ApiContext(limits, public_url, (), self._problems, metrics.text)
        api = Api(self.use_cases, self.authenticator, context)
        self.app = WebApplication(api, lambda: Portal(api, self.context))
        self.cookies: dict[str, str] = {}
        # The token of the forms that were last shown, and the cookies they were shown for.
        self._form_token: tuple[str, dict[str, str]] = ("", {})
        self.host = HOST
        self.scheme = "http"
        self.client = "127.0.0.1"
        self._runner = Steps()
        if not is_restarted:
            self.add_token(OWNER, Role.OWNER)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.run(self.authenticator.close())
        self.run(self.store.close())
        self._runner.close()

    def run(self, coroutine: Any) -> Any:
        return self._runner.run(coroutine)

    def rows(self, query: str) -> list[Any]:
        """Ask the database itself."""
        with closing(sqlite3.connect(self._database)) as connection:
            return connection.execute(query).fetchall()

    def add_token(self, text: str, role: Role, **fields: Any) -> Token:
        scope = Scope(**fields.pop("scope", {}))
        token = Token(
            name=text,
            digest=digest(text),
            role=role,
            scope=scope,
            created_at=self.clock.now(),
            **fields,
        )
        return self.run(self.store.write(lambda to: to.add_token(token)))

    def sign_in(self, token: str = OWNER, *, follow: bool = True) -> Shown:
        return self.post("/sign-in", {"token": token}, csrf=None, follow=follow)

    def get(self, path: str, *, follow: bool = True, **headers: str) -> Shown:
        return self._follow(self.call("GET", path, headers=headers), follow=follow)

    def part(self, path: str) -> Shown:
        """Ask for a part of a page, as a script does."""
        return self.call("GET", path, headers={"hx-request": "true"})

    def post(
        self,
        path: str,
        fields: dict[str, Any] | None = None,
        *,
        csrf: str | None = "",
        follow: bool = True,
        **headers: str,
    ) -> Shown:
        """Send a form of ours: its token is taken from a page, unless one is given or None."""
        given = dict(fields or {})
        if csrf is not None:
            given["csrf"] = csrf or self._token_of_forms()
        body = urlencode(given, doseq=True).encode()
        sent = {"origin": f"{self.scheme}://{self.host}"} | headers
        return self._follow(self.call("POST", path, body, headers=sent), follow=follow)

    def send(self, path: str, pairs: list[tuple[str, str]], *, follow: bool = True) -> Shown:
        """Send a form with all that is in it."""
        headers = {"origin": f"{self.scheme}://{self.host}"}
        body = urlencode(pairs).encode()
        return self._follow(self.call("POST", path, body, headers=headers), follow=follow)

    def api(self, method: str, path: str, body: Any = None, *, version: str = "2016-03-01") -> Any:
        """Call the API beside the portal, under the collection of the tests."""
        base = "/subscriptions/me/resourceGroups/home/providers/Microsoft.Scheduler/jobCollections"
        content = b"" if body is None else json.dumps(body).encode()
        headers = {"authorization": f"Bearer {OWNER}", "accept": "application/json"}
        address = f"{base}/{path}?api-version={version}"
        answer = self.call(method, address, content, headers=headers)
        assert answer.status < 300, answer.text
        return json.loads(answer.text) if answer.text else None

    def call(
        self, method: str, path: str, body: bytes = b"", *, headers: dict[str, str] | None = None
    ) -> Shown:
        return self.run(self._call(method, path, body, headers or {}))

    def _token_of_forms(self) -> str:
        token, cookies = self._form_token
        return token if token and cookies == self.cookies else self.get("/tokens").csrf

    def _follow(self, shown: Shown, *, follow: bool) -> Shown:
        while follow and shown.status == 303:
            shown = self.call("GET", shown.header("location"))
        return shown

    async def _sleep(self, seconds: float) -> None:
        self.elapsed += seconds

    async def _problems(self) -> dict[str, str]:
        return {}

    async def _call(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Shown:
        address = urlsplit(path)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        given = {"host": self.host, "accept": "text/html", "content-length": str(len(body))}
        given |= ({"cookie": cookies} if cookies else {}) | headers
        scope = {
            "type": "http",
            "method": method,
            "scheme": self.scheme,
            "path": unquote(address.path),
            "raw_path": address.path.encode(),
            "query_string": address.query.encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in given.items()],
            "client": (self.client, 50_000),
            "server": ("127.0.0.1", 8080),
        }
        sent: list[dict[str, Any]] = []
        parts = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> dict[str, Any]:
            return next(parts)

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        pairs = [(name.decode(), value.decode()) for name, value in sent[0]["headers"]]
        content = b"".join(message.get("body", b"") for message in sent[1:])
        if (b"content-encoding", b"gzip") in sent[0]["headers"]:
            content = gzip.decompress(content)
        shown = Shown(sent[0]["status"], pairs, content.decode())
        for cookie in shown.cookies:
            self._keep(cookie)
        if shown.has_form:
            self._form_token = shown.csrf, dict(self.cookies)
        return shown

    def _keep(self, cookie: str) -> None:
        pair, *attributes = cookie.split("; ")
        name, _, value = pair.partition("=")
        if "Max-Age=0" in attributes:
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value.strip('"')

    def set_time(self, text: str) -> None:
        self.clock.at = parse_instant(text)
        # Cached tokens are a second old.
        self.elapsed += 2
