"""Names are resolved in threads; dead names do not delay the others."""

import asyncio
import errno
import socket
import threading
from collections import Counter
from collections.abc import Coroutine, Iterator
from ipaddress import ip_address
from typing import Any

import pytest

from foliot.core.model.reason import Reason
from foliot.dispatch.egress import resolver as module
from foliot.dispatch.egress.addresses import Address
from foliot.dispatch.egress.resolver import Resolver, ResolverSettings, system_lookup, threads_for
from foliot.dispatch.http.history_messages import CANCELED, TIMEOUT, Failure
from foliot.dispatch.local_shortage import DestinationShortage, Shortage
from tests.support.descriptors import no_descriptors

HERE = ip_address("127.0.0.1")
THERE = ip_address("127.0.0.2")
AT_ONCE = 0.0


class Names:
    """A resolver of the system, whose names hang, fail or answer as a test wants it."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.answers: dict[str, list[Address] | Exception] = {}
        self.released = threading.Event()

    def __call__(self, host: str) -> list[Address]:
        self.asked[host] += 1
        if host.startswith("hangs"):
            assert self.released.wait(60)
        answer = self.answers.get(host, [HERE])
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def names() -> Iterator[Names]:
    made = Names()
    yield made
    made.released.set()


def run(steps: Coroutine[Any, Any, None]) -> None:
    asyncio.run(steps)


def soon() -> float:
    """Return a deadline that only a test that is broken reaches."""
    return asyncio.get_running_loop().time() + 60


async def begun(resolver: Resolver, *hosts: str) -> list[asyncio.Task[Any]]:
    """Ask for names without waiting for them."""
    tasks = [asyncio.ensure_future(resolver.addresses(host, soon())) for host in hosts]
    await asyncio.sleep(0)
    return tasks


async def given_up(tasks: list[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_two_hundred_names_that_hang_do_not_delay_a_new_one(names: Names) -> None:
    async def steps() -> None:
        resolver = Resolver(names)
        hanging = await begun(resolver, *(f"hangs{number}.test" for number in range(200)))

        assert await resolver.addresses("healthy.test", soon()) == (HERE,)
        assert not any(task.done() for task in hanging)
        await given_up(hanging)

    run(steps())


def test_names_that_hang_in_all_threads_do_not_delay_a_name_that_answered_before(
    names: Names,
) -> None:
    async def steps() -> None:
        resolver = Resolver(names, ResolverSettings(new_threads=2, cache_seconds=0))
        await resolver.addresses("healthy.test", soon())
        hanging = await begun(resolver, *(f"hangs{number}.test" for number in range(9)))

        assert await resolver.addresses("healthy.test", soon()) == (HERE,)
        assert names.asked.total() == 4
        await given_up(hanging)

    run(steps())


def test_a_name_that_turns_out_slow_leaves_its_thread_to_a_new_one(names: Names) -> None:
    async def steps() -> None:
        settings = ResolverSettings(new_threads=1, slow_threads=1, slow_after_seconds=0)
        resolver = Resolver(names, settings)
        hanging = await begun(resolver, "hangs1.test")

        assert await resolver.addresses("healthy.test", soon()) == (HERE,)
        await given_up(hanging)

    run(steps())


def test_a_name_that_hung_waits_behind_others_that_hang_and_not_among_the_new(
    names: Names,
) -> None:
    async def steps() -> None:
        settings = ResolverSettings(new_threads=1, slow_threads=1, slow_after_seconds=0)
        resolver = Resolver(names, settings)
        hanging = await begun(resolver, "hangs1.test")
        await resolver.addresses("healthy1.test", soon())
        names.released.set()
        await asyncio.gather(*hanging)
        names.released.clear()
        again = await begun(resolver, "hangs2.test")
        await resolver.addresses("healthy2.test", soon())
        resolver._cached["hangs1.test"] = module._CachedAddresses((), soon(), is_quick=False)  # noqa: SLF001
        again += await begun(resolver, "hangs1.test")

        assert await resolver.addresses("healthy3.test", soon()) == (HERE,)
        assert names.asked["hangs1.test"] == 1
        await given_up(again)

    run(steps())


def test_slow_lookups_keep_their_threads_once_there_are_too_many(names: Names) -> None:
    async def steps() -> None:
        settings = ResolverSettings(new_threads=1, max_slow_threads=1, slow_after_seconds=0)
        resolver = Resolver(names, settings)
        hanging = await begun(resolver, "hangs1.test", "hangs2.test", "hangs3.test")
        with pytest.raises(Shortage):
            await resolver.addresses("hangs4.test", asyncio.get_running_loop().time() + 0.05)

        assert names.asked.total() == 2
        await given_up(hanging)

    run(steps())


def test_a_name_that_hangs_fails_alone_when_its_time_is_up(names: Names) -> None:
    async def steps() -> None:
        resolver = Resolver(names)

        assert await resolver.addresses("hangs.test", AT_ONCE) == TIMEOUT

    run(steps())


def test_a_name_for_which_no_thread_is_free_in_time_is_a_shortage_for_its_destination(
    names: Names,
) -> None:
    async def steps() -> None:
        resolver = Resolver(names, ResolverSettings(new_threads=1))
        hanging = await begun(resolver, "hangs1.test")

        with pytest.raises(DestinationShortage, match="No thread was free"):
            await resolver.addresses("unasked.test", AT_ONCE)
        await given_up(hanging)

    run(steps())


@pytest.mark.parametrize("slots", [8, 512, 4096])
def test_there_are_threads_for_as_many_names_as_there_are_attempts(slots: int) -> None:
    settings = threads_for(slots)

    assert settings.new_threads + settings.max_slow_threads >= slots
    assert min(settings.quick_threads, settings.slow_threads) >= 8


def test_concurrent_requests_share_the_lookup_of_a_name(names: Names) -> None:
    async def steps() -> None:
        resolver = Resolver(names)
        asking = await begun(resolver, *["hangs.test"] * 5)
        names.released.set()

        assert await asyncio.gather(*asking) == [(HERE,)] * 5
        assert names.asked["hangs.test"] == 1

    run(steps())


def test_a_name_without_waiting_requests_is_not_looked_up(names: Names) -> None:
    async def steps() -> None:
        resolver = Resolver(names, ResolverSettings(new_threads=1))
        first, second = await begun(resolver, "hangs1.test", "unwanted.test")
        await given_up([second])
        names.released.set()
        await first
        await resolver.addresses("healthy.test", soon())

        assert set(names.asked) == {"hangs1.test", "healthy.test"}

    run(steps())


def test_addresses_are_cached_for_a_while_and_then_looked_up_again(names: Names) -> None:
    async def steps() -> None:
        keeping = Resolver(names)
        await keeping.addresses("moves.test", soon())
        forgetting = Resolver(names, ResolverSettings(cache_seconds=0))
        await forgetting.addresses("moves.test", soon())
        names.answers["moves.test"] = [THERE]

        assert keeping.known("moves.test") == (HERE,)
        assert await keeping.addresses("moves.test", soon()) == (HERE,)
        assert forgetting.known("moves.test") is None
        assert await forgetting.addresses("moves.test", soon()) == (THERE,)

    run(steps())


def test_the_cache_of_addresses_is_limited(names: Names) -> None:
    async def steps() -> None:
        resolver = Resolver(names, ResolverSettings(max_cached=2))
        for host in ("one.test", "two.test", "three.test"):
            await resolver.addresses(host, soon())

        assert resolver.known("one.test") is None
        assert resolver.known("three.test") == (HERE,)

    run(steps())


@pytest.mark.parametrize(
    "answer",
    [socket.gaierror(socket.EAI_NONAME, "unknown"), UnicodeError("label too long"), []],
    ids=["unknown", "not a name", "without addresses"],
)
def test_a_name_without_an_address_is_a_failure_and_not_cached(
    names: Names, answer: Exception | list[Address]
) -> None:
    async def steps() -> None:
        resolver = Resolver(names)
        await resolver.addresses("gone.test", soon())
        names.answers["gone.test"] = answer
        resolver._cached.clear()  # noqa: SLF001

        found = await resolver.addresses("gone.test", soon())
        assert found == Failure(
            Reason.NAME_RESOLUTION_FAILURE,
            "The remote name could not be resolved: 'gone.test'",
        )
        del names.answers["gone.test"]
        assert await resolver.addresses("gone.test", soon()) == (HERE,)

    run(steps())


def test_a_name_has_at_most_sixteen_addresses_each_once(names: Names) -> None:
    async def steps() -> None:
        names.answers["many.test"] = [ip_address(f"10.0.0.{n % 100}") for n in range(200)]

        found = await Resolver(names).addresses("many.test", soon())
        assert len(set(found if isinstance(found, tuple) else ())) == 16

    run(steps())


def test_a_lookup_without_descriptors_is_a_shortage(names: Names) -> None:
    async def steps() -> None:
        names.answers["short.test"] = OSError(errno.EMFILE, "Too many open files")

        with pytest.raises(Shortage, match="no file descriptors left"):
            await Resolver(names).addresses("short.test", soon())

    run(steps())


def test_a_lookup_that_fails_without_descriptors_is_a_shortage(names: Names) -> None:
    async def steps() -> None:
        names.answers["short.test"] = socket.gaierror(socket.EAI_AGAIN, "try again")
        resolver = Resolver(names)
        with no_descriptors(), pytest.raises(Shortage, match="no file descriptors left"):
            await resolver.addresses("short.test", soon())

    run(steps())


def test_a_thread_that_cannot_be_started_is_a_shortage(
    names: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def steps() -> None:
        def refuse(_: threading.Thread) -> None:
            raise RuntimeError("can't start new thread")

        monkeypatch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(Shortage, match="cannot start another thread"):
            await Resolver(names).addresses("healthy.test", soon())

    run(steps())


def test_closing_ends_waiting_requests_and_leaves_threads_behind(names: Names) -> None:
    async def steps() -> None:
        resolver = Resolver(names, ResolverSettings(new_threads=1))
        waiting = await begun(resolver, "hangs1.test", "hangs2.test")
        resolver.close()

        assert await asyncio.gather(*waiting) == [CANCELED, CANCELED]
        assert await resolver.addresses("healthy.test", soon()) == CANCELED
        resolver._ended(first := module._Query("hangs1.test", resolver._new), (HERE,))  # noqa: SLF001
        assert first.found.result() == (HERE,)
        assert names.asked["hangs2.test"] == 0

    run(steps())


def test_the_resolver_of_the_system_knows_localhost() -> None:
    assert {HERE, ip_address("::1")} & set(system_lookup("localhost"))
