"""Carries out actions: one attempt in, one outcome out, never an exception.

errand ─► Courier ═► Outpost, in a process of its own, and there
errand ─► HttpDispatcher ─► Authentication ─► Redirects ─► Sender ─► libcurl
       │                        └──── token requests ──────►│  │
       ├► StorageQueueDispatcher ──────────────────────────►│  │
       └► ServiceBusDispatcher ────────────────────────────►│  │
                  └► AmqpLinks ─► Microsoft's client           │
                         │                                     │
                         └─ EgressRules: the name before it is ┘
                            resolved, the address before it is connected to
"""

from foliot.dispatch.egress.parse_rules import parse_egress
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.attempt import HttpDispatcher
from foliot.dispatch.http.client import HttpSettings
from foliot.dispatch.router import Dispatchers
from foliot.dispatch.service_bus.send import ServiceBusDispatcher
from foliot.dispatch.storage_queue import StorageQueueDispatcher

__all__ = [
    "Dispatchers",
    "EgressRules",
    "HttpDispatcher",
    "HttpSettings",
    "ServiceBusDispatcher",
    "StorageQueueDispatcher",
    "parse_egress",
]
