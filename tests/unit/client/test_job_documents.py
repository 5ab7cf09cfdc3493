"""Documents of jobs: what each may say, and how several about one collection are joined."""

import pytest

from foliot.client.job_documents import DeclaredCollection, TextOfFile, read_collections
from foliot.core.errors import Invalid

HEAD = "collection: {subscription: s, group: g, name: c"


def read(*texts: str) -> list[DeclaredCollection]:
    files = [TextOfFile(f"{index}.yaml", text.encode()) for index, text in enumerate(texts)]
    return read_collections(files)


def test_documents_about_one_collection_are_joined_whatever_its_letter_case() -> None:
    first = f"{HEAD}, tags: {{a: b}}}}\njobs: {{x: {{}}}}"
    second = "collection: {subscription: S, group: g, name: C, tags: {a: b}}\njobs: {y: {}}"
    other = "{'collection': {'subscription': 's', 'group': 'g', 'name': 'd'}}".replace("'", '"')

    joined, alone = read(f"{first}\n---\n{second}", f"[{other}]")

    assert joined.jobs is not None
    assert {name: each.origin for name, each in joined.jobs.items()} == {
        "x": "0.yaml, document 1",
        "y": "0.yaml, document 2",
    }
    assert joined.attributes == {"tags": {"a": "b"}}
    assert (alone.key.name, alone.jobs, alone.calendars) == ("d", None, None)


def test_a_job_is_given_as_the_api_answers_it_or_by_its_properties_alone() -> None:
    answered = "{id: /x, name: c/j, type: t, properties: {action: {type: Http}}}"

    (found,) = read(f"{HEAD}}}\njobs: {{j: {answered}, k: {{action: {{type: Http}}}}}}")

    assert found.jobs is not None
    assert found.jobs["j"].properties == found.jobs["k"].properties == {"action": {"type": "Http"}}


def test_an_empty_section_is_managed_and_a_missing_one_is_not() -> None:
    (found,) = read(f"{HEAD}}}\njobs:\n")

    assert (found.jobs, found.calendars) == ({}, None)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("- a", "0.yaml: is not valid; give a document", id="a list"),
        pytest.param("collection: 5", "collection: is not valid; give an object", id="a number"),
        pytest.param("collection: {group: g}", "collection.subscription: is missing", id="no key"),
        pytest.param(
            "collection: {subscription: s, group: g, name: a/b}",
            'collection.name: "a/b" is not valid; give a name',
            id="a slash",
        ),
        pytest.param(f"{HEAD}, colour: red}}", 'collection: has the name "colour"', id="unknown"),
        pytest.param(
            f"{HEAD}}}\njobs: {{a: s3cret}}", "jobs.a: is not valid; give an", id="a text"
        ),
        pytest.param(
            f"{HEAD}}}\njobs: {{a: {{action: {{}}, properties: {{}}}}}}",
            "jobs.a.properties: is one level too many beside action; write what it holds directly",
            id="two levels",
        ),
        pytest.param(f"{HEAD}}}\njobs: {{a: }}", "jobs.a: is missing; give an object", id="null"),
        pytest.param(
            f"{HEAD}, tags: {{a: b}}}}\n---\n{HEAD}, tags: {{}}}}",
            "0.yaml, document 2: collection.tags: differs from that in 0.yaml, document 1",
            id="two sets of tags",
        ),
    ],
)
def test_a_wrong_document_is_refused_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(Invalid) as refused:
        read(text)

    assert problem in str(refused.value)
    assert "s3cret" not in str(refused.value)
