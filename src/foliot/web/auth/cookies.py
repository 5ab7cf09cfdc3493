"""The cookies of the portal: their names, and how they are read and set."""

from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

_NOTICE_SECONDS = 60
_GUIDE_SECONDS = 365 * 24 * 3600


class Cookies(NamedTuple):
    """The cookies that a browser sent; a script of the portal sets the zone to that of its clock.

    Under TLS the names have the prefix `__Host-`, which keeps other hosts from setting them.
    Without TLS they end in the port: browsers share cookies between the ports of a machine.
    """

    is_secure: bool
    suffix: str
    session: str | None
    notices: str | None
    zone: str | None
    guide: str | None = None

    def set_session(self, response: Response, value: str) -> None:
        """Set the session cookie, for as long as the browser runs."""
        self._set(response, "session", value, None)

    def set_notices(self, response: Response, value: str) -> None:
        """Set the notices of the next page, for a minute."""
        self._set(response, "notices", value, _NOTICE_SECONDS)

    def set_guide(self, response: Response, value: str) -> None:
        """Set what the browser is to remember of the first steps, for a year."""
        self._set(response, "guide", value, _GUIDE_SECONDS)

    def has_session(self, response: Response) -> bool:
        """Tell whether a response sets or forgets a session already."""
        name = _name("session", self.suffix, is_secure=self.is_secure)
        return any(each.startswith(f"{name}=") for each in response.headers.getlist("set-cookie"))

    def forget(self, response: Response, name: str) -> None:
        """Delete a cookie."""
        self._set(response, name, "", 0)

    def _set(self, response: Response, name: str, value: str, seconds: int | None) -> None:
        response.set_cookie(
            _name(name, self.suffix, is_secure=self.is_secure),
            value,
            max_age=seconds,
            secure=self.is_secure,
            httponly=True,
            samesite="strict",
        )


def read_cookies(request: Request, host: str, *, is_secure: bool) -> Cookies:
    """Read the cookies of a request to this host, which may have a port."""
    suffix = host.rpartition(":")[2]
    jar = request.cookies
    return Cookies(
        is_secure,
        suffix,
        jar.get(_name("session", suffix, is_secure=is_secure)),
        jar.get(_name("notices", suffix, is_secure=is_secure)),
        jar.get("foliot-zone"),
        jar.get(_name("guide", suffix, is_secure=is_secure)),
    )


def _name(name: str, suffix: str, *, is_secure: bool) -> str:
    if is_secure:
        return f"__Host-foliot-{name}"
    port = f"-{suffix}" if suffix.isdigit() else ""
    return f"foliot-{name}{port}"
