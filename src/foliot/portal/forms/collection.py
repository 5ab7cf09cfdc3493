"""The form of a collection."""

from foliot.portal.forms.fields import Choice, Field, Kind, Shape

_SLOWEST = "properties.quota.maxRecurrence"

SHAPE = Shape(
    fields=(
        Field("location"),
        Field("tags", Kind.PAIRS),
        Field("properties.sku.name"),
        Field("properties.state"),
        Field("properties.quota.maxJobCount", Kind.INTEGER),
        Field("properties.quota.maxJobOccurrence", Kind.INTEGER),
        Field(f"{_SLOWEST}.frequency"),
        Field(f"{_SLOWEST}.interval", Kind.INTEGER),
    ),
    choices=(Choice(f"{_SLOWEST}.frequency", removes=_SLOWEST),),
)
