"""Limits of sizes and of retention, which an operator may change."""

from msgspec import Struct


class Limits(Struct, frozen=True, kw_only=True):
    """The limits of a server; the defaults are those of the service Foliot stands in for."""

    max_job_bytes: int = 16 * 1024
    max_uri_characters: int = 2048
    max_headers: int = 50
    max_header_characters: int = 4096
    max_body_characters: int = 8192
    max_request_bytes: int = 1024 * 1024
    max_template_bytes: int = 4 * 1024 * 1024
    max_response_bytes_kept: int = 2048
    http_timeout_seconds: int = 60
    max_timeout_seconds: int = 600
    history_days: int = 60
    history_entries: int = 1000
    finished_job_days: int = 60
    audit_days: int = 365
    audit_entries: int = 500_000
