"""Styles, scripts and pictures, from the package; an address holds the hash of what it names."""

import hashlib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from starlette.responses import Response

from foliot.web.compression import compress, is_worth_it

_KINDS = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_HASH_CHARACTERS = 12
# Done once for each asset.
_BEST_LEVEL = 9
_FOREVER = "public, max-age=31536000, immutable"


class Asset(NamedTuple):
    """A file, and under which address it is asked for."""

    address: str
    kind: str
    content: bytes


def _read() -> dict[str, Asset]:
    found: dict[str, Asset] = {}
    for file in files("foliot.portal").joinpath("assets").iterdir():
        kind = _KINDS.get(file.name.rpartition(".")[2])
        if kind is not None:
            content = file.read_bytes()
            version = hashlib.sha256(content).hexdigest()[:_HASH_CHARACTERS]
            found[file.name] = Asset(f"/assets/{version}/{file.name}", kind, content)
    return found


_ASSETS = _read()
_BY_ADDRESS = {asset.address: asset for asset in _ASSETS.values()}


def asset_address(name: str) -> str:
    """Return where a page finds an asset."""
    return _ASSETS[name].address


def answer_asset(path: str, *, is_compressed: bool) -> Response | None:
    """Return an asset; one of another version is not there."""
    asset = _BY_ADDRESS.get(path)
    if asset is None:
        return None
    headers = {"cache-control": _FOREVER}
    content = asset.content
    if is_compressed and is_worth_it(content):
        headers["content-encoding"] = "gzip"
        content = _compressed(path)
    return Response(content, headers=headers, media_type=asset.kind)


@cache
def _compressed(path: str) -> bytes:
    return compress(_BY_ADDRESS[path].content, _BEST_LEVEL)
