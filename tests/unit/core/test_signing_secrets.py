"""Which secrets can sign webhooks."""

from base64 import b64encode

import pytest

from foliot.core.errors import Invalid
from foliot.core.rules.signing_secrets import signing_keys
from foliot.core.secret import Secret


def secret_of(size: int) -> str:
    return f"whsec_{b64encode(b'k' * size).decode()}"


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        (secret_of(24), [24]),
        (secret_of(64), [64]),
        (f"  {secret_of(24)}  {secret_of(32)} ", [24, 32]),
        (" ".join([secret_of(32)] * 5), [32] * 5),
    ],
    ids=["shortest", "longest", "two during a rotation", "as many as possible"],
)
def test_each_secret_is_a_key(text: str, sizes: list[int]) -> None:
    assert [len(key) for key in signing_keys(Secret(text))] == sizes


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(" ", id="blank"),
        pytest.param("pa55", id="a password"),
        pytest.param(secret_of(23), id="short"),
        pytest.param(secret_of(65), id="long"),
        pytest.param(secret_of(24).removeprefix("whsec_"), id="without its prefix"),
        pytest.param(secret_of(24).upper(), id="another letter case"),
        pytest.param(secret_of(24) + "!", id="no base64"),
        pytest.param("whsk_" + b64encode(b"k" * 32).decode(), id="an asymmetric key"),
        pytest.param(" ".join([secret_of(32)] * 6), id="too many"),
        pytest.param(f"{secret_of(24)},{secret_of(24)}", id="separated by commas"),
    ],
)
def test_what_cannot_sign_is_refused_without_its_value(text: str) -> None:
    with pytest.raises(Invalid) as refusal:
        signing_keys(Secret(text))

    assert not any(each in refusal.value.problem for each in text.split())
