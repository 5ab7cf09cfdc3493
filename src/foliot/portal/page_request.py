"""One visit to a page: who comes, what they ask for, how they are answered."""

import hashlib
from typing import Any

from msgspec import msgpack
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from foliot.app.use_cases import UseCases
from foliot.core.access import Principal
from foliot.core.instant import Instant
from foliot.core.model.token import Role, Scope
from foliot.portal.context import Desk
from foliot.portal.forms.posted import Form
from foliot.portal.templating import render
from foliot.web.auth.cookies import Cookies
from foliot.web.auth.csrf import form_token
from foliot.web.auth.sessions import Session
from foliot.web.routing import Addressed

SEE_OTHER = 303
_NO_CONTENT = 204
_DIGITS = 9
GOOD, BAD = "good", "bad"

Notice = tuple[str, str]


def mark_of(*facts: object) -> str:
    """Return a short text that is another one as soon as one of these facts is."""
    return hashlib.blake2b(msgpack.encode(facts), digest_size=9).hexdigest()


class Visit(Addressed, frozen=True, kw_only=True):
    """What a page is given."""

    desk: Desk
    request: Request
    cookies: Cookies
    session: Session
    who: Principal
    name: str
    now: Instant
    query: Form
    form: Form

    @property
    def use_cases(self) -> UseCases:
        """What the visitor can do."""
        return self.desk.use_cases

    @property
    def within(self) -> Scope:
        """The collection that `of` asks for, or everything."""
        parts = self.query.get("of").lower().split("/")
        names = ("subscription", "group", "collection")
        return (
            Scope(**dict(zip(names, parts, strict=True))) if len(parts) == len(names) else Scope()
        )

    @property
    def skip(self) -> int:
        """How many rows before the asked part of a list are passed over."""
        text = self.query.get("skip")
        return int(text) if text.isascii() and text.isdigit() and len(text) < _DIGITS else 0

    @property
    def is_partial(self) -> bool:
        """Whether a script asks for a part of a page."""
        return self.request.headers.get("hx-request") == "true"

    def page(self, template: str, *, http_status: int = 200, **values: Any) -> Response:
        """Answer with a whole page, and with what the last one left to say."""
        notices: list[Notice] = [
            *self.desk.sessions.read_notices(self.cookies),
            *values.pop("notices", ()),
        ]
        response = self.part(template, http_status=http_status, notices=notices, **values)
        if self.cookies.notices:
            self.cookies.forget(response, "notices")
        return response

    def part(self, template: str, *, http_status: int = 200, **values: Any) -> Response:
        """Answer with a part of a page."""
        return HTMLResponse(render(template, **self._common(), **values), http_status)

    def part_if_new(self, template: str, mark: str, **values: Any) -> Response:
        """Answer with a part of a page, or with nothing if the page has it as it is."""
        if self.query.get("seen") == mark:
            return Response(status_code=_NO_CONTENT)
        return self.part(template, mark=mark, **values)

    def go(self, path: str, *notices: Notice) -> Response:
        """Send the visitor on, with something for the next page to say."""
        response = RedirectResponse(path, SEE_OTHER)
        if notices:
            value = self.desk.sessions.seal_notices(list(notices))
            self.cookies.set_notices(response, value)
        return response

    def _common(self) -> dict[str, Any]:
        """Return what every template may use."""
        return {
            "visitor": self.name,
            "role": self.who.role.value,
            "may_change": self.who.role is not Role.READER,
            "is_owner": self.who.role is Role.OWNER,
            "needs_token": self.desk.authenticator is not None,
            "csrf": form_token(self.session),
            "now": self.now,
            "path": self.request.url.path,
        }
