"""What the dispatchers of messages share: connections, endpoints, a clock and a deadline."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from foliot.core.instant import Instant
from foliot.core.model.attempt import AttemptRequest
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.client import Sender
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.queue_endpoints import Endpoints

_DEFAULTS = HttpSettings()


class MessageDispatcher:
    """The connections of a dispatcher, in one event loop; `cloud` has the default endpoints."""

    cloud: ClassVar[Endpoints]

    def __init__(
        self,
        egress: EgressRules,
        now: Callable[[], Instant],
        settings: HttpSettings = _DEFAULTS,
        endpoints: Endpoints | None = None,
    ) -> None:
        self._egress = egress
        self._now = now
        self._settings = settings
        self._endpoints = endpoints or self.cloud
        self._sender = Sender(egress, settings)

    async def close(self) -> None:
        """Close all connections; open attempts fail."""
        await self._sender.close()

    def _deadline(self, request: AttemptRequest) -> float:
        return asyncio.get_running_loop().time() + self._settings.seconds_for(request)
