"""Gives every request an id, and logs it at debug when it has been answered."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foliot.ports.logs import get_logger, log_context
from foliot.ports.random_ids import new_uuid

_log = get_logger("foliot.requests")


class RequestLog:
    """An application around another one: all lines of a request have its id."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        with log_context(request_id=new_uuid()):
            if _log.is_debugging:
                await self._logged(scope, receive, send)
            else:
                await self._app(scope, receive, send)

    async def _logged(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Log a request by its path alone: its query may hold a code, its headers a token."""
        status: int | None = None
        now = asyncio.get_running_loop().time
        began_at = now()

        async def watched_send(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, watched_send)
        finally:
            _log.debug(
                "Request ended without an answer" if status is None else "Request answered",
                method=scope["method"],
                path=scope["path"],
                status=status,
                duration_ms=round((now() - began_at) * 1000),
            )
