"""What the documents say is run: every `$ foliot ...` in a console block, and every link."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foliot.cli import app

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("deploy/**/*.md")])
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (?:(echo) (.*?) \| )?foliot (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")

COMMANDS = [
    pytest.param(match, id=f"{document.relative_to(ROOT)}: {match[0].splitlines()[0]}")
    for document in DOCUMENTS
    for block in CONSOLE.findall(document.read_text())
    for match in COMMAND.finditer(block)
]


@pytest.mark.parametrize("match", COMMANDS)
def test_a_command_in_a_document_prints_what_the_document_says(
    match: re.Match[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, echoed, arguments, expected = match.groups()
    monkeypatch.chdir(ROOT)

    stdin = shlex.split(echoed)[0] + "\n" if echoed else None
    result = CliRunner().invoke(app, shlex.split(arguments), input=stdin)

    assert result.output == expected


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda each: str(each.relative_to(ROOT)))
def test_a_link_in_a_document_leads_somewhere(document: Path) -> None:
    missing = [
        link for link in LINK.findall(document.read_text()) if not (document.parent / link).exists()
    ]

    assert missing == []


def test_documents_have_commands_to_run() -> None:
    assert len(COMMANDS) >= 3
