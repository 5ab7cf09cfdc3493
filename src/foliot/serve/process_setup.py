"""What every process of a server does alike."""

import gc
import logging

_VALUES_BETWEEN_COLLECTIONS = 50_000


def set_up_logging(level: str) -> None:
    """Write to standard error from this level on."""
    logging.basicConfig(
        level=level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )


def collect_seldom() -> None:
    """Let the collector of cycles leave alone what is loaded by now, and look at the rest seldom.

    A run makes dozens of values and no cycle; to go through all of them again and again would take
    a quarter of the engine's time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_VALUES_BETWEEN_COLLECTIONS, 20, 50)
