"""One visit to a page: who comes, what they ask for, how they are answered."""

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import msgpack
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from foliot.app.use_cases import UseCases
from foliot.core.access import Principal
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.token import Role, Scope
from foliot.portal.context import PortalContext
from foliot.portal.forms.posted import Form
from foliot.portal.templating import render
from foliot.web.auth.cookies import Cookies
from foliot.web.auth.sessions import Session, form_token

SEE_OTHER = 303
_NO_CONTENT = 204
_DIGITS = 9
GOOD, BAD = "good", "bad"

Notice = tuple[str, str]


def fingerprint_of(*facts: object) -> str:
    """Return a short text that is another one as soon as one of these facts is."""
    return hashlib.blake2b(msgpack.encode(facts), digest_size=9).hexdigest()


class PageRequest(NamedTuple):
    """What a page is given."""

    context: PortalContext
    http: Request
    cookies: Cookies
    session: Session
    who: Principal
    name: str
    now: Instant
    names: Mapping[str, str]
    query: Form
    form: Form

    @property
    def use_cases(self) -> UseCases:
        """What the visitor can do."""
        return self.context.use_cases

    @property
    def key(self) -> CollectionKey:
        """The collection that the address names."""
        return CollectionKey(
            self.names["subscription"], self.names["group"], self.names["collection"]
        )

    @property
    def job(self) -> str:
        """The job that the address names."""
        return self.names["job"]

    @property
    def chosen_scope(self) -> Scope:
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
        return self.http.headers.get("hx-request") == "true"

    def render_page(self, template: str, *, http_status: int = 200, **values: Any) -> Response:
        """Answer with a whole page, and with what the last one left to say."""
        notices: list[Notice] = [
            *self.context.sessions.read_notices(self.cookies),
            *values.pop("notices", ()),
        ]
        response = self.render_part(template, http_status=http_status, notices=notices, **values)
        if self.cookies.notices:
            self.cookies.forget(response, "notices")
        return response

    def render_part(self, template: str, *, http_status: int = 200, **values: Any) -> Response:
        """Answer with a part of a page."""
        return HTMLResponse(render(template, **self._common(), **values), http_status)

    def render_part_if_changed(self, template: str, fingerprint: str, **values: Any) -> Response:
        """Answer with a part of a page, or with nothing if the page has it as it is."""
        if self.query.get("seen") == fingerprint:
            return Response(status_code=_NO_CONTENT)
        return self.render_part(template, fingerprint=fingerprint, **values)

    def redirect(self, path: str, *notices: Notice) -> Response:
        """Send the visitor on, with something for the next page to say."""
        response = RedirectResponse(path, SEE_OTHER)
        if notices:
            value = self.context.sessions.seal_notices(list(notices))
            self.cookies.set_notices(response, value)
        return response

    def _common(self) -> dict[str, Any]:
        """Return what every template may use."""
        return {
            "visitor": self.name,
            "role": self.who.role.value,
            "may_change": self.who.role is not Role.READER,
            "is_owner": self.who.role is Role.OWNER,
            "needs_token": self.context.gate is not None,
            "csrf": form_token(self.session),
            "now": self.now,
            "path": self.http.url.path,
        }
