import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from starlette.requests import Request

from foliot.core.access import Principal
from foliot.core.errors import Forbidden, Unauthenticated, Unavailable
from foliot.core.instant import MINUTE, SECOND, Instant
from foliot.core.model.token import Role, Scope, Token, digest
from foliot.web.auth.bearer_tokens import TokenAuthenticator
from foliot.web.auth.loopback import LoopbackAuthenticator
from foliot.web.auth.throttle import LoginThrottle
from tests.support.builders import at

Result = TypeVar("Result")

GOOD = "foliot_good"
NOW = at("2026-01-10T00:00:00Z")


class FakeClock:
    def __init__(self) -> None:
        self.at = NOW

    def now(self) -> Instant:
        return self.at

    def elapsed(self) -> float:
        return (self.at - NOW) / SECOND

    def go(self, ticks: int) -> None:
        self.at = Instant(self.at + ticks)


class TokensAlone:
    """A store of tokens that counts what it is asked."""

    def __init__(self, *tokens: Token) -> None:
        self.kept = list(tokens)
        self.lookups = 0
        self.touched: list[tuple[int, Instant]] = []
        self.is_away = False
        self.answers: asyncio.Event | None = None

    def token(self, digest: bytes) -> Token | None:
        self.lookups += 1
        return next((each for each in self.kept if each.digest == digest), None)

    def touch_token(self, token_id: int, at: Instant) -> None:
        self.touched.append((token_id, at))

    async def read(self, view: Callable[[Any], Result]) -> Result:
        found = view(self)
        if self.answers is not None:
            await self.answers.wait()
        return found

    async def write(self, change: Callable[[Any], Result]) -> Result:
        if self.is_away:
            raise Unavailable("away")
        return change(self)

    async def close(self) -> None: ...


class Scene:
    """An authenticator with a store, a clock and a sleep of its own."""

    def __init__(self, **token: Any) -> None:
        fields: dict[str, Any] = {"id": 7, "name": "t", "role": Role.READER, "created_at": NOW}
        self.clock = FakeClock()
        self.store = TokensAlone(Token(digest=digest(GOOD), **(fields | token)))
        self.slept: list[float] = []
        self.authenticator = TokenAuthenticator(
            self.store, self.clock, sleep=self._sleep, elapsed=self.clock.elapsed
        )

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def authenticate(
        self, header: str | None = f"Bearer {GOOD}", client: str = "1.1.1.1"
    ) -> Any:
        headers = {} if header is None else {"authorization": header}
        return await self.authenticator.authenticate(request(headers), client)

    async def refuse(self, client: str = "1.1.1.1") -> None:
        with pytest.raises(Unauthenticated):
            await self.authenticate("Bearer foliot_bad", client)


def request(headers: dict[str, str], scheme: str = "http") -> Request:
    pairs = [(name.encode(), text.encode("latin-1")) for name, text in headers.items()]
    return Request({"type": "http", "method": "PUT", "scheme": scheme, "headers": pairs})


def test_the_bearer_of_a_known_token_has_its_role_scope_name_id_and_address() -> None:
    scope = Scope(subscription="s")

    async def scene() -> None:
        found = await Scene(role=Role.CONTRIBUTOR, scope=scope).authenticate(f"bearer  {GOOD} ")

        assert found == Principal(Role.CONTRIBUTOR, scope, "t", 7, address="1.1.1.1")

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (None, "header is missing"),
        ("Basic dXNlcjpwYXNz", "header is not valid"),
        ("Bearer", "header is not valid"),
        ("Bearer a b", "header is not valid"),
        ("Bearer foliot_bad", "not known here"),
        ("Bearer \xff", "not known here"),
    ],
    ids=["none", "another scheme", "no token", "two words", "unknown", "not ASCII"],
)
def test_whoever_has_no_good_token_is_refused(header: str | None, message: str) -> None:
    async def scene() -> None:
        with pytest.raises(Unauthenticated, match=message):
            await Scene().authenticate(header)

    asyncio.run(scene())


def test_a_token_is_refused_from_the_moment_it_expires() -> None:
    async def scene() -> None:
        scene = Scene(expires_at=Instant(NOW + SECOND // 2))
        await scene.authenticate()
        scene.clock.go(SECOND // 2)

        with pytest.raises(Unauthenticated, match="has expired"):
            await scene.authenticate()

    asyncio.run(scene())


def test_a_token_is_looked_up_once_in_a_second() -> None:
    async def scene() -> None:
        scene = Scene()
        await scene.authenticate()
        scene.clock.go(SECOND - 1)
        await scene.authenticate()
        assert scene.store.lookups == 1

        scene.clock.go(1)
        await scene.authenticate()
        assert scene.store.lookups == 2

    asyncio.run(scene())


def test_a_revoked_token_is_refused_after_a_second() -> None:
    async def scene() -> None:
        scene = Scene()
        await scene.authenticate()
        scene.store.kept.clear()
        scene.clock.go(SECOND)

        with pytest.raises(Unauthenticated):
            await scene.authenticate()

    asyncio.run(scene())


def test_a_token_that_was_not_known_is_good_as_soon_as_it_is_made() -> None:
    async def scene() -> None:
        scene = Scene()
        made = scene.store.kept.pop()
        with pytest.raises(Unauthenticated):
            await scene.authenticate()
        scene.store.kept.append(made)

        await scene.authenticate()

    asyncio.run(scene())


def test_the_authenticator_remembers_a_bounded_number_of_tokens() -> None:
    async def scene() -> None:
        scene = Scene()
        texts = [f"t{number}" for number in range(1025)]
        for number, text in enumerate(texts):
            token = Token(
                id=number, name=text, digest=digest(text), role=Role.READER, created_at=NOW
            )
            scene.store.kept = [token]
            await scene.authenticate(f"Bearer {text}")
        lookups = scene.store.lookups

        await scene.authenticate(f"Bearer {texts[-1]}")
        with pytest.raises(Unauthenticated):
            await scene.authenticate(f"Bearer {texts[0]}")

        assert scene.store.lookups == lookups + 1
        await scene.authenticator.close()

    asyncio.run(scene())


def test_the_last_use_is_recorded_once_in_a_minute_and_beside_the_request() -> None:
    async def scene() -> None:
        scene = Scene()
        await scene.authenticate()
        assert scene.store.touched == []
        await scene.authenticator.close()
        scene.clock.go(MINUTE - 1)
        await scene.authenticate()
        scene.clock.go(1)
        await scene.authenticate()
        await scene.authenticator.close()

        assert scene.store.touched == [(7, NOW), (7, NOW + MINUTE)]

    asyncio.run(scene())


def test_a_use_that_the_store_already_knows_of_is_not_recorded_again() -> None:
    async def scene() -> None:
        scene = Scene(last_used_at=Instant(NOW - SECOND))
        await scene.authenticate()
        await scene.authenticator.close()

        assert scene.store.touched == []

    asyncio.run(scene())


def test_a_store_that_cannot_record_a_use_does_not_matter_to_the_request() -> None:
    async def scene() -> None:
        scene = Scene()
        scene.store.is_away = True
        await scene.authenticate()

        await scene.authenticator.close()

    asyncio.run(scene())


def test_repeated_failures_from_one_address_wait_longer_each_time_up_to_a_limit() -> None:
    async def scene() -> None:
        scene = Scene()
        for _ in range(11):
            await scene.refuse()

        assert scene.slept == [0.25, 0.5, 1, 2, 4, 8, 8, 8]

    asyncio.run(scene())


def test_a_valid_token_is_not_delayed_by_failures_from_its_address() -> None:
    async def scene() -> None:
        scene = Scene()
        for _ in range(5):
            await scene.refuse()
        waits = len(scene.slept)

        await scene.authenticate()

        assert len(scene.slept) == waits

    asyncio.run(scene())


def test_other_addresses_do_not_wait_and_failures_are_forgotten_in_time() -> None:
    async def scene() -> None:
        scene = Scene()
        for _ in range(3):
            await scene.refuse()
        await scene.refuse("2.2.2.2")
        scene.clock.go(10 * MINUTE)
        await scene.refuse()

        assert scene.slept == []

    asyncio.run(scene())


def test_an_expired_token_counts_as_a_failure_and_a_missing_one_does_not() -> None:
    async def scene() -> None:
        scene = Scene(expires_at=NOW)
        for header in (f"Bearer {GOOD}", None):
            for _ in range(4):
                with pytest.raises(Unauthenticated):
                    await scene.authenticate(header)

        assert scene.slept == [0.25]

    asyncio.run(scene())


def test_addresses_of_one_ipv6_network_are_one_source() -> None:
    async def scene() -> None:
        scene = Scene()
        for number in range(4):
            await scene.refuse(f"2001:db8::{number}")
        await scene.refuse("2001:db8:0:1::1")
        await scene.refuse("not an address")

        assert scene.slept == [0.25]

    asyncio.run(scene())


def test_addresses_are_remembered_up_to_a_number() -> None:
    async def scene() -> None:
        clock = FakeClock()
        slept: list[float] = []

        async def sleep(seconds: float) -> None:
            slept.append(seconds)

        throttle = LoginThrottle(sleep=sleep, elapsed=clock.elapsed)
        for _ in range(4):
            await throttle.note_failure("first")
        for number in range(4096):
            await throttle.note_failure(str(number))
        await throttle.note_failure("first")

        assert slept == [0.25]

    asyncio.run(scene())


class Flood(Scene):
    """An authenticator that delays bad tokens until they are released."""

    def __init__(self) -> None:
        super().__init__()
        self.release = asyncio.Event()
        self.authenticator = TokenAuthenticator(
            self.store,
            self.clock,
            sleep=lambda _: self.release.wait(),
            elapsed=self.clock.elapsed,
        )

    async def start(self, count: int) -> None:
        """Send bad tokens until the throttle is full."""
        self.guesses = [
            asyncio.create_task(self.authenticate(f"Bearer no{n}")) for n in range(count)
        ]
        for _ in range(5):
            await asyncio.sleep(0)

    async def end(self) -> list[Any]:
        self.release.set()
        return await asyncio.gather(*self.guesses, return_exceptions=True)


def test_a_good_token_that_comes_for_the_first_time_is_let_in_during_a_flood_of_bad_ones() -> None:
    async def scene() -> None:
        flood = Flood()
        await flood.start(40)

        assert await flood.authenticate()

        refusals = await flood.end()
        assert all(isinstance(each, Unauthenticated) for each in refusals)

    asyncio.run(scene())


def test_of_a_flood_of_bad_tokens_few_wait_and_the_others_are_refused_at_once() -> None:
    async def scene() -> None:
        flood = Flood()
        await flood.start(40)

        assert sum(not guess.done() for guess in flood.guesses) == 8
        await flood.refuse("2.2.2.2")
        await flood.end()

    asyncio.run(scene())


def test_while_the_throttle_is_full_a_bad_token_is_looked_up_once_in_a_second() -> None:
    async def scene() -> None:
        flood = Flood()
        await flood.start(12)
        before = flood.store.lookups

        for _ in range(5):
            await flood.refuse()
        assert flood.store.lookups == before + 1
        flood.clock.go(SECOND)
        await flood.refuse()
        assert flood.store.lookups == before + 2
        await flood.end()

    asyncio.run(scene())


def test_a_full_throttle_remembers_a_bounded_number_of_bad_tokens() -> None:
    async def scene() -> None:
        flood = Flood()
        await flood.start(12)
        await flood.refuse()
        for number in range(1024):
            with pytest.raises(Unauthenticated):
                await flood.authenticate(f"Bearer other{number}")
        before = flood.store.lookups

        await flood.refuse()

        assert flood.store.lookups == before + 1
        await flood.end()

    asyncio.run(scene())


def test_while_the_throttle_is_full_few_lookups_run_at_a_time() -> None:
    async def scene() -> None:
        flood = Flood()
        await flood.start(12)
        answers = asyncio.Event()
        flood.store.answers = answers
        before = flood.store.lookups

        more = [asyncio.create_task(flood.authenticate(f"Bearer more{n}")) for n in range(20)]
        good = asyncio.create_task(flood.authenticate())
        for _ in range(5):
            await asyncio.sleep(0)
        assert flood.store.lookups == before + 4

        answers.set()
        assert await good
        await asyncio.gather(*more, return_exceptions=True)
        await flood.end()

    asyncio.run(scene())


LOCAL = {"host": "localhost:8080"}
JSON = {"content-type": "application/json; charset=utf-8", "content-length": "2"}


def authenticate_openly(headers: dict[str, str], scheme: str = "http") -> Principal:
    async def scene() -> Principal:
        authenticator = LoopbackAuthenticator()
        found = await authenticator.authenticate(request(headers, scheme), "127.0.0.1")
        await authenticator.close()
        return found

    return asyncio.run(scene())


@pytest.mark.parametrize(
    "headers",
    [
        LOCAL,
        {"host": "LOCALHOST"},
        {"host": "127.0.0.1:8080"},
        {"host": "[::1]:8080"},
        LOCAL | {"origin": "http://localhost:8080"},
        LOCAL | JSON,
        LOCAL | {"content-length": "0", "content-type": "text/plain"},
    ],
    ids=["a name", "no port", "IPv4", "IPv6", "its own page", "JSON", "no body"],
)
def test_without_authentication_a_program_of_this_machine_is_owner(headers: dict[str, str]) -> None:
    assert authenticate_openly(headers) == Principal(
        Role.OWNER, name="this machine", address="127.0.0.1"
    )


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({}, "'Host' is localhost"),
        ({"host": "evil.example:8080"}, "'Host' is localhost"),
        ({"host": "localhost.evil.example"}, "'Host' is localhost"),
        ({"host": "localhost:8080@evil.example"}, "'Host' is localhost"),
        ({"host": "192.168.1.5:8080"}, "'Host' is localhost"),
        (LOCAL | {"origin": "https://evil.example"}, "another origin"),
        (LOCAL | {"origin": "null"}, "another origin"),
        (LOCAL | {"origin": "http://localhost:9090"}, "another origin"),
        (LOCAL | {"origin": "https://localhost:8080"}, "another origin"),
        (LOCAL | JSON | {"content-type": "text/plain"}, "application/json"),
        (LOCAL | {"content-length": "2"}, "application/json"),
        (LOCAL | {"transfer-encoding": "chunked"}, "application/json"),
    ],
    ids=[
        *("no host", "a rebound name", "a longer name", "a user", "another address"),
        *("another site", "a sandboxed page", "another port", "another scheme"),
        *("a form", "no type", "chunks"),
    ],
)
def test_without_authentication_a_web_page_is_refused(
    headers: dict[str, str], message: str
) -> None:
    with pytest.raises(Forbidden, match=message):
        authenticate_openly(headers)


def test_the_servers_own_origin_has_its_scheme() -> None:
    headers = LOCAL | {"origin": "https://localhost:8080"}

    assert authenticate_openly(headers, scheme="https").role is Role.OWNER
