"""Builders for imports: sources from texts and from files, and results by name."""

import json
from pathlib import Path
from typing import Any

from foliot.core.instant import parse_instant
from foliot.importers import ImportedJob, ImportOptions, ImportResult, SourceText, read_crontabs

FOLDER = Path(__file__).parent
SOURCES = FOLDER / "sources"
NOW = parse_instant("2026-01-10T00:00:00Z")
OPTIONS = ImportOptions(now=NOW)


def text_source(text: str | bytes, name: str = "file") -> SourceText:
    return SourceText(name, text.encode() if isinstance(text, str) else text)


def json_source(document: Any, name: str = "file.json") -> SourceText:
    return text_source(json.dumps(document), name)


def file_sources(*names: str) -> list[SourceText]:
    return [SourceText(name, (SOURCES / name).read_bytes()) for name in names]


def all_jobs(result: ImportResult) -> list[ImportedJob]:
    return [job for collection in result.collections for job in collection.jobs]


def the_job(result: ImportResult) -> ImportedJob:
    assert result.left_out == ()
    (job,) = all_jobs(result)
    return job


def the_reason(result: ImportResult) -> str:
    assert all_jobs(result) == []
    (left_out,) = result.left_out
    return left_out.reason


def cron_line(line: str, **options: Any) -> ImportResult:
    """Import a crontab of one line."""
    return read_crontabs([text_source(f"{line}\n", "crontab")], ImportOptions(now=NOW, **options))


def request_of(job: ImportedJob) -> Any:
    action: Any = job.properties["action"]
    return action["request"]


def retry_policy_of(job: ImportedJob) -> Any:
    action: Any = job.properties["action"]
    return action["retryPolicy"]
