"""Why a call did not succeed.

ClientError
├── NoServer     nothing tells which server to call
├── Unreachable  no answer, or not one of Foliot
├── Refused      the server has refused the call
│   ├── NotThere       what it is about does not exist, or not for this token
│   └── NotAuthorised  the token is missing, not known, or may not do this
├── RunFailed    a run that was waited for has failed
└── StillOpen    a run that was waited for has not ended in time
"""

from foliot.core.errors import FoliotError


class ClientError(FoliotError):
    """Everything that ends a command which talks to a server."""


class NoServer(ClientError):
    """Nothing tells which server to call."""


class Unreachable(ClientError):
    """No answer, or not one of Foliot."""


class Refused(ClientError):
    """The server has refused the call; `code` is that of its answer."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class NotThere(Refused):
    """What the call is about does not exist, or not for this token."""


class NotAuthorised(Refused):
    """The token is missing, not known, or may not do this."""


class RunFailed(ClientError):
    """A run that was waited for has failed."""


class StillOpen(ClientError):
    """A run that was waited for has not ended in time."""
