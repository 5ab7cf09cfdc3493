"""Static files of the portal; each address contains the hash of the file, so it caches forever."""

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
# Each asset is compressed once.
_BEST_LEVEL = 9
_FOREVER = "public, max-age=31536000, immutable"


class Asset(NamedTuple):
    """A static file and its address."""

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
    """Return the address of an asset."""
    return _ASSETS[name].address


def answer_asset(path: str, *, is_compressed: bool) -> Response | None:
    """Return the response for an asset, or None; an older version is not found."""
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
