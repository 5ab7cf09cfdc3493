"""Client certificates: a PFX file in base64, and its thumbprint, expiry and subject."""

import asyncio
import binascii
from base64 import b64decode
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore
from types import MappingProxyType

from foliot.api.wire.pfx.cost import Unfit
from foliot.api.wire.pfx.open_pfx import open_in_subprocess
from foliot.core.errors import Invalid, Path
from foliot.core.json_text import Json
from foliot.core.model.action import ClientCertificate
from foliot.core.secret import Secret

# Certificates that were opened before the store is asked, by file and password.
Certificates = Mapping[tuple[Secret, Secret | None], ClientCertificate]

# Opening certificates must not take all processors of the machine.
_MAX_CONCURRENT = 2
_OPENERS = ThreadPoolExecutor(_MAX_CONCURRENT, thread_name_prefix="open-certificate")
_OPENING = BoundedSemaphore(_MAX_CONCURRENT)
_ACTIONS = (("action",), ("action", "errorAction"), ("errorAction",))
_TYPES = (None, "clientcertificate")
_NONE: Certificates = MappingProxyType({})


async def open_certificates(body: Json, known: Certificates = _NONE) -> Certificates:
    """Open the certificates in a job or a patch of one, away from the event loop and the store.

    Those that are `known` are not opened again.
    """
    loop = asyncio.get_running_loop()
    return {
        (pfx, password): known.get((pfx, password))
        or await loop.run_in_executor(_OPENERS, read_certificate, pfx, password, path)
        for pfx, password, path in _given(body)
    }


async def open_valid_certificates(body: Json) -> tuple[Certificates, Mapping[Path, Invalid]]:
    """Open the certificates in a job; return those that can be opened, and why others cannot."""
    loop = asyncio.get_running_loop()
    opened: dict[tuple[Secret, Secret | None], ClientCertificate] = {}
    refusals: dict[Path, Invalid] = {}
    for pfx, password, path in _given(body):
        try:
            opened[pfx, password] = await loop.run_in_executor(
                _OPENERS, read_certificate, pfx, password, path
            )
        except Invalid as refusal:
            refusals[path] = refusal
    return opened, refusals


def read_certificate(pfx: Secret, password: Secret | None, path: Path) -> ClientCertificate:
    """Open a PFX file for its thumbprint, expiry and subject; wait while others are opened."""
    try:
        content = b64decode("".join(pfx.reveal().split()), validate=True)
    except (binascii.Error, ValueError):
        raise Invalid(path, "is not base64; give the PFX file encoded in base64.") from None
    try:
        with _OPENING:
            facts = open_in_subprocess(content, password.reveal() if password else None)
    except Unfit as problem:
        raise Invalid(path, str(problem)) from None
    return ClientCertificate(
        pfx=pfx,
        password=password,
        thumbprint=facts.thumbprint,
        expires_at=facts.expires_at,
        subject=facts.subject,
    )


def _given(body: Json) -> Iterator[tuple[Secret, Secret | None, Path]]:
    for action in _ACTIONS:
        found, path = _inside(body, "properties", *action, "request", "authentication")
        if found is None:
            continue
        kind, (pfx, _), (password, _) = (
            _inside(found, "type")[0],
            _inside(found, "pfx"),
            _inside(found, "password"),
        )
        named = kind.lower() if isinstance(kind, str) else kind
        if isinstance(pfx, str) and named in _TYPES and isinstance(password, str | None):
            yield Secret(pfx), None if password is None else Secret(password), (*path, "pfx")


def _inside(value: Json, *names: str) -> tuple[Json, Path]:
    """Return what stands at a path, in any letter case, and the path as it is written."""
    path: Path = ()
    for name in names:
        if not isinstance(value, dict):
            return None, ()
        written = {each.lower(): each for each in value}.get(name.lower(), name)
        path, value = (*path, written), value.get(written)
    return value, path
