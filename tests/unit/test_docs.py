"""What the documents say is checked: commands, links, file names, and the drawing of packages."""

import ast
import re
import shlex
import textwrap
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from foliot.cli import app
from foliot.store.migrations import migrations

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("deploy/**/*.md")])
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (?:(echo) (.*?) \| )?foliot (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
QUOTED = re.compile(r"`([\w./-]+)`")
SOURCES = (ROOT, ROOT / "src", ROOT / "src" / "foliot")
# The changelog names files as they were.
DOCUMENTS_ABOUT_CODE = [ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
DECISIONS = sorted(ROOT.glob("docs/adr/0*.md"))
ARCHITECTURE = ROOT / "docs" / "explanation" / "architecture.md"
DRAWING = re.compile(r"^## Packages.*?^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)

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


@pytest.mark.parametrize(
    "document", DOCUMENTS_ABOUT_CODE, ids=lambda each: str(each.relative_to(ROOT))
)
def test_a_file_named_in_a_document_exists(document: Path) -> None:
    named = [text for text in QUOTED.findall(document.read_text()) if is_file_name(text)]

    missing = [name for name in named if not any((base / name).exists() for base in SOURCES)]

    assert missing == []


def is_file_name(text: str) -> bool:
    """Tell whether a quoted text names a file or directory of this repository."""
    first, slash, _ = text.partition("/")
    # What `make site` makes is not there before.
    is_path = bool(slash) and first.isidentifier() and first != "build"
    is_ours = is_path and any((base / first).is_dir() for base in SOURCES)
    return is_ours or text.endswith((".py", ".sql"))


def test_the_drawing_of_packages_shows_the_layers_that_imports_are_checked_by() -> None:
    drawing = DRAWING.search(ARCHITECTURE.read_text())
    assert drawing
    chains = [line.split(" --> ") for line in drawing[1].splitlines() if " --> " in line]
    drawn = {
        (upper.strip(), lower.strip())
        for chain in chains
        for above, below in pairwise(chain)
        for upper in above.split("&")
        for lower in below.split("&")
    }
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = [layer.split(" | ") for layer in contracts["contracts"][0]["layers"]]

    # The client stands beside the layers, and has contracts of its own.
    assert drawn == {("cli", "client"), ("client", "core")} | {
        (upper, lower) for above, below in pairwise(layers) for upper in above for lower in below
    }


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda each: each.stem)
def test_a_decision_has_its_number_a_status_and_a_line_in_the_index(decision: Path) -> None:
    text, number = decision.read_text(), int(decision.stem[:4])

    assert text.startswith(f"# {number}. ")
    assert re.search(r"^(\*\*Status\.\*\* |## Status$)", text, re.MULTILINE)
    assert f"]({decision.name})" in (decision.parent / "README.md").read_text()


@pytest.mark.parametrize("name", ["backup-and-restore.md", "doctor.md"])
def test_the_output_in_a_document_has_the_schema_version_of_today(name: str) -> None:
    text = (ROOT / "docs" / "how-to" / name).read_text()

    shown = re.findall(r"schema version (\d+), [\d.]+ MB", text)

    assert shown == [str(migrations("foliot.store.sqlite")[-1].version)]


def test_the_glossary_is_sorted_and_has_each_word_once() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text()
    words = [word.lower() for word in re.findall(r"^\| \*\*(.+?)\*\*", text, re.MULTILINE)]

    assert words == sorted(set(words))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda each: str(each.relative_to(ROOT)))
def test_python_in_a_document_can_be_parsed(document: Path) -> None:
    for block in re.findall(
        r"^( *)```python\n(.*?)^ *```$", document.read_text(), re.MULTILINE | re.DOTALL
    ):
        ast.parse(textwrap.dedent(block[1]))


# Commands in a container or as the user of a service are not run by any test, but parsed.
ELSEWHERE = r"(?:docker exec foliot |sudo -u foliot /opt/foliot/bin/)"
EXAMPLE = re.compile(rf"^ *(?:\$ )?{ELSEWHERE}?foliot ((?!serve:)[a-z].*)$", re.MULTILINE)
FENCED = re.compile(r"^```(?:text|sh|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = sorted(
    {
        example.partition(" #")[0]
        .partition(" | ")[0]
        .partition(" > ")[0]
        .partition(" >> ")[0]
        .partition(" 2>")[0]
        .strip()
        for document in DOCUMENTS
        for block in FENCED.findall(document.read_text().replace("\\\n", " "))
        for example in EXAMPLE.findall(block)
        if not re.match(r"[\w ]+: ", example)
    }
)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_a_command_has_options_that_exist(example: str) -> None:
    command: Any = typer.main.get_command(app)
    arguments = shlex.split(example.partition(" || ")[0])
    while hasattr(command, "list_commands"):
        name = arguments.pop(0)
        command = command.get_command(None, name)
        assert command is not None, name

    # Only parsed, and not run; a wrong option or a missing argument raises.
    command.make_context(command.name, arguments)


def test_the_page_about_logs_has_every_change_that_is_logged() -> None:
    page = (ROOT / "docs/how-to/logs.md").read_text()
    (row,) = re.findall(r"^\| info \| `foliot\.changes` \| (.*) \|$", page, re.MULTILINE)
    told: set[str] = set()
    for group in row.split("; "):
        first, *verbs = re.findall(r"`([^`]+)`", group)
        told |= {first} | {f"{first.rpartition(' ')[0]} {verb}" for verb in verbs}
    code = "".join(each.read_text() for each in (ROOT / "src/foliot/app").glob("*.py"))
    logged = set(re.findall(r'"([A-Z][a-z]+(?: group)? [a-z]+ed)"', code))

    # Jobs are enabled and disabled by one line of code, which has no such words.
    assert told - logged == {"Job enabled", "Job disabled"}
    assert logged <= told


def test_documents_have_commands_to_run() -> None:
    assert len(COMMANDS) >= 3
