"""The numbered steps from one version of a database's schema to the next."""

from importlib.resources import files

from msgspec import Struct

from foliot.store.errors import NewerSchema


class Migration(Struct, frozen=True):
    """A step from one version of the schema to the next."""

    version: int
    script: str


def migrations(package: str) -> list[Migration]:
    """Return all steps of a database in order."""
    folder = files(package).joinpath("migrations")
    scripts = (each for each in folder.iterdir() if each.name.endswith(".sql"))
    steps = [Migration(int(each.name[:4]), each.read_text("utf-8")) for each in scripts]
    return sorted(steps, key=lambda step: step.version)


def check_version(present: int, steps: list[Migration]) -> None:
    """Refuse a database that has seen more than these steps."""
    known = steps[-1].version
    if present > known:
        raise NewerSchema(
            f"The database has schema version {present}, and this version of Foliot knows {known}"
            " at most. Install the version of Foliot that last ran, or restore a backup."
        )
