"""A request for a page: the visitor, the address, the form, and how to answer."""

import hashlib
from typing import Any, Self
from zoneinfo import ZoneInfo

from msgspec import msgpack, structs
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from foliot.app.use_cases import UseCases
from foliot.core.access import Principal
from foliot.core.errors import Invalid
from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant
from foliot.core.model.token import Role, Scope
from foliot.core.recurrence.zone import find_zone
from foliot.portal.context import PortalContext
from foliot.portal.forms.posted import Form
from foliot.portal.templating import render
from foliot.web.auth.cookies import Cookies
from foliot.web.auth.csrf import form_token
from foliot.web.auth.sessions import Session
from foliot.web.routing import Addressed

SEE_OTHER = 303
_NO_CONTENT = 204
_DIGITS = 9
GOOD, WARN, BAD = "good", "warn", "bad"

# A kind and words; for a link after them its words and its address as well.
Notice = tuple[str, ...]


def fingerprint_of(*facts: object) -> str:
    """Return a hash of these values; a page sends it back to learn whether they changed."""
    return hashlib.blake2b(msgpack.encode(facts), digest_size=9).hexdigest()


class PageRequest(Addressed, frozen=True, kw_only=True):
    """A request of a signed-in visitor, with the methods that answer it."""

    context: PortalContext
    http: Request
    cookies: Cookies
    session: Session
    who: Principal
    now: Instant
    query: Form
    form: Form

    @property
    def use_cases(self) -> UseCases:
        """The use cases of the application."""
        return self.context.use_cases

    def within(self, key: CollectionKey) -> Self:
        """Return the request as if its address named this collection."""
        names = {"subscription": key.subscription, "group": key.group, "collection": key.name}
        return structs.replace(self, names=names)

    @property
    def chosen_scope(self) -> Scope:
        """The collection in the query parameter `of`, or everything."""
        parts = self.query.get("of").lower().split("/")
        names = ("subscription", "group", "collection")
        return (
            Scope(**dict(zip(names, parts, strict=True))) if len(parts) == len(names) else Scope()
        )

    @property
    def chosen_key(self) -> CollectionKey | None:
        """The collection in the query parameter `of`, as it is written there."""
        match self.query.get("of").split("/"):
            case [subscription, group, name] if subscription and group and name:
                return CollectionKey(subscription, group, name)
            case _:
                return None

    @property
    def zone(self) -> ZoneInfo | None:
        """The viewer's time zone, which a script stores in a cookie; None is UTC."""
        try:
            return find_zone(self.cookies.zone) if self.cookies.zone else None
        except Invalid:
            return None

    @property
    def skip(self) -> int:
        """The number of rows to skip, from the query."""
        text = self.query.get("skip")
        return int(text) if text.isascii() and text.isdigit() and len(text) < _DIGITS else 0

    @property
    def is_partial(self) -> bool:
        """Whether htmx requests a part of a page."""
        return self.http.headers.get("hx-request") == "true"

    def render_page(self, template: str, *, http_status: int = 200, **values: Any) -> Response:
        """Render a whole page, with the notices of the redirect that led to it."""
        notices: list[Notice] = [
            *self.context.sessions.read_notices(self.cookies),
            *values.pop("notices", ()),
        ]
        response = self.render_part(template, http_status=http_status, notices=notices, **values)
        if self.cookies.notices:
            self.cookies.forget(response, "notices")
        return response

    def render_part(self, template: str, *, http_status: int = 200, **values: Any) -> Response:
        """Render a part of a page."""
        return HTMLResponse(render(template, **self._common_values(), **values), http_status)

    def render_part_if_changed(self, template: str, fingerprint: str, **values: Any) -> Response:
        """Render a part of a page, or 204 No Content if the page shows it already."""
        if self.query.get("seen") == fingerprint:
            return Response(status_code=_NO_CONTENT)
        return self.render_part(template, fingerprint=fingerprint, **values)

    def redirect(self, path: str, *notices: Notice) -> Response:
        """Redirect to a page that shows these notices."""
        response = RedirectResponse(path, SEE_OTHER)
        if notices:
            value = self.context.sessions.seal_notices(list(notices))
            self.cookies.set_notices(response, value)
        return response

    def _common_values(self) -> dict[str, Any]:
        """Return the values that every template may use."""
        return {
            "visitor": self.who.name,
            "role": self.who.role.value,
            "may_change": self.who.role is not Role.READER,
            "is_owner": self.who.role is Role.OWNER,
            "needs_token": self.context.authenticator is not None,
            "csrf": form_token(self.session),
            "now": self.now,
            "path": self.http.url.path,
        }
