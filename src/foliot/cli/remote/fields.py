"""What tables show of the answers of a server."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from foliot.cli.remote.output import Column, details
from foliot.client.job_files import JsonObject, name_of
from foliot.client.paths import key_in, key_text
from foliot.core.errors import Invalid
from foliot.core.instant import format_instant, parse_instant, to_the_second
from foliot.core.json_text import Json

NEVER = "-"


def field(*path: str) -> Callable[[JsonObject], str]:
    """Return the function that shows the value at a path."""
    return lambda row: text_at(row, *path)


def time(*path: str) -> Callable[[JsonObject], str]:
    """Return the function that shows the time at a path, to the second."""
    return lambda row: second(text_at(row, *path)) or NEVER


def value_at(row: Json, *path: str) -> Json:
    """Return the value at a path, or None if there is none."""
    for name in path:
        row = row.get(name) if isinstance(row, dict) else None
    return row


def text_at(row: Json, *path: str) -> str:
    """Return the text of a value at a path, empty if there is none."""
    found = value_at(row, *path)
    return "" if found is None else str(found)


def second(text: str) -> str:
    """Cut a time to the second."""
    try:
        return format_instant(to_the_second(parse_instant(text))) if text else ""
    except Invalid:
        return text


def collection_of(row: JsonObject) -> str:
    """Show the collection that a resource lies in."""
    return key_text(key_in(str(row.get("id"))))


def job_of_run(row: JsonObject) -> str:
    """Show the job of a run, from its name COLLECTION/JOB/RUN."""
    return "/".join(str(row.get("name")).split("/")[1:-1])


def job_name(row: JsonObject) -> str:
    """Show the name of a job."""
    return name_of(row) or ""


def target(row: JsonObject) -> str:
    """Show what a job calls: method and address without its query, queue or topic."""
    action = value_at(row, "properties", "action")
    uri = text_at(action, "request", "uri")
    if uri:
        parts = urlsplit(uri)
        host = parts.netloc.rpartition("@")[2]
        return f"{text_at(action, 'request', 'method')} {parts.scheme}://{host}{parts.path}"
    names = ("queueMessage", "serviceBusQueueMessage", "serviceBusTopicMessage")
    message = next((found for name in names if (found := value_at(action, name))), None)
    queue = text_at(message, "queueName") or text_at(message, "topicPath")
    return f"{text_at(action, 'type')} {queue}".strip()


def message_of(row: JsonObject) -> str:
    """Show the message of the last attempt of a run, or its own."""
    own = text_at(row, "properties", "message")
    attempts = value_at(row, "properties", "attempts")
    if own or not isinstance(attempts, list) or not attempts:
        return own
    return text_at(attempts[-1], "message")


def reason_of(row: JsonObject) -> str:
    """Show why a run failed: its reason, with the status if the target answered."""
    words = [text_at(row, "properties", name) for name in ("reason", "statusCode")]
    return " ".join(each for each in words if each)


JOB_COLUMNS = (
    Column("NAME", job_name),
    Column("STATE", field("properties", "state")),
    Column("NEXT RUN", time("properties", "status", "nextExecutionTime")),
    Column("LAST RUN", time("properties", "status", "lastExecutionTime"), rank=1),
    Column("RUNS", field("properties", "status", "executionCount"), rank=2),
    Column("FAILURES", field("properties", "status", "failureCount")),
    Column("CALLS", target, rank=3),
)
COLLECTION_COLUMNS = (
    Column("COLLECTION", collection_of),
    Column("STATE", field("properties", "state")),
    Column("PLAN", field("properties", "sku", "name")),
    Column("LOCATION", field("location")),
)
HISTORY_COLUMNS = (
    Column("STARTED", time("properties", "startTime"), width=20),
    Column("PLANNED", time("properties", "expectedExecutionTime"), width=20),
    Column("STATUS", field("properties", "status"), width=9),
    Column("RETRY", field("properties", "retryCount")),
    Column("ACTION", field("properties", "actionName"), width=11),
    Column("MESSAGE", field("properties", "message"), rank=1),
)
RUN_COLUMNS = (
    Column("PLANNED", time("properties", "plannedAt")),
    Column("COLLECTION", collection_of, rank=1),
    Column("JOB", job_of_run),
    Column("OUTCOME", field("properties", "outcome")),
    Column("TRIGGER", field("properties", "trigger"), rank=3),
    Column("REASON", reason_of),
    Column("HOST", field("properties", "host"), rank=2),
    Column("TAG", field("properties", "tag"), rank=4),
)


def run_details(run: JsonObject) -> Iterator[tuple[str, str]]:
    """Go through what is told of one run."""
    attempts = value_at(run, "properties", "attempts")
    yield "outcome", text_at(run, "properties", "outcome")
    has_reason = bool(text_at(run, "properties", "reason"))
    yield ("reason" if has_reason else "status"), reason_of(run)
    yield "host", text_at(run, "properties", "host")
    yield "attempts", str(len(attempts)) if isinstance(attempts, list) else ""
    yield "started", second(text_at(run, "properties", "startTime"))
    yield "ended", second(text_at(run, "properties", "endTime"))
    yield "tag", text_at(run, "properties", "tag")
    yield "message", message_of(run)


def attempt_lines(attempt: JsonObject) -> list[str]:
    """Return what is told of an attempt that was tried: its outcome, request and response."""
    timings = value_at(attempt, "timings")
    steps = timings.items() if isinstance(timings, dict) else ()
    request = [text_at(attempt, "request", name) for name in ("method", "uri")]
    redirects = value_at(attempt, "redirects")
    told = details(
        [
            ("outcome", text_at(attempt, "outcome")),
            ("reason", text_at(attempt, "reason")),
            ("status", text_at(attempt, "statusCode")),
            ("took", _milliseconds(value_at(attempt, "durationSeconds"))),
            ("timings", ", ".join(f"{name} {_milliseconds(value)}" for name, value in steps)),
            ("request", " ".join(request).strip()),
            ("redirects", " ".join(map(str, redirects)) if isinstance(redirects, list) else ""),
            ("message", text_at(attempt, "message")),
        ]
    )
    body = text_at(attempt, "response", "body")
    return [*told, *(["", body] if body else [])]


def _milliseconds(seconds: Json) -> str:
    return f"{1000 * seconds:.1f} ms" if isinstance(seconds, int | float) else ""
