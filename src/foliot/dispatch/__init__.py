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

from foliot.dispatch.egress import EgressRules
from foliot.dispatch.egress_entries import parse_egress
from foliot.dispatch.http import HttpDispatcher
from foliot.dispatch.router import Dispatchers
from foliot.dispatch.sender import HttpSettings
from foliot.dispatch.service_bus import ServiceBusDispatcher
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
