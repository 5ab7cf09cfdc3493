"""The client libraries of the old service, known by their User-Agent, and what each can read.

The names are those in the sources of the libraries: Azure/azure-sdk-for-python, -java, -node, -js,
-go, -ruby, -net, and Azure/azure-powershell.
"""

from enum import Enum, auto
from functools import lru_cache

from msgspec import Struct


class Notation(Enum):
    """How an answer writes durations: as they were given, or as the client can read them."""

    AS_GIVEN = auto()
    ISO = auto()
    TIME_SPAN = auto()


class WireClient(Struct, frozen=True):
    """What a client reads: a notation of durations, and a spelling of `occurrence`.

    `reads_outcomes`: the status of a job also says how its runs ended.
    """

    durations: Notation = Notation.AS_GIVEN
    occurrence: str = "occurrence"
    reads_outcomes: bool = False


# The old service wrote "occurrence". The published contract says "Occurrence", and what is
# generated from it looks for no other spelling, except where names match in any letter case.
_CONTRACT = "Occurrence"
_GENERATED = WireClient(Notation.ISO, _CONTRACT)
# In Go a duration is a text, which Terraform compares with the one in its configuration.
_GO = WireClient(Notation.AS_GIVEN, _CONTRACT)
_DOT_NET = WireClient(Notation.TIME_SPAN)
ANY_CLIENT = WireClient()
# In our own version of the API all clients read the same.
OWN_CLIENT = WireClient(Notation.ISO, reads_outcomes=True)
# Longer texts would fill the cache: anybody may send them.
_LONGEST = 500

# Part of a User-Agent in lower case, and who sends it. The first match counts.
CLIENTS = (
    ("azsdk-python-mgmt-scheduler", _GENERATED),
    ("azure-mgmt-scheduler/", _GENERATED),  # Python before 7.0
    ("azsdk-java", _GENERATED),
    ("azure-sdk-for-java", _GENERATED),
    ("azure-arm-scheduler/", _GENERATED),  # Node
    ("@azure/arm-scheduler/", _GENERATED),  # Node and browsers
    ("azure-sdk-for-node", _GENERATED),
    ("azure_mgmt_scheduler/", _GENERATED),  # Ruby
    ("azure-sdk-for-ruby", _GENERATED),
    ("azure-sdk-for-go", _GO),
    ("microsoft.azure.management.scheduler", _DOT_NET),
    ("azurepowershell", _DOT_NET),
)


def client_of(user_agent: str) -> WireClient:
    """Return what the sender of a User-Agent can read."""
    return _client_of(user_agent[:_LONGEST])


@lru_cache(maxsize=1024)
def _client_of(user_agent: str) -> WireClient:
    name = user_agent.lower()
    return next((client for part, client in CLIENTS if part in name), ANY_CLIENT)
