"""A caller with a token of its own, from an address of its own on loopback."""

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, Self

import aiohttp
from msgspec import Struct
from yarl import URL

from chaos.api import TOKEN

VERSION = "?api-version=2016-03-01"

_SECONDS = 60
_CSRF = re.compile(r'name="csrf"[^>]*value="([^"]+)"|value="([^"]+)"[^>]*name="csrf"')


class Answer(Struct, frozen=True):
    """What came back, and after how many seconds; the status is 0 if nothing did."""

    status: int
    text: str
    headers: Mapping[str, str]
    seconds: float

    @property
    def content(self) -> Any:
        """What JSON says."""
        return json.loads(self.text)


class Client:
    """Makes requests exactly as they are given: no redirect is followed, no path normalised."""

    def __init__(self, port: int, token: str | None = TOKEN, address: str = "127.0.0.1") -> None:
        self.token = token or ""
        self.origin = f"http://127.0.0.1:{port}"
        self._session = aiohttp.ClientSession(
            headers={"authorization": f"Bearer {token}"} if token else {},
            timeout=aiohttp.ClientTimeout(total=_SECONDS),
            connector=aiohttp.TCPConnector(limit=32, local_addr=(address, 0)),
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Make a request; a body that is not bytes is sent as JSON."""
        is_raw = body is None or isinstance(body, bytes)
        data = body if is_raw else json.dumps(body).encode()
        sent = {**({} if is_raw else {"content-type": "application/json"}), **(headers or {})}
        began = time.monotonic()
        url = URL(self.origin + path, encoded=True)
        try:
            async with self._session.request(
                method, url, data=data, headers=sent, allow_redirects=False
            ) as answer:
                text = await answer.text(errors="replace")
                seconds = time.monotonic() - began
                return Answer(answer.status, text, dict(answer.headers), seconds)
        except (aiohttp.ClientError, TimeoutError) as error:
            return Answer(0, f"{type(error).__name__}: {error}", {}, time.monotonic() - began)

    async def call(self, method: str, path: str, body: Any = None) -> Answer:
        """Make a call of the API."""
        return await self.ask(method, path + ("" if "?" in path else VERSION), body)


class Browser:
    """A person at the portal: signed in with a token, and able to send forms."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.cookies: dict[str, str] = {}

    async def sign_in(self, token: str) -> Answer:
        """Begin a session."""
        answer = await self._post("/sign-in", {"token": token})
        self._keep(answer)
        return answer

    async def see(self, path: str) -> Answer:
        """Look at a page."""
        headers = {"accept": "text/html", **self._cookie_header}
        return await self._client.ask("GET", path, headers=headers)

    async def send(self, page: str, path: str, fields: Mapping[str, str]) -> Answer:
        """Fill in the form of a page."""
        found = _CSRF.search((await self.see(page)).text)
        csrf = (found[1] or found[2]) if found else ""
        return await self._post(path, {"csrf": csrf, **fields})

    @property
    def _cookie_header(self) -> dict[str, str]:
        return {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}

    async def _post(self, path: str, fields: Mapping[str, str]) -> Answer:
        form = "&".join(f"{name}={_quoted(value)}" for name, value in fields.items())
        headers = {
            "content-type": "application/x-www-form-urlencoded",
            "origin": self._client.origin,
            **self._cookie_header,
        }
        return await self._client.ask("POST", path, form.encode(), headers)

    def _keep(self, answer: Answer) -> None:
        for name, value in answer.headers.items():
            if name.lower() == "set-cookie":
                self.cookies |= {key: each.value for key, each in SimpleCookie(value).items()}


async def make_token(folder: Path, role: str, scope: str = "/") -> str:
    """Make a token as an operator does."""
    options = ["--name", f"{role} {time.monotonic_ns()}", "--role", role, "--scope", scope]
    command = [sys.executable, "-m", "foliot", "token", "create", *options]
    ended = await asyncio.to_thread(
        subprocess.run, [*command, "--data-dir", str(folder)], capture_output=True, check=True
    )
    return ended.stdout.decode().strip()


def _quoted(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())
