"""The settings of a server: one table that parser, help, Settings page and reference page share.

describe          descriptions of settings, for `foliot serve --help` and the Settings page
limits_table      the rows of the table that are limits
mail_table        the rows of the table for the e-mails of alerts
monitoring_table  the rows about metrics and traces
parsers           parsers of values: text becomes a value, or is refused
read              reads the settings from options and environment variables
reference         writes docs/reference/settings.md
setting           a row of the table
table             the table of settings: variable, option, parser, default, help
value_text        values in words, without secrets
values            the settings, as one value
"""

from foliot.serve.settings.describe import shown_settings
from foliot.serve.settings.read import DATABASE_FILE, Options, read_settings
from foliot.serve.settings.value_text import database_text
from foliot.serve.settings.values import (
    AutoTls,
    Database,
    NoTls,
    PostgresAddress,
    Settings,
    Tls,
    TlsFiles,
)

__all__ = [
    "DATABASE_FILE",
    "AutoTls",
    "Database",
    "NoTls",
    "Options",
    "PostgresAddress",
    "Settings",
    "Tls",
    "TlsFiles",
    "database_text",
    "read_settings",
    "shown_settings",
]
