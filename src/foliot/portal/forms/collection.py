"""The fields of the collection form."""

from foliot.portal.forms.fields import Choice, Field, FormSchema, Kind

_MAX_RECURRENCE = "properties.quota.maxRecurrence"

COLLECTION_FORM = FormSchema(
    fields=(
        Field("location"),
        Field("tags", Kind.PAIRS),
        Field("properties.sku.name"),
        Field("properties.state"),
        Field("properties.quota.maxJobCount", Kind.INTEGER),
        Field("properties.quota.maxJobOccurrence", Kind.INTEGER),
        Field(f"{_MAX_RECURRENCE}.frequency"),
        Field(f"{_MAX_RECURRENCE}.interval", Kind.INTEGER),
    ),
    choices=(Choice(f"{_MAX_RECURRENCE}.frequency", removes=_MAX_RECURRENCE),),
)
