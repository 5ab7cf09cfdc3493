"""`foliot import`: turns jobs of other schedulers into files that describe jobs of Foliot."""

from typing import Annotated

import typer
from msgspec import Struct

from foliot.cli.plain_values import examples_text

import_app = typer.Typer(
    no_args_is_help=True,
    help="Turn jobs of other schedulers into a file that describes jobs of Foliot. "
    "The file goes to standard output, a report to standard error.",
)

Files = Annotated[list[str], typer.Argument(metavar="FILE", help="Files, or - for standard input.")]
Into = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="Where the jobs go: COLLECTION, SUBSCRIPTION/GROUP or SUBSCRIPTION/GROUP/COLLECTION.",
    ),
]
Zone = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The IANA time zone of schedules that name none."),
]
Report = Annotated[str | None, typer.Option(metavar="FILE", help="Write the report to this file.")]
Now = Annotated[
    str | None, typer.Option(help="Show the next runs after this time, not after the present.")
]
KeepSecrets = Annotated[
    bool, typer.Option("--keep-secrets", help="Write secrets as they are, without placeholders.")
]
Parameters = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Values for the parameters of the template."),
]


class ImportCall(Struct, frozen=True, kw_only=True):
    """The arguments of a call: what is imported from which files, and the options."""

    source: str
    files: list[str]
    into: str | None
    report: str | None
    now: str | None
    keeps_secrets: bool
    zone: str | None = None
    parameters: str | None = None
    has_users: bool | None = None


@import_app.command(
    epilog=examples_text("""
foliot import crontab /etc/crontab --zone Europe/Prague > jobs.yaml
crontab -l | foliot import crontab - --into work --report report.txt > jobs.yaml
""")
)
def crontab(  # noqa: PLR0913  (one parameter for each option)
    files: Files,
    *,
    into: Into = None,
    zone: Zone = None,
    users: Annotated[
        bool | None,
        typer.Option(
            "--users/--no-users",
            help="Whether lines have a user before the command; else the lines decide.",
        ),
    ] = None,
    report: Report = None,
    now: Now = None,
    keep_secrets: KeepSecrets = False,
) -> None:
    """Import crontabs: lines that run curl or wget become HTTP jobs."""
    _start(
        ImportCall(
            source="crontab",
            files=files,
            into=into,
            report=report,
            now=now,
            keeps_secrets=keep_secrets,
            zone=zone,
            has_users=users,
        )
    )


@import_app.command(
    epilog=examples_text("""
foliot import kubernetes cronjobs.yaml --into work > jobs.yaml
kubectl get cronjobs --output yaml | foliot import kubernetes - > jobs.yaml
""")
)
def kubernetes(  # noqa: PLR0913  (one parameter for each option)
    files: Files,
    *,
    into: Into = None,
    zone: Zone = None,
    report: Report = None,
    now: Now = None,
    keep_secrets: KeepSecrets = False,
) -> None:
    """Import Kubernetes CronJobs, YAML or JSON, whose container runs curl or wget."""
    _start(
        ImportCall(
            source="kubernetes",
            files=files,
            into=into,
            report=report,
            now=now,
            keeps_secrets=keep_secrets,
            zone=zone,
        )
    )


@import_app.command(
    epilog=examples_text("""
foliot import logicapp workflow.json --into work > jobs.yaml
""")
)
def logicapp(  # noqa: PLR0913  (one parameter for each option)
    files: Files,
    *,
    into: Into = None,
    parameters: Parameters = None,
    report: Report = None,
    now: Now = None,
    keep_secrets: KeepSecrets = False,
) -> None:
    """Import workflows of Logic Apps with a Recurrence trigger and one HTTP action."""
    _start(
        ImportCall(
            source="logicapp",
            files=files,
            into=into,
            report=report,
            now=now,
            keeps_secrets=keep_secrets,
            parameters=parameters,
        )
    )


@import_app.command(
    epilog=examples_text("""
foliot import eventbridge rules.json targets.json --into work > jobs.yaml
""")
)
def eventbridge(
    files: Files,
    *,
    into: Into = None,
    report: Report = None,
    now: Now = None,
    keep_secrets: KeepSecrets = False,
) -> None:
    """Import rules and schedules of Amazon EventBridge that call API destinations."""
    _start(
        ImportCall(
            source="eventbridge",
            files=files,
            into=into,
            report=report,
            now=now,
            keeps_secrets=keep_secrets,
        )
    )


@import_app.command(
    epilog=examples_text("""
gcloud scheduler jobs list --format=json | foliot import gcloud - --into work > jobs.yaml
""")
)
def gcloud(
    files: Files,
    *,
    into: Into = None,
    report: Report = None,
    now: Now = None,
    keep_secrets: KeepSecrets = False,
) -> None:
    """Import jobs of Google Cloud Scheduler: gcloud scheduler jobs list --format=json."""
    _start(
        ImportCall(
            source="gcloud",
            files=files,
            into=into,
            report=report,
            now=now,
            keeps_secrets=keep_secrets,
        )
    )


@import_app.command(
    epilog=examples_text("""
foliot import arm template.json --parameters values.json > jobs.yaml
""")
)
def arm(  # noqa: PLR0913  (one parameter for each option)
    files: Files,
    *,
    into: Into = None,
    parameters: Parameters = None,
    report: Report = None,
    now: Now = None,
    keep_secrets: KeepSecrets = False,
) -> None:
    """Import the collections and jobs of templates of Azure Resource Manager."""
    _start(
        ImportCall(
            source="arm",
            files=files,
            into=into,
            report=report,
            now=now,
            keeps_secrets=keep_secrets,
            parameters=parameters,
        )
    )


@import_app.command(
    "azure-export",
    epilog=examples_text("""
foliot import azure-export collections.json jobs.json > jobs.yaml
"""),
)
def azure_export(
    files: Files,
    *,
    into: Into = None,
    report: Report = None,
    now: Now = None,
    keep_secrets: KeepSecrets = False,
) -> None:
    """Import lists of collections and jobs as the REST API of Azure Scheduler gave them."""
    _start(
        ImportCall(
            source="azure-export",
            files=files,
            into=into,
            report=report,
            now=now,
            keeps_secrets=keep_secrets,
        )
    )


def _start(call: ImportCall) -> None:
    # Here, since the help of all commands loads this module, and decoders load much.
    from foliot.cli.run_import import run_import  # noqa: PLC0415

    run_import(call)
