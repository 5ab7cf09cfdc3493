"""Lengths of time as people write them, `5m`, and as a body has them, `PT5M`."""

import re

_UNITS = {"s": "PT{}S", "m": "PT{}M", "h": "PT{}H", "d": "P{}D"}
_SHORT = re.compile(r"(\d{1,9})\s*([smhd])", re.ASCII | re.IGNORECASE)
_ISO = re.compile(r"PT(\d+)([SMH])|P(\d+)(D)", re.ASCII | re.IGNORECASE)


def short_period(text: str) -> str:
    """Return a period as people write it, if it has one unit."""
    match = _ISO.fullmatch(text)
    return text if match is None else f"{match[1] or match[3]}{(match[2] or match[4]).lower()}"


def iso_period(text: str) -> str:
    """Return a period as a body has it; any other text unchanged."""
    match = _SHORT.fullmatch(text.strip())
    return text.strip() if match is None else _UNITS[match[2].lower()].format(match[1])
