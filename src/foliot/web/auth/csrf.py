"""Protection against forged forms: the origin of the request, and a token in every form."""

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from hmac import compare_digest

from starlette.requests import Request

from foliot.core.errors import Forbidden
from foliot.web.auth.sessions import Session
from foliot.web.proxies import Caller, base_url


def check_origin(request: Request, called: Caller, public_url: str | None) -> None:
    """Refuse a form that a page of another site may have sent."""
    own = {f"{called.scheme}://{called.host}", base_url(called, public_url=public_url)}
    origin = request.headers.get("origin")
    if origin is None:
        is_own = request.headers.get("sec-fetch-site") == "same-origin"
    else:
        is_own = origin.lower() in {each.lower() for each in own}
    if not is_own:
        raise Forbidden(
            f"A form of another site is not accepted; this one's address is {min(own)}. Behind a "
            "proxy, set FOLIOT_PUBLIC_URL to the address that browsers use."
        )


def form_token(session: Session) -> str:
    """Return the session's CSRF token for one page, masked so that each page has another text.

    An attacker who sees the length of compressed pages and can put text of their own into them
    could find a constant token letter by letter (BREACH).
    """
    token = session.csrf.encode()
    mask = secrets.token_bytes(len(token))
    return urlsafe_b64encode(mask + _xor(token, mask)).decode()


def is_form_token_of(session: Session, given: str) -> bool:
    """Tell whether a form carries the CSRF token of this session."""
    try:
        content = urlsafe_b64decode(given.encode())
    except (NotBase64, ValueError):
        return False
    mask, masked = content[: len(content) // 2], content[len(content) // 2 :]
    return compare_digest(session.csrf.encode(), _xor(masked, mask))


def _xor(text: bytes, mask: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(text, mask, strict=False))
