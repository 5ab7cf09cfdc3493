"""Every source of our own, imported as the command does, beside the output that is expected.

`FOLIOT_TEST_WRITE_EXPECTED=1` writes the files in `expected` anew; look at what changed.
"""

import os
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from typer.testing import CliRunner

from foliot.cli import app
from foliot.core.yaml_text import YAML_WORDS, parse_yaml
from tests.unit.importers.support import FOLDER, SOURCES

EXPECTED = FOLDER / "expected"
NOW = "2026-01-10"


class Sample(NamedTuple):
    """The arguments of an import, and how many entries become jobs and how many do not."""

    name: str
    arguments: str
    jobs: int
    left_out: int


SAMPLES = [
    Sample("user-crontab", "crontab user.crontab --zone Europe/Prague", 30, 9),
    Sample("system-crontab", "crontab system.crontab", 2, 1),
    Sample("kubernetes", "kubernetes cronjobs.yaml", 6, 2),
    Sample("logic-apps", "logicapp logicapps/*.json", 6, 2),
    Sample("eventbridge", "eventbridge eventbridge-*.json", 7, 5),
    Sample("cloud-scheduler", "gcloud cloud-scheduler.json", 7, 3),
    Sample("azure-export", "azure-export azure-collections.json azure-jobs.json", 4, 1),
]


def words(arguments: str) -> list[str]:
    return [
        str(found.relative_to(SOURCES)) if "*" in word else word
        for word in arguments.split()
        for found in (sorted(SOURCES.glob(word)) if "*" in word else [Path(word)])
    ]


@pytest.mark.parametrize("sample", SAMPLES, ids=[each.name for each in SAMPLES])
def test_a_source_becomes_the_expected_file_and_report(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(SOURCES)

    result = CliRunner().invoke(app, ["import", *words(sample.arguments), "--now", NOW])

    assert result.exit_code == 0
    assert result.stderr.startswith(f"{sample.jobs} jobs in ")
    assert f"; {sample.left_out} not taken over.\n" in result.stderr
    jobs, report = EXPECTED / f"{sample.name}.yaml", EXPECTED / f"{sample.name}.txt"
    if os.environ.get("FOLIOT_TEST_WRITE_EXPECTED"):
        jobs.write_text(result.stdout)
        report.write_text(result.stderr)
    assert result.stdout == jobs.read_text()
    assert result.stderr == report.read_text()


@pytest.mark.parametrize("sample", SAMPLES, ids=[each.name for each in SAMPLES])
def test_what_is_written_is_read_back_alike_by_us_and_by_every_yaml_reader(sample: Sample) -> None:
    text = (EXPECTED / f"{sample.name}.yaml").read_bytes()

    assert parse_yaml(text, YAML_WORDS) == list(yaml.safe_load_all(text))


@pytest.mark.parametrize("sample", SAMPLES, ids=[each.name for each in SAMPLES])
def test_no_secret_of_a_source_is_written_unless_it_is_kept(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(SOURCES)
    arguments = ["import", *words(sample.arguments), "--now", NOW]
    secrets = ("s3cret-token", "hunter2", "0123456789", "pass@", "hidden-", "AIza-secret", "k-123")

    hiding = CliRunner().invoke(app, arguments)
    keeping = CliRunner().invoke(app, [*arguments, "--keep-secrets"])

    assert [each for each in secrets if each in hiding.output] == []
    in_the_source = any(
        secret.encode() in (SOURCES / word).read_bytes()
        for word in words(sample.arguments)
        if (SOURCES / word).is_file()
        for secret in secrets
    )
    assert any(each in keeping.stdout for each in secrets) == in_the_source


def test_a_list_in_yaml_becomes_the_same_as_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SOURCES)

    result = CliRunner().invoke(app, ["import", "gcloud", "cloud-scheduler.yaml", "--now", NOW])

    whole = (EXPECTED / "cloud-scheduler.yaml").read_text()
    assert result.stdout == whole[: whole.index("  no-retries:")]
