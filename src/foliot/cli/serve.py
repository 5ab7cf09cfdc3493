"""`foliot serve`: the server."""

import os
from typing import Annotated

import typer

from foliot.cli.refusal import refusing
from foliot.serve.settings import read_settings

Text = str | None


def serve_(  # noqa: PLR0913  (one parameter for each option)
    *,
    host: Annotated[
        Text, typer.Option(help="Listen on this address. FOLIOT_HOST; 127.0.0.1.")
    ] = None,
    port: Annotated[
        Text, typer.Option(metavar="PORT", help="Listen on this port. FOLIOT_PORT; 8080.")
    ] = None,
    data_dir: Annotated[
        Text,
        typer.Option(metavar="DIR", help="Keep everything here. FOLIOT_DATA_DIR; ./foliot-data."),
    ] = None,
    database: Annotated[
        Text,
        typer.Option(
            metavar="URL",
            help="sqlite:///PATH or postgresql://... FOLIOT_DATABASE; foliot.db in the data dir.",
        ),
    ] = None,
    tls: Annotated[
        Text,
        typer.Option(
            metavar="auto|CERT,KEY|none",
            help="Speak HTTPS: make a certificate, or use these files. FOLIOT_TLS.",
        ),
    ] = None,
    public_url: Annotated[
        Text,
        typer.Option(metavar="URL", help="The address clients use, for links. FOLIOT_PUBLIC_URL."),
    ] = None,
    trusted_proxies: Annotated[
        Text,
        typer.Option(
            metavar="NETS", help="Believe X-Forwarded-* of these. FOLIOT_TRUSTED_PROXIES."
        ),
    ] = None,
    log_level: Annotated[
        Text,
        typer.Option(metavar="LEVEL", help="debug, info, warning or error. FOLIOT_LOG_LEVEL."),
    ] = None,
    log_format: Annotated[
        Text,
        typer.Option(metavar="FORMAT", help="console or json. FOLIOT_LOG_FORMAT; console."),
    ] = None,
    grace: Annotated[
        Text,
        typer.Option(
            metavar="SECONDS", help="How long attempts may finish when stopping. FOLIOT_GRACE; 30."
        ),
    ] = None,
    no_engine: Annotated[
        bool, typer.Option("--no-engine", help="Keep jobs, but run none here. FOLIOT_NO_ENGINE=1.")
    ] = False,
    no_api: Annotated[
        bool, typer.Option("--no-api", help="Run jobs, but answer no API here. FOLIOT_NO_API=1.")
    ] = False,
    one_process: Annotated[
        bool,
        typer.Option(
            "--one-process", help="Send requests from the same process. FOLIOT_ONE_PROCESS=1."
        ),
    ] = False,
    no_auth: Annotated[
        bool,
        typer.Option("--no-auth", help="Ask for no token; on loopback only. FOLIOT_NO_AUTH=1."),
    ] = False,
) -> None:
    """Serve the API until SIGTERM or Ctrl-C.

    Each option is also a variable of the environment, named in its help; the option wins.
    """
    options = {
        "host": host,
        "port": port,
        "data_dir": data_dir,
        "database": database,
        "tls": tls,
        "public_url": public_url,
        "trusted_proxies": trusted_proxies,
        "log_level": log_level,
        "log_format": log_format,
        "no_auth": no_auth,
        "no_engine": no_engine,
        "no_api": no_api,
        "one_process": one_process,
        "grace": grace,
    }
    # Here, since no other command needs the server's parts.
    from foliot.serve.main import serve  # noqa: PLC0415

    with refusing("serve"):
        serve(read_settings(options, os.environ), typer.echo)
