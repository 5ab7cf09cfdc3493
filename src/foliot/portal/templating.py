"""Renders the Jinja templates: all values are escaped, an undefined name is an error."""

from typing import Any, cast

from jinja2 import Environment, PackageLoader, StrictUndefined

from foliot.core.plurals import how_many
from foliot.portal import formatting, urls
from foliot.portal.assets import asset_address
from foliot.portal.charts import lanes, svg
from foliot.portal.collection_names import collection_state
from foliot.portal.reason_first import reason_first
from foliot.portal.run_rows import TRIGGER_WORDS, reason_words
from foliot.portal.visible_text import visible

_ENVIRONMENT = Environment(
    loader=PackageLoader("foliot.portal", "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
# Jinja types both by its own entries only.
_GLOBALS = cast("dict[str, Any]", _ENVIRONMENT.globals)
_GLOBALS.update(
    asset=asset_address,
    urls=urls,
    svg=svg,
    lanes_svg=lanes,
    reason_words=reason_words,
    trigger_words=TRIGGER_WORDS,
    tabs=urls.TABS,
    collection_tabs=urls.COLLECTION_TABS,
)
_FILTERS = cast("dict[str, Any]", _ENVIRONMENT.filters)
_FILTERS.update(
    when=formatting.when,
    relative=formatting.relative,
    upcoming=formatting.upcoming,
    visible=visible,
    span=formatting.span,
    number=formatting.number,
    how_many=how_many,
    plain_times=formatting.plain_times,
    collection_state=collection_state,
    local_times=formatting.local_times,
    reason_first=reason_first,
)


def render(template: str, **values: Any) -> str:
    """Render a template."""
    return _ENVIRONMENT.get_template(template).render(**values)
