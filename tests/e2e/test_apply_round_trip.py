"""Import, apply, export and apply again: nothing is left to do, as processes against a server."""

import json
import re
from collections.abc import Generator
from pathlib import Path

import pytest

import tests.contract.templates.test_templates as contract
from tests.support.applied_files import (
    SECRET,
    answered,
    documents_in,
    sample_values,
    values_on_server,
)
from tests.support.certificates import a_pfx
from tests.support.commands import Place, in_pipe
from tests.support.server import Server, running
from tests.unit.importers.support import SOURCES
from tests.unit.importers.test_sources import SAMPLES, words

PFX = a_pfx(password=SECRET).text
TEMPLATES = {each.name: each for each in contract.SAMPLES}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    with running(tmp_path_factory.mktemp("server") / "foliot-data") as found:
        yield found


@pytest.fixture
def place(server: Server, tmp_path: Path) -> Place:
    assert server.token
    url = f"http://{server.host}:{server.port}"
    return Place(tmp_path, {"FOLIOT_SERVER": url, "FOLIOT_TOKEN": server.token})


def with_values(place: Place, values: dict[str, str]) -> Place:
    return Place(place.directory, {**place.environ, **values})


def done(place: Place, *arguments: str) -> str:
    ended = in_pipe(place, *arguments)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert SECRET not in ended.stdout
    assert PFX not in ended.stdout
    return ended.stdout


def import_sample(place: Place, name: str) -> str:
    sample = next(each for each in SAMPLES if each.name == name)
    arguments = [str(SOURCES / each) if "." in each else each for each in words(sample.arguments)]
    ended = in_pipe(place, "import", *arguments, "--into", f"others/{name}", "--now", "2026-01-10")
    assert ended.returncode == 0
    return ended.stdout.replace("11111111-2222-3333-4444-555555555555", "others")


def import_template(place: Place, name: str) -> str:
    sample = TEMPLATES[name]
    values = place.directory / "values.json"
    values.write_text(json.dumps({each: {"value": it} for each, it in sample.parameters.items()}))
    arguments = (f"{contract.FOLDER / name}.json", "--parameters", str(values))
    into = ("--into", f"templates/{name}", "--now", "2026-01-10")
    ended = in_pipe(place, "import", "arm", *arguments, *into)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def check_round_trip(place: Place, subscription: str, imported: dict[str, str]) -> None:
    """Apply files, each again, export, and apply the export; the last three change nothing."""
    folder = place.directory / "imported"
    folder.mkdir()
    (folder / "payload.txt").write_text('{"from": "a file"}\n')
    for name, text in imported.items():
        own = text.replace("${file:/etc/payload.json}", "${file:payload.txt}")
        (folder / f"{name}.yaml").write_text(own)
    first = with_values(place, sample_values("".join(imported.values()), PFX))

    applied = done(first, "apply", "-f", "imported", "--yes")
    stored = answered(place, subscription)
    again = done(first, "apply", "-f", "imported", "--yes")
    done(place, "export", "--subscription", subscription, "-o", "exported/")

    nothing = f"Nothing to do: {len(stored.jobs)} jobs are as in the files.\n"
    documents = [each for text in imported.values() for each in documents_in(text)]
    assert len(stored.jobs) == sum(len(each["jobs"]) for each in documents)
    created = len(stored.jobs) + len(stored.collections)
    assert f"\n{created} to create.\n" in applied
    assert again == nothing
    texts = [file.read_text() for file in sorted((place.directory / "exported").iterdir())]
    exported = [each for text in texts for each in documents_in(text)]
    # The server shows these, and their names do not tell that the files have hidden them.
    visible = re.compile(rf"(clientId|X-Pin): {SECRET}")
    assert SECRET not in visible.sub("", "".join(texts))
    second = with_values(place, values_on_server(exported, stored.jobs, PFX))
    assert done(second, "diff", "-f", "exported", "--prune") == nothing
    assert done(second, "apply", "-f", "exported", "--prune", "--yes") == nothing
    assert answered(place, subscription) == stored


def test_jobs_of_other_schedulers_come_back_as_they_went(place: Place) -> None:
    imported = {each.name: import_sample(place, each.name) for each in SAMPLES}

    check_round_trip(place, "others", imported)


def test_jobs_of_templates_come_back_as_they_went(place: Place) -> None:
    imported = {name: import_template(place, name) for name in TEMPLATES}

    check_round_trip(place, "templates", imported)


def test_files_of_a_directory_have_names_and_variables_of_their_own(place: Place) -> None:
    def collection(subscription: str, group: str) -> object:
        authentication = {"type": "Basic", "username": "ann", "password": f"{SECRET} of {group}"}
        uri = f"https://{len(group)}.example/"
        request = {"uri": uri, "method": "GET", "authentication": authentication}
        action = {"type": "Http", "request": request}
        return {
            "collection": {"subscription": subscription, "group": group, "name": "work"},
            "jobs": {"report": {"action": action, "recurrence": {"frequency": "day"}}},
        }

    same = [("s.a", "b"), ("s", "a.b"), ("s", "a(b"), ("s", "a)b")]
    (place.directory / "all.json").write_text(json.dumps([collection(*each) for each in same]))
    done(place, "apply", "-f", "all.json", "--yes")
    done(place, "export", "-o", "exported/")

    texts = [file.read_text() for file in (place.directory / "exported").iterdir()]
    # Other tests have collections on this server too.
    own = {
        (each["collection"]["subscription"], each["collection"]["group"]): json.dumps(each["jobs"])
        for text in texts
        for each in documents_in(text)
        if each["collection"]["name"] == "work"
    }
    variables = {name for jobs in own.values() for name in re.findall(r"\$\{env:(\w+)\}", jobs)}

    assert own.keys() == set(same)
    assert len(variables) == len(same)
