"""What people come for, done in a real browser on a server that runs jobs."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.browser.demo import TOKEN
from tests.browser.targets import site
from tests.support.server import Server, foliot

COLLECTION = "/collections/me/home/work"
API = "/subscriptions/me/resourceGroups/home/providers/Microsoft.Scheduler/jobCollections/work"
VERSION = "?api-version=2016-03-01"
DIRECTIVES = (
    *("script-src", "script-src-elem", "style-src-attr", "img-src", "connect-src", "frame-src"),
    *("EvalError", "default-src"),
)


def make_collection(seen: Any) -> None:
    seen.go("/collections/new")
    seen.page.get_by_label("Name", exact=True).fill("work")
    seen.page.get_by_role("button", name="Create collection").click()
    seen.page.wait_for_url(f"**{COLLECTION}")


def put_job(server: Server, name: str, uri: str = "http://127.0.0.1:9/", **properties: Any) -> None:
    action = {
        "type": "Http",
        "request": {"uri": uri, "method": "POST"},
        "retryPolicy": {"retryType": "none"},
    }
    body = {"properties": {"action": action, **properties}}
    answer = server.call("PUT", f"{API}/jobs/{name}{VERSION}", token=TOKEN, body=body)
    assert answer.status == 201


def test_the_printed_link_signs_in_once(server: Server, visit: Any) -> None:
    link = server.text.split("Portal: ")[1].split()[0]
    seen = visit(server)

    seen.page.goto(link)
    assert seen.page.url == seen.base + "/"
    seen.page.get_by_role("heading", name="Welcome to Foliot").or_(
        seen.page.get_by_text("Welcome to Foliot")
    ).first.wait_for()

    other = visit(server)
    other.page.goto(link)
    assert "used before" in other.page.text_content("main")


def test_a_job_of_each_type_is_made_by_the_form(server: Server, visit: Any) -> None:
    seen = visit(server)
    seen.sign_in()
    make_collection(seen)
    page = seen.page

    def field(label: str) -> Any:
        return page.locator("#action").get_by_label(label, exact=True).filter(visible=True)

    def begin(name: str, kind: str) -> None:
        seen.go(f"{COLLECTION}/new")
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_label("State").select_option("disabled")
        field("Type").select_option(kind)

    def finish(name: str) -> None:
        page.get_by_role("button", name="Create job").click()
        page.wait_for_url(f"**{COLLECTION}/jobs/{name}")

    for name, kind in (("plain", "Http"), ("tls", "Https")):
        begin(name, kind)
        field("Address").fill(f"{kind.lower()}://127.0.0.1:9/")
        field("Authentication").select_option("Basic")
        field("User name").fill("ann")
        field("Password").fill("s3cret")
        finish(name)
    begin("queue", "StorageQueue")
    field("Storage account").fill("acme")
    field("Queue").fill("orders")
    field("Message").fill("hello")
    finish("queue")
    for name, kind, entity in (
        ("bus-queue", "ServiceBusQueue", "Queue"),
        ("bus-topic", "ServiceBusTopic", "Topic"),
    ):
        begin(name, kind)
        field("Namespace").fill("acme")
        field(entity).fill("orders")
        field("Message").fill("hello")
        finish(name)

    seen.go(COLLECTION)
    assert page.locator("td .main-name").all_text_contents() == [
        *("bus-queue", "bus-topic", "plain", "queue", "tls"),
    ]
    assert seen.complaints == []


def test_a_job_runs_and_its_result_appears_by_itself(server: Server, visit: Any) -> None:
    seen = visit(server)
    seen.sign_in()
    make_collection(seen)
    with site("all is well") as uri:
        put_job(server, "now", uri, recurrence={"frequency": "day"}, state="disabled")
        seen.go(f"{COLLECTION}/jobs/now")
        assert "No runs yet." in seen.page.text_content("main")

        seen.page.get_by_role("button", name="Run now").click()
        seen.page.locator(".badge.completed").first.wait_for()

    assert "all is well" in seen.page.text_content("#live")
    seen.page.get_by_role("link", name="History", exact=True).click()
    seen.page.locator("tbody.attempt summary").first.click()
    assert "all is well" in seen.page.locator("tbody.attempt pre").first.text_content()


def test_a_problem_stands_beside_its_field(server: Server, visit: Any) -> None:
    seen = visit(server)
    seen.sign_in()
    make_collection(seen)
    seen.go(f"{COLLECTION}/new")
    seen.page.get_by_label("Name", exact=True).fill("bad")
    address = seen.page.locator("#action").get_by_label("Address")
    address.fill("nowhere")

    seen.page.get_by_role("button", name="Create job").click()
    seen.page.locator("#action .problem").wait_for()

    assert "an absolute address" in seen.page.locator("#action .problem").text_content()
    assert address.get_attribute("aria-invalid") == "true"
    assert address.input_value() == "nowhere"


def test_the_schedule_builder_agrees_with_the_command_line(
    server: Server, visit: Any, tmp_path: Path
) -> None:
    seen = visit(server, timezone_id="America/New_York")
    seen.sign_in()
    make_collection(seen)
    put_job(server, "built", recurrence={"frequency": "day"}, state="disabled")
    start = f"{datetime.now(UTC).year + 1}-01-01T00:00:00Z"  # noqa: TID251  (a year to come)
    seen.go(f"{COLLECTION}/jobs/built/edit")
    page = seen.page

    page.get_by_label("Repeat", exact=True).select_option("month")
    page.get_by_role("button", name="Add a weekday").click()
    page.get_by_label("Which one").select_option("-1")
    page.get_by_label("Weekday").select_option("friday")
    page.get_by_label("9 o'clock", exact=True).check()
    page.get_by_label("minute 30", exact=True).check()
    page.locator("summary", has_text="Start, end and time zone").click()
    page.get_by_label("Start", exact=True).fill(start)
    page.get_by_label("Time zone").fill("Europe/Prague")
    page.locator(".sentence", has_text="on the last Friday at 09:30 Europe/Prague time").wait_for()
    page.wait_for_load_state("networkidle")
    previewed = [
        datetime.fromtimestamp(int(ms) / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        for ms in page.eval_on_selector_all(
            "#preview .next-runs time.at", "all => all.map(each => each.dataset.ms)"
        )
    ]
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(f"**{COLLECTION}/jobs/built")

    connection = server.connect()
    connection.request(
        "GET", f"{API}/jobs/built{VERSION}", headers={"Authorization": f"Bearer {TOKEN}"}
    )
    job = json.loads(connection.getresponse().read())
    connection.close()
    file = tmp_path / "job.json"
    file.write_text(json.dumps({"properties": job["properties"]}))
    assert previewed == foliot("next", str(file)).stdout.split()
    assert len(previewed) == 10


def test_many_jobs_are_changed_at_once(server: Server, visit: Any) -> None:
    seen = visit(server)
    seen.sign_in()
    make_collection(seen)
    for name in ("a", "b", "c"):
        put_job(server, name, startTime=f"{datetime.now(UTC).year + 1}-01-01T00:00:00Z")  # noqa: TID251
    seen.go(COLLECTION)
    page = seen.page
    assert not page.get_by_role("button", name="Disable").nth(1).is_visible()

    page.get_by_label("Select a", exact=True).check()
    page.get_by_label("Select c", exact=True).check()
    page.locator(".bulk").get_by_role("button", name="Disable").click()
    page.get_by_text("2 jobs disabled.").wait_for()
    assert page.locator("td .badge.disabled").count() == 2

    page.get_by_label("Select all", exact=True).check()
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("button", name="Delete 3 jobs").click()
    page.get_by_text("3 jobs deleted.").wait_for()
    assert "No jobs yet" in page.text_content("main")


def test_a_reader_has_no_buttons_and_no_rights(server: Server, visit: Any, tmp_path: Path) -> None:
    owner = visit(server)
    owner.sign_in()
    make_collection(owner)
    made = foliot("token", "create", "--name", "r", DATA_DIR=str(tmp_path))
    reader = visit(server)
    reader.sign_in(made.stdout.split()[0])

    reader.go(COLLECTION)
    assert reader.page.get_by_role("link", name="New job").count() == 0
    status = reader.page.evaluate(
        """async path => {
            const csrf = document.querySelector('input[name=csrf]').value;
            const answer = await fetch(path, {method: 'POST', body: new URLSearchParams({csrf})});
            return answer.status;
        }""",
        f"{COLLECTION}/disable",
    )

    assert status == 403


def test_signing_out_and_revoking_end_a_session(server: Server, visit: Any, tmp_path: Path) -> None:
    made = foliot("token", "create", "--name", "r", DATA_DIR=str(tmp_path))
    owner, seen = visit(server), visit(server)
    owner.sign_in()
    make_collection(owner)
    seen.sign_in(made.stdout.split()[0])
    listed = foliot("token", "list", DATA_DIR=str(tmp_path)).stdout.splitlines()
    number = next(line.split()[0] for line in listed if line.endswith(" r"))

    foliot("token", "revoke", number, DATA_DIR=str(tmp_path))
    seen.page.wait_for_url("**/sign-in*")  # The overview looks again by itself and finds out.

    seen.sign_in()
    seen.page.get_by_role("button", name="Sign out").click()
    seen.page.wait_for_url("**/sign-in")
    seen.go("/collections")
    assert "/sign-in" in seen.page.url


def test_the_overview_is_live(server: Server, visit: Any) -> None:
    seen = visit(server)
    seen.sign_in()
    make_collection(seen)
    seen.go("/")
    assert "No failed attempts." in seen.page.text_content("main")

    put_job(server, "broken")
    seen.page.locator("section[aria-label=Failing] a", has_text="broken").wait_for()

    assert seen.complaints == []


def test_a_form_of_another_site_changes_nothing(server: Server, visit: Any) -> None:
    seen = visit(server)
    seen.sign_in()
    make_collection(seen)
    form = (
        f'<form method=post action="{seen.base}{COLLECTION}/disable">'
        "<input name=csrf value=x></form><script>document.forms[0].submit()</script>"
    )
    with site(form) as evil:
        seen.page.goto(evil)
        seen.page.wait_for_url(f"{seen.base}/**")

    assert "A form of another site is not accepted" in seen.page.text_content("body")
    seen.go(COLLECTION)
    assert "Enabled" in seen.page.text_content(".head")


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            "document.body.append(Object.assign(document.createElement('script'),"
            " {textContent: 'window.ran = 1'}))",
            id="a script in the page",
        ),
        pytest.param(
            "document.body.append(Object.assign(document.createElement('script'),"
            " {src: OTHER + '/x.js'}))",
            id="a script of another site",
        ),
        pytest.param("document.body.setAttribute('style', 'color: red')", id="a style"),
        pytest.param(
            "document.body.append(Object.assign(new Image(), {src: OTHER + '/x.png'}))",
            id="a picture of another site",
        ),
        pytest.param("fetch(OTHER + '/').catch(() => 0)", id="a request to another site"),
        pytest.param("setTimeout(() => eval('window.ran = 1'), 100)", id="eval"),
        pytest.param(
            "document.body.append(Object.assign(document.createElement('iframe'),"
            " {src: '/about'}))",
            id="a frame",
        ),
    ],
)
def test_the_policy_blocks(demo_server: Server, visit: Any, script: str) -> None:
    seen = visit(demo_server)
    seen.sign_in()
    seen.go("/about")

    with site() as other:
        blocked = seen.page.evaluate(
            f"""new Promise((done) => {{
                const OTHER = {json.dumps(other)};
                document.addEventListener('securitypolicyviolation',
                    (event) => done(event.effectiveDirective));
                setTimeout(() => done(''), 10000);
                try {{ {script}; }} catch (error) {{ done(error.name); }}
            }})"""
        )

    assert blocked in DIRECTIVES
    assert not seen.page.evaluate("'ran' in window")


def test_no_site_can_put_a_page_into_a_frame(demo_server: Server, visit: Any) -> None:
    seen = visit(demo_server)
    with site(f'<iframe src="{seen.base}/sign-in"></iframe>') as other:
        seen.page.goto(other)
        seen.page.wait_for_load_state("networkidle")
        inner = seen.page.frames[1]

        assert inner.url.startswith("chrome-error:")
