"""The function that `foliot` and `python -m foliot` start with.

It imports only what Python has loaded before it, so that Ctrl-C while commands are loaded ends in
the exit code of an interrupt, as it does later.
"""

import os
import sys

_INTERRUPTED = 130


def main() -> None:
    """Run the command that the arguments name."""
    try:
        _open_closed_streams()
        from foliot.cli.entry import run  # noqa: PLC0415  (see above)

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _open_closed_streams() -> None:
    """Open /dev/null in the place of a closed standard input or standard error.

    Python has None for a closed one, whose number the next file that is opened would get.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115  (until the end)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  (as above)


if __name__ == "__main__":
    main()
