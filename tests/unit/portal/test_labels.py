import pytest

from foliot.portal.forms import collection, job
from foliot.portal.forms.labels import full_label_of, label_of


@pytest.mark.parametrize(
    "field", [*job.JOB_FORM.fields, *collection.COLLECTION_FORM.fields], ids=lambda f: f.name
)
def test_every_field_of_a_form_has_a_label(field: job.Field) -> None:
    label = label_of(field.name)

    assert label[:1].isupper()
    assert full_label_of(field.name).endswith(label)


def test_the_label_of_a_field_is_the_title_in_the_table_of_the_wire() -> None:
    assert label_of("properties.action.request.uri") == "Address"
    assert full_label_of("properties.action.errorAction.request.uri") == "Error action: Address"
    assert label_of("properties.quota.maxRecurrence.interval") == "Once every"
