"""The saved profile: a file in the directory of the user's configuration, for its owner alone."""

from collections.abc import Mapping
from pathlib import Path

from foliot.client.errors import ClientError
from foliot.client.find_server import Profile, parse_profile, profile_text
from foliot.core.errors import within
from foliot.ports.private_files import write_private

_OTHERS = 0o077


def profile_path(environ: Mapping[str, str]) -> Path:
    """Return where the profile is kept."""
    base = environ.get("XDG_CONFIG_HOME")
    directory = Path(base) if base else Path(environ.get("HOME") or "~").expanduser() / ".config"
    return directory / "foliot" / "profile.json"


def load_profile(environ: Mapping[str, str]) -> Profile | None:
    """Return the saved profile, if there is one; refuse one that others may read."""
    path = profile_path(environ)
    try:
        if path.stat().st_mode & _OTHERS:
            raise ClientError(f"others may read {path}; run: chmod 600 {path}")
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ClientError(f"cannot read {path}: {error.strerror}.") from None
    with within(str(path)):
        return parse_profile(content)


def save_profile(profile: Profile, environ: Mapping[str, str]) -> Path:
    """Save the profile, in the place of an older one."""
    path = profile_path(environ)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(path, f"{profile_text(profile)}\n".encode())
    except OSError as error:
        raise ClientError(f"cannot write {path}: {error.strerror}.") from None
    return path


def delete_profile(environ: Mapping[str, str]) -> bool:
    """Delete the profile, and tell whether there was one."""
    try:
        profile_path(environ).unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        path = profile_path(environ)
        raise ClientError(f"cannot delete {path}: {error.strerror}.") from None
    return True
