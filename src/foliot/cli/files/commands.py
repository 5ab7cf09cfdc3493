"""`foliot apply`, `foliot diff` and `foliot export`."""

from typing import Annotated

import typer

from foliot.cli.remote.command import ServerSession, server_command

Files = Annotated[
    list[str] | None,
    typer.Option(
        "--file", "-f", metavar="PATH", help="A file, a directory of files, or - ; several times."
    ),
]
Prune = Annotated[
    bool,
    typer.Option(
        "--prune", help="Delete jobs, calendars and alerts of these collections that no file has."
    ),
]
Resend = Annotated[
    bool,
    typer.Option("--resend-secrets", help="Send the secrets of unchanged jobs and alerts again."),
]


@server_command(
    "apply",
    of_collection=False,
    examples="""
foliot apply -f jobs.yaml
foliot apply -f jobs/ --prune --dry-run
foliot apply -f jobs/ --prune --yes
""",
)
def apply_files(  # noqa: PLR0913  (one parameter for each option)
    session: ServerSession,
    *,
    file: Files = None,
    prune: Prune = False,
    resend_secrets: Resend = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan, let the server check it, and stop.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Make the server match files: print what changes, then change it."""
    # Here, since the help of all commands loads this module, and decoders load much.
    from foliot.cli.files.plan import PlanOptions  # noqa: PLC0415
    from foliot.cli.files.run_apply import run_apply  # noqa: PLC0415

    options = PlanOptions(prune, resend_secrets)
    run_apply(session, file, options, is_trial=dry_run, is_sure=yes)


@server_command(
    "diff",
    of_collection=False,
    examples="""
foliot diff -f jobs.yaml
foliot diff -f jobs/ --prune --output json
""",
)
def diff_files(
    session: ServerSession,
    *,
    file: Files = None,
    prune: Prune = False,
    resend_secrets: Resend = False,
) -> None:
    """Print what `apply` would change, and exit with 8 if that is anything."""
    from foliot.cli.files.plan import PlanOptions  # noqa: PLC0415
    from foliot.cli.files.run_apply import run_diff  # noqa: PLC0415

    run_diff(session, file, PlanOptions(prune, resend_secrets))


@server_command(
    "export",
    has_formats=False,
    examples="""
foliot export > jobs.yaml
foliot export --collection me/home/work -o work.yaml
foliot export -o jobs/
foliot export --collection work --format template -o work.template.json
""",
)
def export_files(
    session: ServerSession,
    *,
    into: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="A file, or a directory: one file for each collection.",
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option("--format", metavar="FORMAT", help="yaml, json or template."),
    ] = "yaml",
) -> None:
    """Write collections with all they have, as `apply` reads them; all, or the named one.

    Secrets are written as placeholders, and the variables to set are listed. With
    `--format template` it is a template of Azure Resource Manager, secrets are its parameters.
    """
    from foliot.cli.files.run_export import run_export  # noqa: PLC0415

    run_export(session, into, form)
