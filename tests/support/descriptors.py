"""A process that has no file descriptors left."""

import os
import resource
import tracemalloc as tracemalloc  # noqa: PLC0414  (pytest needs it, and cannot import it later)
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_FEW = 256


@contextmanager
def no_descriptors(*, but: int = 0) -> Iterator[None]:
    """Use up all descriptors but so many for the length of a block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    held: list[int] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (_FEW, hard))
    try:
        with suppress(OSError):
            while True:
                held.append(os.dup(0))
        for _ in range(but):
            os.close(held.pop())
        yield
    finally:
        for each in held:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
