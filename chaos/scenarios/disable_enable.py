"""Jobs and collections disabled and enabled again at random, while retries of theirs wait.

An occurrence that has begun goes on when its job is enabled again. Those that fall into the time it
is disabled are not owed, so that only what has begun is judged. A job that runs once and whose time
has passed meanwhile runs when it is enabled; one that is over cannot be disabled (409).
"""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from chaos.api import Api, collection_path, job_path
from chaos.attempts import begun, broken_off
from chaos.facts import MINUTE, SECOND, Calendar, Delivery, now, written
from chaos.judge import Evidence, judge
from chaos.load import definition, soon
from chaos.sink import Sink, fails_at_times
from chaos.stage import Finding, Stage, comes_true, until

COLLECTIONS = 6
RECURRING = 40  # of each collection
ONCE = 40
SECONDS = 150
FAILING = 0.5
RETRIES = 2
MOST_ATTEMPTS = 1 + RETRIES
OFF_SECONDS = (1, 25)


class Jobs(Struct, frozen=True):
    """Jobs that run each minute and jobs that run once, with the calendar of all."""

    url: str
    start: int
    seconds: int

    @property
    def collections(self) -> list[str]:
        """The collections that hold them."""
        return [f"toggled-{number}" for number in range(COLLECTIONS)]

    @property
    def end(self) -> int:
        """When the last occurrence may begin."""
        return self.start + self.seconds * SECOND

    @property
    def calendar(self) -> Calendar:
        """When each is expected, if nothing comes between."""
        return {
            name: range(first, self.end + 1 if is_recurring else first + 1, MINUTE)
            for _, name, first, is_recurring in self._all
        }

    def calendar_after(self, deliveries: Iterable[Delivery]) -> Calendar:
        """When each was expected, as one that runs once may have been enabled after its time."""
        expected: defaultdict[str, set[int]] = defaultdict(set)
        for each in deliveries:
            expected[each.job].add(each.expected)
        late = {
            name: sorted(times)
            for _, name, first, is_recurring in self._all
            if not is_recurring and len(times := expected[name]) == 1 and min(times) >= first
        }
        return {**self.calendar, **late}

    @property
    def paths(self) -> list[str]:
        """Where they are."""
        return [job_path(collection, name) for collection, name, *_ in self._all]

    async def create(self, api: Api) -> None:
        """Create them."""
        await api.create_collections(self.collections)
        await api.create_jobs(
            {job_path(each[0], each[1]): self._definition(*each[2:]) for each in self._all}
        )

    @property
    def _all(self) -> Iterable[tuple[str, str, int, bool]]:
        each = RECURRING + ONCE
        for number, collection in enumerate(self.collections):
            for index in range(each):
                first = self.start + (MINUTE * index // each + number * 1000) // 1000 * 1000
                yield collection, f"{collection}-{index}", first, index < RECURRING

    def _definition(self, first: int, is_recurring: bool) -> Any:  # noqa: FBT001  (a row's last value)
        minutely = {"frequency": "minute", "interval": 1, "endTime": written(self.end)}
        job = definition(self.url, first, minutely if is_recurring else None)
        job["properties"]["action"]["retryPolicy"] = {
            "retryType": "fixed",
            "retryInterval": "PT15S",
            "retryCount": RETRIES,
        }
        return job


async def play(stage: Stage, seconds: int = SECONDS) -> Finding:
    """Toggle what a dice chooses, enable all in the end, and judge what had begun."""
    dice = stage.dice
    async with Sink(fails_at_times(dice, FAILING), []) as sink, stage.server() as server:
        jobs = Jobs(sink.url, soon(12), seconds)
        await jobs.create(server.api)
        await until(jobs.start)
        answers = await _toggle(server.api, jobs, dice)
        stage.say(f"toggled: {dict(answers)}")
        await _enable_all(server.api, jobs)
        # The latest retry of the last occurrence comes so much later.
        await until(jobs.end + RETRIES * 16 * SECOND)

        async def is_settled() -> bool:
            return not await server.api.count_open(jobs.collections)

        has_settled = await comes_true(is_settled, 90)
        told = await server.api.tell(jobs.paths)
    seen = Evidence(calendar={}, deliveries=sink.log, told=told, must_succeed=False)
    calendar = begun(jobs.calendar_after(sink.log), seen)
    evidence = Evidence(calendar=calendar, deliveries=sink.log, told=told, must_succeed=False)
    retried = sum(count > 1 for count in Counter(each.tag for each in sink.log).values())
    return Finding(
        scenario=stage.scenario,
        judgement=judge(evidence),
        observations=[
            (
                f"{len(calendar)} jobs in {COLLECTIONS} collections were disabled and enabled "
                f"{answers.total()} times; {retried} occurrences were retried, at a target that "
                f"fails {FAILING:.0%} of the time"
            ),
            "Occurrences are those that had begun; a disabled job owes no others",
        ],
        failures=[
            *([] if has_settled else ["some jobs were not settled in the end"]),
            *(
                f"{number} of these calls were answered with {status}"
                for status, number in answers.items()
                if status not in (200, 400, 409)
            ),
            *([] if retried else ["no occurrence was retried"]),
            *broken_off(evidence, MOST_ATTEMPTS),
        ],
    )


async def _toggle(api: Api, jobs: Jobs, dice: random.Random) -> Counter[int]:
    """Disable something every tenth of a second, and enable it after a while."""
    answers: Counter[int] = Counter()

    async def switch(path: str, off_seconds: float) -> None:
        for state in ("disabled", "enabled"):
            answers[await _set(api, path, state)] += 1
            await asyncio.sleep(off_seconds if state == "disabled" else 0)

    collections = [collection_path(name) for name in jobs.collections]
    async with asyncio.TaskGroup() as group:
        # All are enabled again before the last occurrence of each: a job without any stays off.
        while now() < jobs.end - MINUTE - (OFF_SECONDS[1] + 4) * SECOND:
            path = dice.choice(collections if dice.random() < 0.02 else jobs.paths)
            group.create_task(switch(path, dice.uniform(*OFF_SECONDS)))
            await asyncio.sleep(0.1)
    return answers


async def _set(api: Api, path: str, state: str) -> int:
    if "/jobs/" in path:
        status, _ = await api.call("PATCH", path, {"properties": {"state": state}})
        return status
    status, _ = await api.call("POST", f"{path}/{state.removesuffix('d')}")
    return status


async def _enable_all(api: Api, jobs: Jobs) -> None:
    for collection in jobs.collections:
        await _set(api, collection_path(collection), "enabled")
    for path in jobs.paths:
        await _set(api, path, "enabled")
