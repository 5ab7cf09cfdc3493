"""Reads what the options of a job name: files, the standard input, passwords."""

import os
import sys
from base64 import b64encode
from collections.abc import Generator
from contextlib import contextmanager
from getpass import getpass

import typer

from foliot.cli.input_files import input_name, read_input
from foliot.client.errors import ClientError
from foliot.client.job_files import JsonObject, read_job
from foliot.client.job_options import JobSecrets
from foliot.core.errors import Invalid, within
from foliot.core.secret import Secret

PASSWORD = "FOLIOT_JOB_PASSWORD"  # noqa: S105  (a name)


@contextmanager
def using_file() -> Generator[None]:
    """Tell a file that cannot be used from a command that was not understood: by the exit code."""
    try:
        yield
    except Invalid as refusal:
        raise ClientError(str(refusal)) from None


def read_job_file(name: str | None) -> JsonObject:
    """Return the job in a file, or an empty one if no file is named."""
    if name is None:
        return {}
    with using_file(), within(input_name(name)):
        return read_job(read_input(name))


def read_body(text: str | None) -> str | None:
    """Return a body: the text itself, or with @ the content of a file."""
    if text is None or not text.startswith("@"):
        return text
    try:
        return read_input(text[1:]).decode("utf-8")
    except UnicodeDecodeError:
        raise ClientError(f"--body: {text[1:]} is not UTF-8 text.") from None


def read_secrets(basic: str | None, cert: str | None, password_file: str | None) -> JobSecrets:
    """Return the password and the certificate that a job signs in with."""
    if basic is None and cert is None:
        if password_file is not None:
            raise Invalid(("--password-file",), "has no use without --basic or --cert.")
        return JobSecrets()
    pfx = None if cert is None else Secret(b64encode(read_input(cert)).decode())
    what = f"Password of {basic or cert}"
    return JobSecrets(_password(what, password_file), pfx)


def _password(what: str, file: str | None) -> Secret:
    if file is not None:
        return Secret(read_input(file).decode(errors="replace").rstrip("\r\n"))
    given = os.environ.get(PASSWORD)
    if given is not None:
        return Secret(given)
    return ask_secret(what, f"give --password-file FILE or set {PASSWORD}")


def ask_secret(what: str, otherwise: str) -> Secret:
    """Ask for a secret on the terminal, without echo; where there is none, say what to do."""
    if not sys.stdin.isatty():
        raise Invalid((), f"{what}: there is no terminal to ask on; {otherwise}.")
    try:
        return Secret(getpass(f"{what}: "))
    except EOFError:
        raise Invalid((), f"{what}: nothing was typed; {otherwise}.") from None


def confirm(question: str, *, is_sure: bool) -> None:
    """Ask before something is lost; without a terminal `--yes` must be given."""
    if is_sure:
        return
    if not sys.stdin.isatty():
        raise Invalid(("--yes",), "is needed where nobody can be asked.")
    typer.echo(f"{question} [y/N]: ", nl=False, err=True)
    # Not by Typer, for which Ctrl-C is an answer like any other.
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise ClientError("nothing was changed.")
