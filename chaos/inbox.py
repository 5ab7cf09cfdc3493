"""Where the messages of alerts arrive, and the judge of them.

Lost      a job failed or recovered, and no message says so
doubled   two messages with two ids say the same of one incident
repeated  a message that arrived again under its id, which is right after a kill or a failed answer
flood     more messages about a job that flaps than the server promises
"""

import random
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from msgspec import Struct

from chaos.api import Api, collection_path, job_path
from chaos.facts import now

COLLECTION = "watched"
# Jobs of one alert: all fail, then all succeed.
JOBS = 120
# One more job, which fails and succeeds in turns: of so many incidents in an hour people are told.
FLAPPING = "flapping"
TOLD_AN_HOUR = 3
_ALERT = f"{collection_path(COLLECTION)}/alerts/oncall?api-version=2026-11-01"
_REFUSED = 0.2


class Message(Struct, frozen=True):
    """A message as it arrived: written down before anything is answered."""

    id: str
    kind: str
    job: str
    tag: str
    body: bytes
    at: int


class Target(Struct):
    """The target of the jobs, which fails as long as it is told to, and the inbox of the alert."""

    url: str = ""
    is_failing: bool = True
    is_flapping: bool = True
    calls: int = 0
    messages: list[Message] = []
    # The runs of the job that flaps, by their tags, and whether each of them fails.
    flaps: dict[str, bool] = {}

    @property
    def inbox(self) -> str:
        """Where messages are sent."""
        return f"{self.url}/inbox"

    def count(self, kind: str) -> int:
        """Return of how many jobs that do not flap a kind of message has arrived."""
        return len({each.job for each in self.messages if each.kind == kind} - {FLAPPING})

    @property
    def is_told(self) -> bool:
        """Whether each job was told as failed and as recovered, also the one that flaps."""
        kinds = ("alert.raised", "alert.resolved")
        raised, resolved = (_tags(self.messages, kind) for kind in kinds)
        return all(self.count(kind) == JOBS for kind in kinds) and raised == resolved

    def flaps_down(self, tag: str) -> bool:
        """Tell whether a run of the job that flaps fails; one that is sent again fails again."""
        return self.flaps.setdefault(tag, self.is_flapping and len(self.flaps) % 2 == 0)


@asynccontextmanager
async def target(dice: random.Random) -> AsyncGenerator[Target]:
    """Serve the jobs and the inbox; one message in five is answered with 500."""
    found = Target()

    async def job(_: web.Request) -> web.Response:
        found.calls += 1
        return web.Response(status=500 if found.is_failing else 200)

    async def flapping(request: web.Request) -> web.Response:
        is_down = found.flaps_down(request.headers["x-ms-execution-tag"])
        return web.Response(status=500 if is_down else 200)

    async def inbox(request: web.Request) -> web.Response:
        body = await request.read()
        content = await request.json()
        found.messages.append(
            Message(
                id=request.headers["webhook-id"],
                kind=content["type"],
                job=content["data"]["job"],
                tag=content["data"]["facts"].get("tag", ""),
                body=body,
                at=now(),
            )
        )
        return web.Response(status=500 if dice.random() < _REFUSED else 200)

    application = web.Application()
    application.router.add_post("/inbox", inbox)
    application.router.add_get("/job", job)
    application.router.add_get("/flapping", flapping)
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
    jobs = {f"j{number}": _job(f"{at.url}/job") for number in range(JOBS)}
    jobs[FLAPPING] = _job(f"{at.url}/flapping")
    await api.create_jobs({job_path(COLLECTION, name): job for name, job in jobs.items()})


async def flap(api: Api) -> None:
    """Run the job that flaps once more; a server that is away, or its limit, may refuse that."""
    await api.call("POST", f"{job_path(COLLECTION, FLAPPING)}/run")


def _job(uri: str) -> Any:
    action = {
        "type": "Http",
        "request": {"uri": uri, "method": "GET"},
        "retryPolicy": {"retryType": "none"},
    }
    return {"properties": {"action": action, "recurrence": {"frequency": "minute"}}}


def observations(target: Target) -> list[str]:
    """Say how many messages there were."""
    messages = target.messages
    steady = [each for each in messages if each.job != FLAPPING]
    repeated = len(messages) - len({each.id for each in messages})
    flapped = _counts(each for each in messages if each.job == FLAPPING)
    failed = sum(target.flaps.values())
    return [
        f"{JOBS} jobs failed and recovered; messages: {_counts(steady)}",
        f"One job failed {failed} times in turns with successes; messages: {flapped}",
        f"{repeated} messages came again by their id",
    ]


def _counts(messages: Iterable[Message]) -> str:
    kinds = Counter(kind for kind, _ in {(each.kind, each.id) for each in messages})
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))


def failures(target: Target) -> list[str]:
    """Name the messages that are lost, doubled, changed or out of order, and a flood."""
    by_job: dict[str, list[Message]] = defaultdict(list)
    by_id: dict[str, set[bytes]] = defaultdict(set)
    for each in target.messages:
        by_job[each.job].append(each)
        by_id[each.id].add(each.body)
    found = [f"{id_} had {len(bodies)} bodies" for id_, bodies in by_id.items() if len(bodies) > 1]
    for number in range(JOBS):
        found += _failures_of(f"j{number}", by_job[f"j{number}"])
    found += _failures_of_flapping(by_job[FLAPPING])
    if sum(target.flaps.values()) <= TOLD_AN_HOUR:
        found.append(f"{FLAPPING} failed too seldom to flood anybody")
    return found


def _failures_of_flapping(messages: Sequence[Message]) -> list[str]:
    found: list[str] = []
    for kind in ("alert.raised", "alert.resolved"):
        ids = {each.id for each in messages if each.kind == kind}
        incidents = _tags(messages, kind)
        if len(incidents) != TOLD_AN_HOUR:
            found.append(f"{FLAPPING}: {kind} of {len(incidents)} incidents, not {TOLD_AN_HOUR}")
        if len(ids) != len(incidents):
            found.append(f"{FLAPPING}: {kind} has {len(ids)} ids")
    return found


def _tags(messages: Iterable[Message], kind: str) -> set[str]:
    """Return the incidents of the job that flaps of which a kind of message tells."""
    return {each.tag for each in messages if each.job == FLAPPING and each.kind == kind}


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
