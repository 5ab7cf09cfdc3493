"""Every command and every JSON text of the documents, run or decoded as what it says it is.

A page runs from its first block to its last, in a directory like that of a clone, against a server
of its own. `ELSEWHERE` names the tests of other pages, `NOT_RUN` the blocks that nothing runs.
"""

import json
import re
import shutil
from collections.abc import Generator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.support.document_json import decode_as_claimed
from tests.support.document_shell import (
    ROOT,
    SERVING,
    SETTING,
    Block,
    DocumentShell,
    blocks_of,
    is_commands,
    outputs,
    without_changes,
)

PAGES = {
    str(page.relative_to(ROOT)): page.read_text()
    for page in sorted(
        [ROOT / "README.md", ROOT / "deploy" / "README.md", *(ROOT / "docs").rglob("*.md")]
    )
}
ELSEWHERE = {
    "docs/how-to/backup-and-restore.md": "tests/e2e/test_backup.py",
    "docs/how-to/run-nothing-twice.md": "tests/e2e/test_policies_page.py",
    "docs/how-to/storage-queues.md": "tests/e2e/test_storage_queue_page.py",
}
# Programs that change the machine, or need what a test does not have.
NOT_RUN_PROGRAMS = {
    "docker": "needs a container engine; tests/deploy reads the files",
    "sudo": "changes the machine; tests/deploy reads the files",
    "systemctl": "needs systemd; tests/deploy reads the unit",
    "journalctl": "needs systemd",
    "pipx": "installs a released package",
    "uvx": "installs a released package",
    "kubectl": "needs a cluster; tests/deploy reads the manifests",
    "nginx": "tests/nodes/test_balancer.py runs nginx with this file",
    "terraform": "is no longer to be had with these resources; tests/contract/clients replays it",
}
# Blocks of single pages, by words in them.
NOT_RUN = {
    ("docs/how-to/coming-from-azure-scheduler.md", "az rest"): "az is not installed with the tests",
    (
        "docs/how-to/start-a-server.md",
        "/etc/ssl/jobs.pem",
    ): "tests/e2e/test_serve.py has its own files",
    ("docs/how-to/several-nodes.md", "db.internal"): "tests/nodes has a PostgreSQL of its own",
    ("docs/how-to/service-bus.md", "tests.support.amqp_peer"): "tests/contract/dispatch uses it",
    (
        "docs/how-to/doctor.md",
        "/var/lib/foliot",
    ): "tests/e2e/test_doctor.py has its own",
    ("docs/how-to/rotate-the-secret-key.md", "foliot key"): "tests/e2e/test_key_rotation.py",
}
# Texts that are neither output nor commands.
SHOWN_ONLY = {
    "docs/how-to/doctor.md": "lines of another machine",
    "docs/how-to/rotate-the-secret-key.md": "keys of other nodes",
    "docs/how-to/coming-from-cron.md": "a crontab",
    "docs/how-to/egress.md": "a message of a job at an address that is not public",
    "docs/how-to/logs.md": "lines of another day",
    "docs/how-to/portal.md": "a link with a code",
    "docs/how-to/service-bus.md": "messages of jobs at a service bus",
    "docs/how-to/start-a-server.md": "addresses of another machine",
    "docs/reference/api.md": "messages of jobs",
    "docs/reference/command-line.md": "written from the commands; test_docs.py parses the examples",
}
# Commands that are shown as text, and not run, by words in them.
SHOWN_COMMANDS = {
    (
        "docs/how-to/alerts.md",
        "--email",
    ): "needs SMTP: tests/contract/alerts/test_sender.py",
    (
        "docs/how-to/command-line.md",
        "foliot login",
    ): "asks on a terminal: tests/e2e/test_command_line.py",
    ("docs/how-to/deploy-templates.md", "az rest"): "az is not installed with the tests",
    ("docs/how-to/keep-jobs-in-files.md", "foliot diff"): "two pipelines: tests/e2e/test_apply.py",
    ("docs/how-to/troubleshooting.md", "jq"): "the tag is one of the reader",
}
# What a page expects to be there, from other pages or other machines.
A_COLLECTION = "foliot collection create default > /dev/null"
BEFORE = {
    "docs/reference/runs.md": A_COLLECTION,
    "docs/reference/schedule.md": A_COLLECTION,
}
AFTER_START = {
    "docs/how-to/coming-from-azure-scheduler.md": """\
cp foliot-data/tls/ca.pem ca.pem
cp examples/nightly-report.template.json template.json
TOKEN=$(cat foliot-data/admin-token)
""",
}
# Programs of other schedulers: they print the examples of the pages.
EXPORTS = {
    "crontab": "crontab",
    "kubectl": "cronjob.yaml",
    "gcloud": "cloud-scheduler.json",
    "az": "logic-app.json",
}
AWS = f"""\
#!/bin/sh
case "$2" in
list-api-destinations) exec cat {ROOT}/examples/import/eventbridge-destinations.json ;;
describe-connection) exec cat {ROOT}/examples/import/eventbridge-connections.json ;;
describe-rule) exec cat {ROOT}/examples/import/eventbridge.json ;;
get-schedule) echo '{{"Schedules": []}}' ;;
*) echo '{{"Rules": []}}' ;;
esac
"""
COMMANDS = [name for name, page in PAGES.items() if name not in ELSEWHERE and "```sh\n" in page]
JSON_TEXTS = [
    pytest.param(block.text, id=f"{name}:{block.line}")
    for name, page in PAGES.items()
    for block in blocks_of(page)
    if block.kind == "json" and ELSEWHERE.get(name) != "tests/e2e/test_policies_page.py"
]


@pytest.fixture
def target() -> Generator[str]:
    """Return the address of a server that answers every request with 200."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "4")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(b"done")

        do_GET = do_POST = do_DELETE = do_HEAD = answer  # noqa: N815  (of the base)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[DocumentShell]:
    if shutil.which("curl") is None or shutil.which("jq") is None:
        pytest.skip("curl or jq is not installed")
    programs = tmp_path / "programs"
    programs.mkdir()
    scripts = {
        name: f"#!/bin/sh\nexec cat {ROOT}/examples/import/{file}\n"
        for name, file in EXPORTS.items()
    }
    for name, script in (scripts | {"aws": AWS}).items():
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    place = tmp_path / "clone"
    place.mkdir()
    opened = DocumentShell(place, programs)
    yield opened
    opened.close()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_commands_of_a_page_work_as_written(
    name: str, shell: DocumentShell, target: str
) -> None:
    blocks = blocks_of(PAGES[name])
    runs = [(block, shown) for block, shown in outputs(blocks) if reason(name, block) is None]
    if not runs:
        return
    if not any(SERVING.match(line) for line in runs[0][0].text.splitlines()):
        ran(shell, "foliot serve")
    ran(shell, BEFORE.get(name, ""))
    printed = ""

    for block, shown in runs:
        text = as_here(block.text, target)
        done = shell.run_until(text, "" if name in SHOWN_ONLY else as_here(shown, target))
        assert done.returncode == 0, f"{name}:{block.line}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        assert '{"error":' not in done.stdout, f"{name}:{block.line}\n{done.stdout}"
        printed += done.stdout + done.stderr + shell.said_by_servers()
        if SERVING.search(text):
            ran(shell, AFTER_START.get(name, ""))

    assert "not-so-secret" not in printed
    if name not in SHOWN_ONLY:
        lines = without_changes(printed)
        texts = [each.text for each in blocks if each.kind == "text" and not is_commands(each.text)]
        here = [as_here(shell.here(text), target) for text in texts]
        wanted = {each for text in here for each in without_changes(text)}
        assert {each for each in wanted if not any(each in line for line in lines)} == set()


def ran(shell: DocumentShell, text: str) -> None:
    done = shell.run(text)
    assert done.returncode == 0, done.stdout + done.stderr


def as_here(text: str, target: str) -> str:
    """Return a text with addresses that exist here."""
    return text.replace("https://example.com", target).replace("foliot.example:", "localhost:")


def reason(name: str, block: Block) -> str | None:
    """Return why a block is not run, or None."""
    for (page, words), why in NOT_RUN.items():
        if page == name and words in block.text:
            return why
    programs = {re.sub(SETTING, "", line).split(" ")[0] for line in block.text.splitlines()}
    found = sorted(programs & NOT_RUN_PROGRAMS.keys())
    # A program whose output is imported has a replacement.
    return NOT_RUN_PROGRAMS[found[0]] if found and "foliot import" not in block.text else None


@pytest.mark.parametrize("text", JSON_TEXTS)
def test_a_json_text_of_a_page_is_what_it_says_it_is(text: str) -> None:
    decode_as_claimed(json.loads(text))


@pytest.mark.parametrize("page", ELSEWHERE)
def test_a_page_that_is_run_elsewhere_is_named_there(page: str) -> None:
    test = (ROOT / ELSEWHERE[page]).read_text()

    assert Path(page).name in test or Path(page).stem in test


def test_commands_that_are_shown_as_text_are_listed() -> None:
    shown = {
        (name, block.text)
        for name, page in PAGES.items()
        for block in blocks_of(page)
        if block.kind == "text" and is_commands(block.text) and name not in ELSEWHERE | SHOWN_ONLY
    }

    listed = {
        each
        for each in shown
        if any(each[0] == page and w in each[1] for page, w in SHOWN_COMMANDS)
    }
    assert shown == listed
    assert len(listed) == len(SHOWN_COMMANDS)


@pytest.mark.parametrize(("page", "words"), NOT_RUN)
def test_a_block_that_is_not_run_is_on_its_page(page: str, words: str) -> None:
    assert any(words in block.text for block in blocks_of(PAGES[page]) if block.kind == "sh")
