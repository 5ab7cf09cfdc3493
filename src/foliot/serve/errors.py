"""Why a server, or a command beside it, cannot start."""

from foliot.core.errors import FoliotError


class CannotStart(FoliotError):
    """Something outside is not as it must be; the message is for the operator."""
