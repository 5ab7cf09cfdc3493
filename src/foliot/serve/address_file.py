"""The file that tells commands on this machine where the server of a data directory listens."""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from foliot.ports.private_files import write_private
from foliot.serve.settings import NoTls, Settings

_FILE = "address"
_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  (told apart, not listened at)


@contextmanager
def address_file(settings: Settings, port: int, authority: Path | None) -> Generator[None]:
    """Keep the file while the server runs: its URL, and the authority of its certificate.

    A server that cannot write it runs all the same: the file only saves typing.
    """
    path = settings.data_dir / _FILE
    trusted = [] if authority is None else [str(authority.resolve())]
    with suppress(OSError):
        write_private(path, "\n".join([local_url(settings, port), *trusted, ""]).encode())
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()


def local_url(settings: Settings, port: int) -> str:
    """Return the URL by which programs on this machine reach the server."""
    scheme = "http" if isinstance(settings.tls, NoTls) else "https"
    host = _ANY_ADDRESS.get(settings.host, settings.host)
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
