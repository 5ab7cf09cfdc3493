"""Why an attempt failed, as a code that stays the same: alerts, filters and retries depend on it.

The message of an attempt says more, in words that may change.
"""

from enum import StrEnum


class Reason(StrEnum):
    """The reason of a failure; `docs/reference/retries.md` describes each."""

    # What the target answered.
    HTTP_STATUS = "HttpStatus"
    EXPECTATION_FAILED = "ExpectationFailed"
    PROTOCOL_ERROR = "ProtocolError"
    # What a queue or a topic answered.
    UNAUTHORIZED = "Unauthorized"
    NOT_FOUND = "NotFound"
    SERVER_BUSY = "ServerBusy"
    REJECTED = "Rejected"
    # No answer.
    NAME_RESOLUTION_FAILURE = "NameResolutionFailure"
    CONNECT_FAILURE = "ConnectFailure"
    SECURE_CHANNEL_FAILURE = "SecureChannelFailure"
    TRUST_FAILURE = "TrustFailure"
    CONNECTION_CLOSED = "ConnectionClosed"
    TIMEOUT = "Timeout"
    CANCELED = "Canceled"
    # Nothing was sent.
    EGRESS_DENIED = "EgressDenied"
    SECRET_MISSING = "SecretMissing"  # noqa: S105  (a code)
    AUTHENTICATION_FAILURE = "AuthenticationFailure"
    INVALID_REQUEST = "InvalidRequest"
    BREAKDOWN = "Breakdown"
