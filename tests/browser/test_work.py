"""Typical tasks in a real browser, on a server that runs jobs."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.demo import TOKEN
from tests.browser.targets import site
from tests.browser.work_collection import API, COLLECTION, VERSION, make_collection, put_job
from tests.support.server import Server, foliot

DIRECTIVES = (
    *("script-src", "script-src-elem", "style-src-attr", "img-src", "connect-src", "frame-src"),
    *("EvalError", "default-src"),
)


def test_the_printed_link_signs_in_once(server: Server, open_tab: Any) -> None:
    link = server.text.split("Portal: ")[1].split()[0]
    tab = open_tab(server)

    tab.page.goto(link)
    assert tab.page.url == tab.base + "/"
    tab.page.get_by_role("heading", name="Welcome to Foliot").or_(
        tab.page.get_by_text("Welcome to Foliot")
    ).first.wait_for()

    other = open_tab(server)
    other.page.goto(link)
    assert "used before" in other.page.text_content("main")


def test_the_form_creates_a_job_of_each_type(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    page = tab.page

    def field(label: str) -> Any:
        return page.locator("#action").get_by_label(label, exact=True).filter(visible=True)

    def begin(name: str, kind: str) -> None:
        tab.go(f"{COLLECTION}/new")
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
        field("Key name").fill("root")
        field("Message").fill("hello")
        finish(name)

    tab.go(COLLECTION)
    assert page.locator("td .main-name").all_text_contents() == [
        *("bus-queue", "bus-topic", "plain", "queue", "tls"),
    ]
    assert tab.console_errors == []


def test_the_result_of_a_run_appears_without_a_reload(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    with site("all is well") as uri:
        put_job(server, "now", uri, recurrence={"frequency": "day"}, state="disabled")
        tab.go(f"{COLLECTION}/jobs/now")
        assert "No runs yet." in tab.page.text_content("main")

        tab.page.get_by_role("button", name="Run now").click()
        tab.page.locator(".badge.completed").first.wait_for()

    assert "all is well" in tab.page.text_content("#live")
    tab.page.get_by_label("Job", exact=True).get_by_role("link", name="Runs", exact=True).click()
    tab.page.locator("tbody.attempt summary").first.click()
    assert "all is well" in tab.page.locator("tbody.attempt .told p").first.text_content()


def test_a_problem_is_shown_at_its_field(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    tab.go(f"{COLLECTION}/new")
    tab.page.get_by_label("Name", exact=True).fill("bad")
    address = tab.page.locator("#action").get_by_label("Address")
    address.fill("nowhere")

    tab.page.get_by_role("button", name="Create job").click()
    tab.page.locator("#action .problem").wait_for()

    assert "an absolute address" in tab.page.locator("#action .problem").text_content()
    assert address.get_attribute("aria-invalid") == "true"
    assert address.input_value() == "nowhere"


def test_the_schedule_builder_agrees_with_the_command_line(
    server: Server, open_tab: Any, tmp_path: Path
) -> None:
    tab = open_tab(server, timezone_id="America/New_York")
    tab.sign_in()
    make_collection(tab)
    put_job(server, "built", recurrence={"frequency": "day"}, state="disabled")
    start = f"{datetime.now(UTC).year + 1}-01-01T00:00"  # noqa: TID251  (a year to come)
    tab.go(f"{COLLECTION}/jobs/built/edit")
    page = tab.page

    page.get_by_label("Repeat", exact=True).select_option("month")
    page.locator("summary", has_text="More days and times").click()
    page.get_by_role("button", name="Add a weekday").click()
    page.get_by_label("Which one").select_option("-1")
    page.get_by_label("Weekday").select_option("friday")
    page.get_by_label("Choose hours and minutes instead of times").check()
    page.get_by_label("9 o'clock", exact=True).check()
    expect(page.get_by_label("minute 0", exact=True)).to_be_checked()
    page.get_by_label("minute 0", exact=True).uncheck()
    page.get_by_label("minute 30", exact=True).check()
    page.get_by_label("at a date and time").check()
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


def test_many_jobs_are_changed_at_once(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    for name in ("a", "b", "c"):
        put_job(server, name, startTime=f"{datetime.now(UTC).year + 1}-01-01T00:00:00Z")  # noqa: TID251
    tab.go(COLLECTION)
    page = tab.page
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


def test_a_reader_sees_no_buttons_and_cannot_post(
    server: Server, open_tab: Any, tmp_path: Path
) -> None:
    owner = open_tab(server)
    owner.sign_in()
    make_collection(owner)
    made = foliot("token", "create", "--name", "r", DATA_DIR=str(tmp_path))
    reader = open_tab(server)
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


def test_signing_out_or_revoking_the_token_ends_a_session(
    server: Server, open_tab: Any, tmp_path: Path
) -> None:
    made = foliot("token", "create", "--name", "r", DATA_DIR=str(tmp_path))
    owner, tab = open_tab(server), open_tab(server)
    owner.sign_in()
    make_collection(owner)
    tab.sign_in(made.stdout.split()[0])
    listed = foliot("token", "list", DATA_DIR=str(tmp_path)).stdout.splitlines()
    number = next(line.split()[0] for line in listed if line.endswith(" r"))

    foliot("token", "revoke", number, DATA_DIR=str(tmp_path))
    tab.page.wait_for_url("**/sign-in*")  # The overview looks again by itself and finds out.

    tab.sign_in()
    tab.page.get_by_role("button", name="Sign out").click()
    tab.page.wait_for_url("**/sign-in")
    tab.go("/collections")
    assert "/sign-in" in tab.page.url


def test_the_overview_shows_a_new_failure_without_a_reload(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    tab.go("/")
    assert "No failed runs." in tab.page.text_content("main")

    put_job(server, "broken")
    tab.page.locator("section[aria-label=Failing] a", has_text="broken").wait_for()

    assert tab.console_errors == []


def test_a_form_of_another_site_changes_nothing(server: Server, open_tab: Any) -> None:
    tab = open_tab(server)
    tab.sign_in()
    make_collection(tab)
    form = (
        f'<form method=post action="{tab.base}{COLLECTION}/disable">'
        "<input name=csrf value=x></form><script>document.forms[0].submit()</script>"
    )
    with site(form) as evil:
        tab.page.goto(evil)
        tab.page.wait_for_url(f"{tab.base}/**")

    assert "A form of another site is not accepted" in tab.page.text_content("body")
    tab.go(COLLECTION)
    assert "enabled" in tab.page.text_content(".head")


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
def test_the_content_security_policy_blocks(
    demo_server: Server, open_tab: Any, script: str
) -> None:
    tab = open_tab(demo_server)
    tab.sign_in()
    tab.go("/about")

    with site() as other:
        blocked = tab.page.evaluate(
            f"""new Promise((done) => {{
                const OTHER = {json.dumps(other)};
                document.addEventListener('securitypolicyviolation',
                    (event) => done(event.effectiveDirective));
                setTimeout(() => done(''), 10000);
                try {{ {script}; }} catch (error) {{ done(error.name); }}
            }})"""
        )

    assert blocked in DIRECTIVES
    assert not tab.page.evaluate("'ran' in window")


def test_another_site_cannot_embed_a_page_in_a_frame(demo_server: Server, open_tab: Any) -> None:
    tab = open_tab(demo_server)
    with site(f'<iframe src="{tab.base}/sign-in"></iframe>') as other:
        tab.page.goto(other)
        tab.page.wait_for_load_state("networkidle")
        inner = tab.page.frames[1]

        assert inner.url.startswith("chrome-error:")
