"""A place of one's own: no network but loopback; mounts and processes that end with the command.

It makes sure that no job can reach anything outside, gives a small file system to fill, and lets
names be resolved by a name server of ours. Root can make one, and so can anyone where the kernel
lets users have namespaces.
"""

import fcntl
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_INSIDE = "CHAOS_INSIDE"
_OPTIONS = (
    *("--net", "--mount", "--propagation", "private"),
    *("--pid", "--fork", "--kill-child", "--mount-proc"),
)
_SET_FLAGS = 0x8914  # SIOCSIFFLAGS
_UP_AND_RUNNING = 0x41  # IFF_UP | IFF_RUNNING


def enter(module: str = "chaos") -> None:
    """Start this program again inside; return if it is there."""
    if os.environ.get(_INSIDE):
        _raise_loopback()
        return
    as_root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    command = ["unshare", *as_root, *_OPTIONS]
    try:
        subprocess.run([*command, "true"], check=True)  # noqa: S603  (our own command)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"make {module} needs Linux, and namespaces by root or by user: {error}")
    sys.stdout.flush()
    os.environ[_INSIDE] = "1"
    os.execvp(command[0], [*command, sys.executable, "-m", module, *sys.argv[1:]])  # noqa: S606  (as above)


@contextmanager
def small_disk(folder: Path, mebibytes: int) -> Generator[None]:
    """Mount a file system of this size."""
    folder.mkdir()
    _run("mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", str(folder))
    try:
        yield
    finally:
        _run("umount", str(folder))


def resolve_through(address: str, folder: Path) -> None:
    """Ask this name server from now on, and no other."""
    for target, text in (
        ("/etc/resolv.conf", f"nameserver {address}\n"),
        ("/etc/nsswitch.conf", "hosts: files dns\n"),
    ):
        source = folder / Path(target).name
        source.write_text(text)
        _run("mount", "--bind", str(source), target)


def _run(*command: str) -> None:
    subprocess.run(command, check=True)  # noqa: S603  (our own command)


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14s", b"lo", _UP_AND_RUNNING, b"")
        fcntl.ioctl(any_socket, _SET_FLAGS, request)
