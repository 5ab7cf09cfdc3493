"""Ids that nobody else has made: random, but no secrets.

A generator that is seeded once costs a tenth of asking the system for each, and a request, an
occurrence or a claim pays for several.
"""

import os
import random

_bits = random.Random(os.urandom(32)).getrandbits  # noqa: S311  (ids, no secrets)


def new_id() -> str:
    """Return 32 hexadecimal digits."""
    return f"{_bits(128):032x}"


def new_uuid() -> str:
    """Return a UUID of version 4, with its dashes."""
    text = f"{_bits(128):032x}"
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"
