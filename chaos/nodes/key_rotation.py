"""The key changed while three nodes work: in the order that is safe, and in one that is not.

A node that was not given the key of a definition can say nothing about the job: it puts the run
back, says so on `/readyz`, and leaves the work to the others until it is started with the key.
"""

import asyncio
import base64
import random
from collections.abc import Sequence

from chaos.cluster import KEY, Cluster, Seen, cluster, database
from chaos.facts import SECOND, Delivery, now
from chaos.server import Server
from chaos.sink import Sink, holds
from chaos.stage import Finding, Stage, comes_true, until

PER_SECOND = 40
SECONDS = 180
SHOWN_WITHIN = 30
# Between two restarts, so that each finds a load to take part in.
SETTLE_SECONDS = 1


async def play(stage: Stage, seconds: int = SECONDS) -> Finding:
    """Change the key twice under load, and judge."""
    log: list[Delivery] = []
    dice = stage.dice
    second, third = _key(dice), _key(dice)
    async with (
        Sink(holds(stage.dice, 0.2, 0.6), log) as sink,
        database(stage) as postgres,
        cluster(stage, postgres) as nodes,
    ):
        load = await nodes.load(sink.url, PER_SECOND, seconds)
        await until(load.start + 2 * SECOND)
        for keys in ([KEY, second], [second, KEY], [second]):
            for node in nodes.nodes:
                await _restart(node, keys)
        complaints = [problem for node in nodes.nodes for problem in await node.problems()]
        stage.say("the key was changed in the safe order")
        unsafe = await _change_unsafely(nodes, second, third)
        is_in_time = now() < load.end
        await until(load.end)
        return await nodes.finding(
            load,
            log,
            Seen(
                observations=[
                    "Keys were changed in the safe order, by 9 restarts under load",
                    (
                        "Then one node was given the next key first: the others said on `/readyz` "
                        f"{unsafe.said} and were well again when they had it"
                    ),
                ],
                failures=[
                    *(f"after the safe order `/readyz` complains of {each}" for each in complaints),
                    *unsafe.failures,
                    *([] if is_in_time else ["the load was over before the keys were changed"]),
                ],
            ),
        )


class _Unsafe:
    """What nodes said that were not given the key that the first one used."""

    def __init__(self) -> None:
        self.said = ""
        self.failures: list[str] = []


async def _change_unsafely(nodes: Cluster, known: str, new: str) -> _Unsafe:
    seen = _Unsafe()
    first, *others = nodes.nodes
    await _restart(first, [new, known])
    for node in others:
        if not await comes_true(lambda node=node: _complains(node), SHOWN_WITHIN):
            number = nodes.nodes.index(node)
            seen.failures.append(f"node {number} has no key and did not say so in {SHOWN_WITHIN} s")
    said = {f"'{part} {what}'" for node in others for part, what in (await node.problems()).items()}
    seen.said = " and ".join(sorted(said)) or "nothing"
    nodes.stage.say(f"nodes without the key say {seen.said}")
    if await first.problems():
        seen.failures.append("the node that has both keys is not ready")
    for node in others:
        await _restart(node, [new, known])
        if not await comes_true(lambda node=node: _is_well(node), SHOWN_WITHIN):
            seen.failures.append("a node that was given the key does not become ready")
    return seen


async def _restart(node: Server, keys: Sequence[str]) -> None:
    await node.end()
    node.tell({"FOLIOT_SECRET_KEYS": ",".join(keys)})
    await node.start()
    await asyncio.sleep(SETTLE_SECONDS)


async def _complains(node: Server) -> bool:
    return bool(await node.problems())


async def _is_well(node: Server) -> bool:
    return not await node.problems()


def _key(dice: random.Random) -> str:
    return base64.b64encode(dice.randbytes(32)).decode()
