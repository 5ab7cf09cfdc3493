"""The kinds of misbehaviour, and what history must say of each."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from msgspec import Struct

from chaos.facts import SECOND, Delivery, Recorded, Told
from chaos.sink import Floods, Sink, drips, hangs_until, redirects_to, resets

DENIED = "127.0.0.66"
TIMEOUT = range(59 * SECOND, 66 * SECOND)
ANY = range(66 * SECOND)
MOST_HOPS = 11
MOST_TAKEN = 16 * 1024 * 1024


class Kind(Struct, frozen=True):
    """A misbehaviour: where it is found, what history says of it, and how long it takes."""

    name: str
    url: str
    says: Sequence[str]
    status: str = "failed"
    takes: range = ANY

    def objection(self, entry: Recorded) -> str | None:
        """Say what is wrong with an entry of history, if anything is."""
        if entry.status != self.status or not any(text in entry.message for text in self.says):
            return f"{self.name}: history says {entry.status}: {entry.message[:150]!r}"
        if entry.ended - entry.started not in self.takes:
            return f"{self.name}: an attempt took {(entry.ended - entry.started) / SECOND:.1f} s"
        return None


class BadTargets(Struct):
    """Targets that misbehave, with the log of all that arrived at them."""

    kinds: list[Kind]
    log: list[Delivery]
    forbidden: list[Delivery]
    flood: Floods

    def objections(self, told: Mapping[str, Told]) -> list[str]:
        """Say what history says wrongly, and what the targets saw and should not have."""
        found = [
            objection
            for kind in self.kinds
            for job, each in told.items()
            if job.startswith(f"{kind.name}-")
            for entry in each.history
            if (objection := kind.objection(entry))
        ]
        if self.forbidden:
            found.append(f"{len(self.forbidden)} requests reached {DENIED}, which is denied")
        if self.flood.most > MOST_TAKEN:
            found.append(f"{self.flood.most} bytes of the endless answer were read")
        hops = [each.request_id for each in self.log if each.job.startswith("circle")]
        most = max((hops.count(each) for each in set(hops)), default=0)
        if most != MOST_HOPS:
            found.append(f"a circle of redirects was followed {most} times, not {MOST_HOPS}")
        return found


@asynccontextmanager
async def bad_targets() -> AsyncGenerator[BadTargets]:
    """Open all of them."""
    log, forbidden = list[Delivery](), list[Delivery]()
    flood, never = Floods(), asyncio.Event()
    async with AsyncExitStack() as stack:
        denied = await stack.enter_async_context(Sink(resets, forbidden, DENIED))
        circle = Sink(redirects_to(lambda: circle.url), log)
        sinks = {
            "hang": Sink(hangs_until(never), log),
            "reset": Sink(resets, log),
            "drip": Sink(drips, log),
            "flood": Sink(flood, log),
            "circle": circle,
            "denied": Sink(redirects_to(lambda: denied.url), log),
        }
        urls = {name: (await stack.enter_async_context(sink)).url for name, sink in sinks.items()}
        refusing = stack.enter_context(socket.socket())
        refusing.bind(("127.0.0.1", 0))  # and does not listen
        urls["refuse"] = f"http://127.0.0.1:{refusing.getsockname()[1]}/"
        yield BadTargets(_kinds(urls), log, forbidden, flood)


def _kinds(urls: dict[str, str]) -> list[Kind]:
    timeout = ["Request to host '127.0.0.1' failed: Timeout The operation has timed out"]
    cut = ["failed: ReceiveFailure ", "failed: ConnectionClosed "]
    denied = f"failed: EgressDenied The request is not allowed: the address {DENIED}, port "
    unknown = ["failed: NameResolutionFailure The remote name could not be resolved: "]
    return [
        Kind("refuse", urls["refuse"], ["failed: ConnectFailure Unable to connect"]),
        Kind("hang", urls["hang"], timeout, takes=TIMEOUT),
        Kind("reset", urls["reset"], cut),
        Kind("drip", urls["drip"], timeout, takes=TIMEOUT),
        Kind("flood", urls["flood"], ["host '127.0.0.1': 'OK' Response Headers: "], "completed"),
        Kind("circle", urls["circle"], ["failed: TooManyRedirects "]),
        Kind("denied", urls["denied"], [denied]),
        Kind("unknown-name", "http://unknown.chaos.test/", unknown),
        Kind("silent-name", "http://silent.chaos.test/", unknown),
    ]
