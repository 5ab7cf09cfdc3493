"""Real nginx, with the file in `deploy/`, before real nodes on one PostgreSQL."""

import signal
from collections.abc import Generator
from pathlib import Path
from threading import Event, Thread
from urllib.parse import urlencode

import pytest

from tests.nodes.balancer import NGINX, Balancer, DyingNode, balancing
from tests.support.postgres_address import KEY, address
from tests.support.server import COLLECTION, Server, running

pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")

LARGE = {"properties": {"sku": {"name": "P20Premium"}}}
JOB = {
    "properties": {
        "action": {"type": "http", "request": {"uri": "http://127.0.0.1:1/", "method": "GET"}},
        "recurrence": {"frequency": "day"},
    }
}


def job(name: str, rest: str = "") -> str:
    return COLLECTION.replace("?", f"/jobs/{name}{rest}?")


APPLY = COLLECTION.replace("?", "/apply?").replace("2016-03-01", "2026-11-01")


@pytest.fixture
def environ(url: str) -> dict[str, str]:
    return {
        "SECRET_KEYS": KEY,
        "ADMIN_TOKEN": "t" * 40,
        "DATABASE": address(url),
        "TRUSTED_PROXIES": "127.0.0.1",
    }


@pytest.fixture
def nodes(environ: dict[str, str], tmp_path: Path) -> Generator[tuple[Server, Server]]:
    with (
        running(tmp_path / "one", **environ) as one,
        running(tmp_path / "two", **environ) as two,
    ):
        yield one, two


@pytest.fixture
def balancer(nodes: tuple[Server, Server], tmp_path: Path) -> Generator[Balancer]:
    with balancing(tmp_path, [node.port for node in nodes]) as opened:
        opened.call("PUT", COLLECTION, body=LARGE)
        yield opened


def test_links_lead_back_through_the_balancer_whatever_a_caller_claims(balancer: Balancer) -> None:
    for number in range(101):
        assert balancer.call("PUT", job(f"j{number:03}"), body=JOB).status == 201
    claims = {"X_Forwarded_Host": "evil.example", "X_Forwarded_Proto": "http"}

    listed = COLLECTION.replace("?", "/jobs?")
    first = balancer.call("GET", listed)
    claimed = balancer.call("GET", listed, **claims)
    link = first.content["nextLink"]
    second = balancer.call("GET", link.removeprefix(balancer.origin))

    assert link.startswith(f"{balancer.origin}/subscriptions/")
    assert claimed.content["nextLink"] == link
    assert [each["name"] for each in second.content["value"]] == ["c/j100"]


@pytest.mark.parametrize(
    ("method", "path", "size"),
    [
        pytest.param("PUT", job("large"), 1024**2, id="job"),
        pytest.param("POST", APPLY, 4 * 1024**2, id="whole collection"),
    ],
)
def test_a_body_that_is_too_large_is_refused_by_foliot_in_its_own_words(
    balancer: Balancer, method: str, path: str, size: int
) -> None:
    answer = balancer.call(method, path, body={"properties": {"filler": "x" * size}})

    assert answer.status == 413
    assert str(size) in answer.content["error"]["message"]


def test_the_portal_is_one_portal(balancer: Balancer) -> None:
    form = urlencode({"token": "t" * 40})
    kind = "application/x-www-form-urlencoded"

    def sign_in(origin: str) -> object:
        return balancer.call(
            "POST", "/sign-in", body=form, token=None, Origin=origin, Content_Type=kind
        )

    entered = sign_in(balancer.origin)
    session = entered.headers["set-cookie"].split(";")[0]
    # Each node gets some of these: a session is good on all of them, and so is the live page.
    pages = [
        balancer.call("GET", path, token=None, Cookie=session).status
        for path in ("/", "/live", "/live", "/tokens", "/collections")
    ]

    assert (entered.status, entered.headers["location"]) == (303, "/")
    assert "; secure" in entered.headers["set-cookie"].lower()
    assert pages == [200] * 5
    assert sign_in("https://evil.example").status == 403


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_requests_go_on_when_a_node_ends(
    how: signal.Signals, nodes: tuple[Server, Server], balancer: Balancer
) -> None:
    statuses: list[int] = []
    is_busy, is_over = Event(), Event()

    def work() -> None:
        left = 20
        while left:
            name = f"j{len(statuses) % 5}"
            statuses.append(balancer.call("PUT", job(name), body=JOB).status)
            statuses.append(balancer.call("GET", job(name)).status)
            is_busy.set()
            left -= is_over.is_set()

    worker = Thread(target=work)
    worker.start()
    is_busy.wait(30)
    nodes[0].stop(how)
    is_over.set()
    worker.join(60)
    run = balancer.call("POST", job("j0", "/run"))

    assert set(statuses) <= {200, 201}
    assert len(statuses) > 40
    assert run.status == 200


@pytest.mark.parametrize(
    ("method", "expected"),
    [("GET", [200, 200]), ("PUT", [200, 200]), ("POST", [200, 502]), ("PATCH", [200, 502])],
)
def test_what_a_node_took_and_did_not_answer_is_repeated_only_if_that_is_harmless(
    method: str, expected: list[int], environ: dict[str, str], tmp_path: Path
) -> None:
    dying = DyingNode()
    path = job("j", "/run") if method == "POST" else job("j")
    body = JOB if method in {"PUT", "PATCH"} else None

    with running(tmp_path / "one", **environ) as node:
        for known, content in ((COLLECTION, LARGE), (job("j"), JOB)):
            assert node.call("PUT", known, token="t" * 40, body=content).status == 201
        with balancing(tmp_path, [node.port, dying.port]) as balancer:
            statuses = sorted(balancer.call(method, path, body=body).status for _ in range(2))
    dying.close()

    assert statuses == expected
    assert [request.split(b" ", 1)[0] for request in dying.taken] == [method.encode()]
