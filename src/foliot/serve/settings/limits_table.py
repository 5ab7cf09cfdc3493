"""The rows of the table of settings that are limits of sizes, times and retention."""

from foliot.serve.settings.parsers import whole_number
from foliot.serve.settings.setting import Setting

# Far above any sensible limit, and still exact wherever it is stored or counted in milliseconds.
_MAX_LIMIT = 2**31 - 1


def _limit(name: str, meaning: str) -> Setting:
    return Setting(name, whole_number(1, _MAX_LIMIT), meaning, field=f"limits.{name}")


LIMITS = (
    _limit("max_job_bytes", "Size of a job as JSON, in bytes."),
    _limit("max_uri_characters", "Address of an HTTP action, in characters."),
    _limit("max_headers", "Number of headers of an HTTP action."),
    _limit("max_header_characters", "All headers of an HTTP action together, in characters."),
    _limit("max_body_characters", "Body of an HTTP action, in characters."),
    _limit("max_request_bytes", "Body of a call to Foliot, in bytes."),
    _limit(
        "max_template_bytes", "Body of a template deployment or of an applied collection, in bytes."
    ),
    _limit("max_response_bytes_kept", "Part of a response that history keeps, in bytes."),
    _limit("http_timeout_seconds", "Duration of an attempt at any kind of action, in seconds."),
    _limit("max_timeout_seconds", "The longest timeout that a job may set, in seconds."),
    _limit("history_days", "History of a job, in days."),
    _limit("history_entries", "History of a job, in attempts; the stricter of both limits counts."),
    _limit("finished_job_days", "Retention of completed and faulted jobs, in days."),
    _limit("audit_days", "Retention of the audit log, in days."),
    _limit(
        "audit_entries",
        "Retention of the audit log, in entries; the stricter of both limits counts, and the log"
        " tells when this one has removed some.",
    ),
)
