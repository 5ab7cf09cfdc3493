"""Random input: a reader refuses it in a line, or converts it, and never fails otherwise."""

from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from foliot.cli.imported_jobs import check_import
from foliot.core.errors import Invalid
from foliot.core.yaml_text import YAML_WORDS, parse_yaml
from foliot.importers import (
    ImportResult,
    read_cloud_jobs,
    read_cron_jobs,
    read_crontabs,
    read_event_rules,
    read_exports,
    read_templates,
    read_workflows,
    write_collections,
)
from tests.unit.importers.support import NOW, OPTIONS, SOURCES, json_source, text_source

WORDS = st.sampled_from(
    [
        *(
            "curl",
            "wget",
            "-d",
            "-H",
            "-X",
            "--retry",
            "-u",
            "a:b",
            "@-",
            "@f",
            "https://a.example/x",
        ),
        *(
            "'",
            '"',
            "\\",
            "$A",
            "${B}",
            "$(",
            "|",
            "||",
            "&&",
            ";",
            "&",
            ">",
            "2>&1",
            "<",
            "%",
            "\\%",
        ),
        *(
            "sh",
            "-c",
            "flock",
            "timeout",
            "5m",
            "sleep",
            "A=1",
            "#",
            "{",
            "[",
            "-",
            "--",
            "-m",
            "9",
        ),
    ]
)
NAMES = st.sampled_from(
    [
        *("kind", "metadata", "name", "spec", "schedule", "jobTemplate", "template", "containers"),
        *("args", "command", "image", "env", "items", "definition", "triggers", "actions", "type"),
        *("recurrence", "frequency", "inputs", "uri", "body", "authentication", "retryPolicy"),
        *("Rules", "Schedules", "Name", "ScheduleExpression", "Targets", "Arn", "Target", "value"),
        *("httpTarget", "timeZone", "retryConfig", "id", "properties", "action", "resources"),
    ]
)
TEXTS = st.sampled_from(
    [
        *("CronJob", "Recurrence", "Http", "Day", "0 9 * * *", "curl", "https://a.example/x", "x"),
        *("cron(0 9 * * ? *)", "rate(1 day)", "@parameters('x')", "@{x}", "${env:A}", "Basic", ""),
        "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c/jobs/j",
        "arn:aws:events:x:1:api-destination/d/1",
    ]
)
DOCUMENTS = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 10**20), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=5)),
    max_leaves=25,
)
READERS: list[Callable[..., ImportResult]] = [
    read_cloud_jobs,
    read_cron_jobs,
    read_event_rules,
    read_exports,
    read_templates,
    read_workflows,
]


def check(read: Callable[[], ImportResult]) -> None:
    """Import, check and write; what is written is read back as it was."""
    try:
        checked = check_import(read(), NOW)
    except Invalid as refused:
        assert "\n" not in str(refused)  # noqa: PT017  (either is right)
        return
    kept = checked.result.collections
    documents: list[Any] = parse_yaml(write_collections(kept).encode(), YAML_WORDS)
    assert [each["jobs"] for each in documents] == [
        {job.name: job.properties for job in each.jobs} for each in kept
    ]


@given(st.lists(WORDS, max_size=12))
def test_any_command_in_a_crontab(words: list[str]) -> None:
    line = f"0 9 * * * curl {' '.join(words)} https://a.example\n"

    check(lambda: read_crontabs([text_source(line)], OPTIONS))


@given(st.text(max_size=60))
def test_any_text_as_a_crontab(text: str) -> None:
    check(lambda: read_crontabs([text_source(text.encode(errors="replace"))], OPTIONS))


@given(st.sampled_from(READERS), DOCUMENTS)
def test_any_document(read: Callable[..., ImportResult], document: Any) -> None:
    check(lambda: read([json_source(document)], OPTIONS))


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Go through the places in a document."""
    yield path
    match value:
        case dict():
            for name, inner in value.items():
                yield from paths(inner, (*path, name))
        case list():
            for index, inner in enumerate(value):
                yield from paths(inner, (*path, index))
        case _:
            pass


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(copy[path[0]], path[1:], new)
    return copy


def sources() -> Iterator[tuple[Callable[..., ImportResult], Any]]:
    """Go through the documents of the sources of our own."""
    for read, pattern in (
        (read_cloud_jobs, "cloud-scheduler.json"),
        (read_cron_jobs, "cronjobs.yaml"),
        (read_event_rules, "eventbridge-*.json"),
        (read_exports, "azure-*.json"),
        (read_workflows, "logicapps/*.json"),
    ):
        for file in sorted(SOURCES.glob(pattern)):
            for document in parse_yaml(file.read_bytes(), YAML_WORDS):
                yield read, document


EVENT_RULES = [json_source(each) for read, each in sources() if read is read_event_rules]
PLACES = [(read, document, path) for read, document in sources() for path in paths(document)]


@given(st.sampled_from(PLACES), DOCUMENTS)
def test_a_source_with_another_value_somewhere(
    place: tuple[Callable[..., ImportResult], Any, tuple[Any, ...]], value: Any
) -> None:
    read, document, path = place
    changed = [json_source(replaced(document, path, value))]
    others = EVENT_RULES if read is read_event_rules else []

    check(lambda: read([*changed, *others], OPTIONS))


@given(st.sampled_from(READERS), st.binary(max_size=60))
def test_any_bytes(read: Callable[..., ImportResult], content: bytes) -> None:
    check(lambda: read([text_source(content)], OPTIONS))
