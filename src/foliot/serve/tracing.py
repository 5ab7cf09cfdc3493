"""Tracing of a server, if it is on: OpenTelemetry is loaded only then."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from foliot.core.errors import CannotStart
from foliot.ports.logs import get_logger
from foliot.ports.tracing import Tracer

# A collector that does not answer must not keep the server from ending.
_SECONDS_TO_CLOSE: Final = 3.0

_log = get_logger("foliot.serve")


@asynccontextmanager
async def tracing(node: str, *, is_on: bool) -> AsyncGenerator[Tracer | None]:
    """Open a tracer for the time that the engine runs, and export what is left at the end."""
    if not is_on:
        yield None
        return
    try:
        from foliot.serve.otel_spans import close_within, open_tracer  # noqa: PLC0415
    except ImportError as error:
        raise CannotStart(
            "FOLIOT_TRACING: OpenTelemetry is not installed; install it with"
            f" `pip --python {sys.prefix} install 'foliot[otel]'` ({error})."
        ) from None
    tracer = open_tracer(node, os.environ)
    if tracer is None:
        _log.info("Tracing is off: OTEL_SDK_DISABLED or OTEL_TRACES_EXPORTER says so")
        yield None
        return
    _log.info("Tracing started")
    try:
        yield tracer
    finally:
        await asyncio.to_thread(close_within, tracer, _SECONDS_TO_CLOSE)
