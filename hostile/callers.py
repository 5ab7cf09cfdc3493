"""Callers without a token, with a bad one, or with one that is good for something else."""

import asyncio

from chaos.api import collection_path
from chaos.load import soon
from chaos.server import Server
from chaos.stage import Stage
from hostile import certificates
from hostile.attack import Attack, Result
from hostile.client import Answer, Client, make_token
from hostile.job_authors import with_certificate
from hostile.memory import watching
from hostile.probe import calm, probing
from hostile.requests import COLLECTION, attackers_job, http_job, make_collection
from hostile.wire import drip, exchange

ELSEWHERE = "/subscriptions/elsewhere"
# Where attackers come from; others come from 127.0.0.1.
ATTACKER = "127.0.0.2"
DESCRIPTORS = 256
SLOW = 400
SLOW_SECONDS = 25
FORMS = 300
# So many forms of 1 MB took 322 MB.
MOST_FORMS_MIB = 96
AT_ONCE_SECONDS = 1.5
BAD_TOKENS = 400

# The first line of an answer that is not a refusal.
_GOOD = b"HTTP/1.1 200"


async def bodies_of_strangers(stage: Stage) -> Result:
    """Send costly bodies with a token that is good for reading somewhere else."""
    costly = await asyncio.to_thread(certificates.with_mac_rounds, 100_000_000)
    async with stage.server() as server:
        await make_collection(server)
        readers = {
            "a Reader of elsewhere": await make_token(stage.data, "Reader", ELSEWHERE),
            "a Contributor of elsewhere": await make_token(stage.data, "Contributor", ELSEWHERE),
            "a Reader": await make_token(stage.data, "Reader"),
        }
        bodies = {
            "a list of 1.2 MB": b"[" + b"1," * 600_000 + b"1]",
            "what is not JSON": b"{" * 900_000,
            "a costly certificate": with_certificate(costly),
        }
        calls = [
            ("PUT", attackers_job("victim")),
            ("PATCH", attackers_job("victim")),
            ("POST", f"{collection_path(COLLECTION)}/jobs"),
            ("PUT", collection_path(COLLECTION)),
            ("PATCH", collection_path(COLLECTION)),
        ]
        objections: list[str] = []
        async with Client(server.port) as owner:
            await owner.call("PUT", attackers_job("victim"), http_job("http://x/", soon(3600)))
        before = await calm(server.port)
        async with probing(server.port) as seen:
            for who, token in readers.items():
                async with Client(server.port, token) as client:
                    for name, body in bodies.items():
                        for method, path in calls:
                            answer = await client.call(method, path, body)
                            objections += _unless_forbidden(f"{method} of {name} by {who}", answer)
    return Result(
        tried="bodies of 1.2 MB and costly certificates, by readers and by tokens of elsewhere",
        count=len(readers) * len(bodies) * len(calls),
        happened=f"refused with 403 or 404; {seen}",
        objections=[*objections, *seen.objections(before)],
    )


def _unless_forbidden(what: str, answer: Answer) -> list[str]:
    # A server that does not want a body may also close while it is being sent.
    if answer.status not in (0, 403, 404):
        return [f"{what} was answered with {answer.status}: {answer.text[:100]}"]
    if answer.seconds > AT_ONCE_SECONDS:
        return [f"{what} was refused only after {answer.seconds:.1f} s"]
    return []


async def slow_bodies(stage: Stage) -> Result:
    """Send forms one byte at a time, over more connections than the server has descriptors."""
    head = (
        "POST /sign-in HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\norigin: http://127.0.0.1:{port}\r\n"
        "content-type: application/x-www-form-urlencoded\r\ncontent-length: 100000\r\n\r\n"
    )
    async with stage.server(limits=[f"--nofile={DESCRIPTORS}:{DESCRIPTORS}"]) as server:
        before = await calm(server.port)
        is_over = asyncio.Event()
        sent = head.format(port=server.port).encode()
        async with asyncio.TaskGroup() as group:
            slow = [
                group.create_task(drip(server.port, sent, is_over, ATTACKER)) for _ in range(SLOW)
            ]
            await asyncio.sleep(2)
            answered = await _fresh_requests(server, SLOW_SECONDS)
            is_over.set()
        kept = sum(task.result() for task in slow)
    failed = [answer for answer in answered if answer.status != 200]
    longest = max(answer.seconds for answer in answered)
    return Result(
        tried=f"forms sent one byte a second, with {DESCRIPTORS} descriptors",
        count=SLOW,
        happened=(
            f"{kept} connections lasted {SLOW_SECONDS} s; of {len(answered)} others' requests "
            f"{len(failed)} failed, the slowest took {longest:.1f} s"
        ),
        objections=[
            *(f"somebody else's request failed: {failed[0].text[:80]}" for _ in failed[:1]),
            *([f"{kept} connections lasted all the time"] if kept > DESCRIPTORS // 2 else []),
            *(["others waited too long"] if longest > before.longest + 3 else []),
        ],
    )


async def _fresh_requests(server: Server, seconds: int) -> list[Answer]:
    """Ask each half second over a new connection."""
    answers: list[Answer] = []
    for _ in range(seconds * 2):
        async with Client(server.port, token=None) as client:
            answers.append(await client.ask("GET", "/healthz"))
        await asyncio.sleep(0.5)
    return answers


async def large_forms(stage: Stage) -> Result:
    """Send forms of 1 MB without a session, all but their last byte, all at a time."""
    size = 1_000_000
    paths = ("/sign-in", "/tokens", "/collections")
    async with stage.server() as server:
        heads = [
            (
                f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\n"
                f"origin: http://127.0.0.1:{server.port}\r\n"
                f"content-type: application/x-www-form-urlencoded\r\ncontent-length: {size}\r\n\r\n"
            ).encode()
            for path in paths
        ]
        await calm(server.port, seconds=1)
        async with watching(server) as growth, asyncio.TaskGroup() as group:
            for number in range(FORMS):
                sent = heads[number % len(heads)] + b"a=" + b"x" * (size - 3)
                group.create_task(_leave_unfinished(server, sent))
    is_large = growth.peak_mib > MOST_FORMS_MIB
    return Result(
        tried="forms of 1 MB without a session, never finished",
        count=FORMS,
        happened=f"memory grew by {growth.peak_mib:.0f} MiB at most",
        objections=[f"memory grew by {growth.peak_mib:.0f} MiB"] if is_large else [],
    )


async def _leave_unfinished(server: Server, sent: bytes) -> None:
    try:
        await exchange(server.port, sent, 8)
    except OSError:
        return


async def smuggling(stage: Stage) -> Result:
    """Send requests whose end two servers in a row would see at different places."""
    async with stage.server() as server:
        host = f"host: 127.0.0.1:{server.port}\r\n"
        inner = f"GET /healthz HTTP/1.1\r\n{host}\r\n"
        chunk = f"{len(inner):x}\r\n{inner}\r\n0\r\n\r\n"
        post = "POST /healthz HTTP/1.1\r\n" + host
        requests = {
            "TE identity, chunked": f"{post}transfer-encoding: identity, chunked\r\n\r\n{chunk}",
            "TE chunked, identity": f"{post}transfer-encoding: chunked, identity\r\n\r\n{chunk}",
            "TE gzip, chunked": f"{post}transfer-encoding: gzip, chunked\r\n\r\n{chunk}",
            "TE xchunked": f"{post}transfer-encoding: xchunked\r\n\r\n{chunk}",
            "TE chunked twice": (
                f"{post}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n{chunk}"
            ),
            "TE and CL": f"{post}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n{chunk}",
            "two CL": f"{post}content-length: 0\r\ncontent-length: {len(inner)}\r\n\r\n{inner}",
            "CL with a list": f"{post}content-length: 0, {len(inner)}\r\n\r\n{inner}",
            "CL with a plus": f"{post}content-length: +0\r\n\r\n{inner}",
            "CL that is negative": f"{post}content-length: -1\r\n\r\n{inner}",
            "CL in hexadecimal": f"{post}content-length: 0x0\r\n\r\n{inner}",
            "a space before the colon": f"{post}content-length : 0\r\n\r\n{inner}",
            "a folded header": f"{post}x: y\r\n content-length: 0\r\n\r\n",
            "a bare line feed": f"GET /healthz HTTP/1.1\n{host}\n",
            "a bare carriage return": f"GET /healthz HTTP/1.1\r{host}\r\r",
            "HTTP/0.9": "GET /healthz\r\n\r\n",
            "HTTP/0.9 by name": f"GET /healthz HTTP/0.9\r\n{host}\r\n",
            "HTTP/2.0 by name": f"GET /healthz HTTP/2.0\r\n{host}\r\n",
            "no host": "GET /healthz HTTP/1.1\r\n\r\n",
            "two hosts": f"GET /healthz HTTP/1.1\r\n{host}host: evil\r\n\r\n",
            "a NUL in a header": f"GET /healthz HTTP/1.1\r\n{host}x: a\x00b\r\n\r\n",
            "a chunk's size that overflows": (
                f"{post}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\nx"
            ),
        }
        answers = {
            name: await exchange(server.port, text.encode("latin-1"), 2)
            for name, text in requests.items()
        }
    through = [name for name, said in answers.items() if _GOOD in said]
    return Result(
        tried="requests with two ends, two hosts, or of no version",
        count=len(requests),
        happened=f"{len(requests) - len(through)} refused",
        objections=[f"{name} was answered with 200" for name in through],
    )


async def floods_of_bad_tokens(stage: Stage) -> Result:
    """Guess tokens in parallel while a good token comes for the first time from there."""
    async with stage.server() as server:
        good = await make_token(stage.data, "Reader")
        statuses: list[int] = []
        path = "/subscriptions/chaos/providers/Microsoft.Scheduler/jobCollections"

        async def guess(number: int) -> None:
            async with Client(server.port, token=f"foliot_{number:043}") as client:
                statuses.append((await client.call("GET", path)).status)

        async with asyncio.TaskGroup() as group:
            guesses = [group.create_task(guess(number)) for number in range(BAD_TOKENS)]
            await asyncio.sleep(3)
            async with Client(server.port, token=good) as client:
                answer = await client.call("GET", path)
            # Those that wait longest are not waited for.
            for each in guesses:
                each.cancel()
    let_in = sum(status == 200 for status in statuses)
    is_good = answer.status == 200 and answer.seconds < 3
    said = f"{answer.status} after {answer.seconds:.1f} s"
    return Result(
        tried="bad tokens in parallel, and a good one that comes for the first time",
        count=BAD_TOKENS,
        happened=f"{len(statuses)} were refused by then; the good one was answered with {said}",
        objections=[
            *([] if is_good else [f"a good token was answered with {said}: {answer.text[:100]}"]),
            *([f"{let_in} guesses were let in"] if let_in else []),
        ],
    )


ATTACKS: dict[str, Attack] = {
    "bodies-of-strangers": bodies_of_strangers,
    "slow-bodies": slow_bodies,
    "large-forms": large_forms,
    "smuggling": smuggling,
    "bad-tokens": floods_of_bad_tokens,
}
