"""Which cookies are ours, and how they are written."""

from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

_NOTICE_SECONDS = 60


class Cookies(NamedTuple):
    """What a browser sent of ours; the zone is what its clock is set to, as a script of ours says.

    Under TLS the names have the prefix by which a browser keeps other hosts from setting them.
    Without it they have our port: a browser tells servers on one machine apart by that alone.
    """

    is_secure: bool
    suffix: str
    session: str | None
    notices: str | None
    zone: str | None

    def set_session(self, response: Response, value: str) -> None:
        """Keep a session for as long as the browser runs."""
        self._set(response, "session", value, None)

    def set_notices(self, response: Response, value: str) -> None:
        """Keep what the next page is to say, for a minute."""
        self._set(response, "notices", value, _NOTICE_SECONDS)

    def has_session(self, response: Response) -> bool:
        """Tell whether a response sets or forgets a session already."""
        name = _name("session", self.suffix, is_secure=self.is_secure)
        return any(each.startswith(f"{name}=") for each in response.headers.getlist("set-cookie"))

    def forget(self, response: Response, name: str) -> None:
        """Take a cookie away."""
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
    """Return the cookies of a request to this host, which may have a port."""
    suffix = host.rpartition(":")[2]
    jar = request.cookies
    return Cookies(
        is_secure,
        suffix,
        jar.get(_name("session", suffix, is_secure=is_secure)),
        jar.get(_name("notices", suffix, is_secure=is_secure)),
        jar.get("foliot-zone"),
    )


def _name(name: str, suffix: str, *, is_secure: bool) -> str:
    if is_secure:
        return f"__Host-foliot-{name}"
    port = f"-{suffix}" if suffix.isdigit() else ""
    return f"foliot-{name}{port}"
