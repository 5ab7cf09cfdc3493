"""Texts of others as pages show them: what a reader could not see is written out."""

import re

# Controls but for tabs and line ends, marks that turn the direction of writing or have no width,
# separators, and what is no character at all.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
# A line end on its own would let a text draw over itself.
_LONE_RETURN = re.compile(r"\r(?!\n)")


def visible(text: object) -> str:
    """Write out controls and marks that would hide or turn parts of a text."""
    return _LONE_RETURN.sub(r"\\r", _UNSEEN.sub(_written_out, str(text)))


def _written_out(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "surrogatepass").decode()
