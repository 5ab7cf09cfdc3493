"""The settings of a server.

parsers  reads the settings from options and environment variables
"""

from foliot.serve.settings.parsers import (
    AutoTls,
    Database,
    NoTls,
    Options,
    PostgresAddress,
    Settings,
    Tls,
    TlsFiles,
    read_settings,
)

__all__ = [
    "AutoTls",
    "Database",
    "NoTls",
    "Options",
    "PostgresAddress",
    "Settings",
    "Tls",
    "TlsFiles",
    "read_settings",
]
