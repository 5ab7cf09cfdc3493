"""Signs requests by the rules of https://www.standardwebhooks.com."""

from base64 import b64encode
from hashlib import sha256
from hmac import digest

from msgspec.structs import replace

from foliot.core.instant import SECOND, UNIX_EPOCH, Instant
from foliot.core.rules.signing_secrets import SIGNATURE_HEADERS, signing_keys
from foliot.core.secret import Secret
from foliot.dispatch.http.outgoing_request import OutgoingRequest


def with_signature(
    outgoing: OutgoingRequest, secret: Secret, *, tag: str, now: Instant
) -> OutgoingRequest:
    """Sign a request, once with each secret: a receiver accepts any signature that it can verify.

    The tag is the id of the webhook, which stays the same when the webhook is sent again.
    """
    seconds = str((now - UNIX_EPOCH) // SECOND)
    content = b".".join([tag.encode(), seconds.encode(), outgoing.body or b""])
    signatures = [b64encode(digest(key, content, sha256)).decode() for key in signing_keys(secret)]
    values = (tag, seconds, " ".join(f"v1,{each}" for each in signatures))
    lines = [f"{name}: {value}" for name, value in zip(SIGNATURE_HEADERS, values, strict=True)]
    return replace(
        outgoing,
        credentials=(*outgoing.credentials, *lines),
        hidden=(*outgoing.hidden, *signatures),
    )
