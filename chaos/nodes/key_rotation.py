"""The key changed while three nodes work: in the order that is safe, and in one that is not.

A node whose first key the others were not given would seal jobs that these cannot open: it refuses
to start, and the others go on.
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
WELL_WITHIN = 30
REFUSAL = "The secret keys do not fit those of other nodes"
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
                        "Then one node was given the next key first, and refused to start: "
                        f"'{unsafe.said}'"
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
    """What a node said that was given a key first that the others do not have."""

    def __init__(self) -> None:
        self.said = ""
        self.failures: list[str] = []


async def _change_unsafely(nodes: Cluster, known: str, new: str) -> _Unsafe:
    seen = _Unsafe()
    first, *others = nodes.nodes
    try:
        await _restart(first, [new, known])
    except RuntimeError as failure:
        seen.said = str(failure).strip().rpartition("foliot serve: ")[2]
    if not seen.said.startswith(REFUSAL):
        seen.failures.append("a node began to use a key that the others were not given")
    nodes.stage.say(f"a node with another key first says {seen.said or 'nothing'}")
    for node in others:
        if await node.problems():
            seen.failures.append("a node is not ready though nothing has changed for it")
    await _restart(first, [known])
    if not await comes_true(lambda: _is_well(first), WELL_WITHIN):
        seen.failures.append("the node that was given the key of the others does not become ready")
    return seen


async def _restart(node: Server, keys: Sequence[str]) -> None:
    await node.end()
    node.tell({"FOLIOT_SECRET_KEYS": ",".join(keys)})
    await node.start()
    await asyncio.sleep(SETTLE_SECONDS)


async def _is_well(node: Server) -> bool:
    return not await node.problems()


def _key(dice: random.Random) -> str:
    return base64.b64encode(dice.randbytes(32)).decode()
