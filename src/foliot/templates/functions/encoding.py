"""Functions that encode, decode and hash strings."""

import binascii
import re
from base64 import b64decode, b64encode
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from foliot.core.errors import Invalid
from foliot.core.json_text import Json, parse_json
from foliot.templates.functions.signature import function
from foliot.templates.functions.unique import guid, unique_string

_DATA_URI = re.compile(r"data:(?P<type>[^,]*?)(?P<base64>;base64)?,(?P<data>.*)", re.DOTALL)
# .NET's reader of JSON takes strings in single quotes too.
# A string that is not closed matches too: to search on after it at each quote would take long.
_QUOTED = re.compile(
    r"""(?P<double>"(?:[^"\\]++|\\.)*+"?)|'(?P<single>(?:[^'\\]++|\\.)*+)(?P<close>'?)""", re.DOTALL
)


def _base64(text: str) -> str:
    return b64encode(text.encode()).decode()


def _base64_to_string(text: str) -> str:
    try:
        return b64decode(text, validate=True).decode()
    except (binascii.Error, ValueError):
        raise Invalid((), "the string is no base64 of UTF-8 text.") from None


def _json(text: str) -> Json:
    return parse_json(_QUOTED.sub(_double_quoted, text).encode())


def _double_quoted(match: re.Match[str]) -> str:
    if match["double"] is not None:
        return match["double"]
    if not match["close"]:
        raise Invalid((), "the text is not JSON: a string in single quotes has no end.")
    text = match["single"].replace("\\'", "'").replace('"', '\\"')
    return f'"{text}"'


def _base64_to_json(text: str) -> Json:
    return _json(_base64_to_string(text))


def _data_uri(text: str) -> str:
    return f"data:text/plain;charset=utf8;base64,{_base64(text)}"


def _data_uri_to_string(text: str) -> str:
    found = _DATA_URI.fullmatch(text)
    if found is None:
        raise Invalid((), "the string is no data URI; give data:text/plain;base64,....")
    if found["base64"]:
        return _base64_to_string(found["data"])
    return _uri_component_to_string(found["data"])


def _uri(base: str, relative: str) -> str:
    try:
        if not urlsplit(base).netloc:
            raise Invalid((), "argument 1 of uri() is no absolute URI; give https://host/path/.")
        return urljoin(base, relative)
    except ValueError:
        raise Invalid((), "the arguments of uri() are no URIs.") from None


def _uri_component(text: str) -> str:
    return quote(text, safe="")


def _uri_component_to_string(text: str) -> str:
    try:
        return unquote_to_bytes(text).decode()
    except ValueError:
        raise Invalid((), "the string is no URI-encoded UTF-8 text.") from None


ENCODING_FUNCTIONS = {
    "base64": function(_base64, "text"),
    "base64ToJson": function(_base64_to_json, "text", 16),
    "base64ToString": function(_base64_to_string, "text"),
    "dataUri": function(_data_uri, "text"),
    "dataUriToString": function(_data_uri_to_string, "text"),
    "guid": function(guid, "text+", 4),
    "json": function(_json, "text", 16),
    "uniqueString": function(unique_string, "text+", 64),
    "uri": function(_uri, "text text", 8),
    "uriComponent": function(_uri_component, "text", 8),
    "uriComponentToString": function(_uri_component_to_string, "text", 8),
}
