"""Where the messages of alerts arrive, and the judge of them.

Lost      a job failed or recovered, and no message says so
doubled   two messages with two ids say the same of one incident
repeated  a message that arrived again under its id, which is right after a kill or a failed answer
"""

import random
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager

from aiohttp import web
from msgspec import Struct

from chaos.api import Api, collection_path
from chaos.facts import now

COLLECTION = "watched"
# Jobs of one alert: all fail, then all succeed.
JOBS = 120
_ALERT = f"{collection_path(COLLECTION)}/alerts/oncall?api-version=2026-11-01"
_REFUSED = 0.2


class Message(Struct, frozen=True):
    """A message as it arrived: written down before anything is answered."""

    id: str
    kind: str
    job: str
    body: bytes
    at: int


class Target(Struct):
    """The target of the jobs, which fails as long as it is told to, and the inbox of the alert."""

    url: str = ""
    is_failing: bool = True
    calls: int = 0
    messages: list[Message] = []

    @property
    def inbox(self) -> str:
        """Where messages are sent."""
        return f"{self.url}/inbox"

    def count(self, kind: str) -> int:
        """Return of how many jobs a kind of message has arrived."""
        return len({each.job for each in self.messages if each.kind == kind})


@asynccontextmanager
async def target(dice: random.Random) -> AsyncGenerator[Target]:
    """Serve the jobs and the inbox; one message in five is answered with 500."""
    found = Target()

    async def job(_: web.Request) -> web.Response:
        found.calls += 1
        return web.Response(status=500 if found.is_failing else 200)

    async def inbox(request: web.Request) -> web.Response:
        body = await request.read()
        content = await request.json()
        found.messages.append(
            Message(
                id=request.headers["webhook-id"],
                kind=content["type"],
                job=content["data"]["job"],
                body=body,
                at=now(),
            )
        )
        return web.Response(status=500 if dice.random() < _REFUSED else 200)

    application = web.Application()
    application.router.add_post("/inbox", inbox)
    application.router.add_get("/job", job)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    found.url = f"http://{host}:{port}"
    try:
        yield found
    finally:
        await runner.cleanup()


async def create(api: Api, at: Target) -> None:
    """Create a collection with an alert, and jobs that run each minute and are not retried."""
    await api.create_collections([COLLECTION])
    alert = {
        "properties": {
            "when": {"failed": {"inARow": 1}},
            "sendTo": [{"type": "webhook", "uri": at.inbox}],
        }
    }
    status, answer = await api.call("PUT", _ALERT, alert)
    if status not in (200, 201):
        raise RuntimeError(f"the alert was answered with {status}: {answer}")
    action = {
        "type": "Http",
        "request": {"uri": f"{at.url}/job", "method": "GET"},
        "retryPolicy": {"retryType": "none"},
    }
    job = {"properties": {"action": action, "recurrence": {"frequency": "minute"}}}
    jobs = collection_path(COLLECTION)
    await api.create_jobs({f"{jobs}/jobs/j{number}": job for number in range(JOBS)})


def observations(messages: Sequence[Message]) -> list[str]:
    """Say how many messages there were."""
    kinds = Counter(kind for kind, _ in {(each.kind, each.id) for each in messages})
    repeated = len(messages) - len({each.id for each in messages})
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    return [
        f"{JOBS} jobs failed and recovered; messages: {told}; {repeated} came again by their id"
    ]


def failures(messages: Iterable[Message]) -> list[str]:
    """Name the messages that are lost, doubled, changed or out of order."""
    by_job: dict[str, list[Message]] = defaultdict(list)
    by_id: dict[str, set[bytes]] = defaultdict(set)
    for each in messages:
        by_job[each.job].append(each)
        by_id[each.id].add(each.body)
    found = [f"{id_} had {len(bodies)} bodies" for id_, bodies in by_id.items() if len(bodies) > 1]
    for number in range(JOBS):
        found += _failures_of(f"j{number}", by_job[f"j{number}"])
    return found


def _failures_of(job: str, messages: Sequence[Message]) -> list[str]:
    found: list[str] = []
    for kind in ("alert.raised", "alert.resolved"):
        ids = {each.id for each in messages if each.kind == kind}
        if not ids:
            found.append(f"{job}: {kind} is lost")
        if len(ids) > 1:
            found.append(f"{job}: {kind} has {len(ids)} ids")
    order = [each.kind for each in sorted(messages, key=lambda each: each.at)]
    if order and order[0] != "alert.raised":
        found.append(f"{job}: {order[0]} came first")
    return found
