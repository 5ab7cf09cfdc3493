import pytest

from foliot.api.wire.pfx.certificate import read_certificate
from foliot.core.errors import Invalid
from foliot.core.instant import format_instant
from foliot.core.secret import Secret
from tests.support.certificates import a_pfx

AT = ("authentication", "pfx")


@pytest.mark.parametrize("password", [None, "", "pässword 1"], ids=["none", "empty", "some"])
def test_what_can_be_told_of_a_certificate(password: str | None) -> None:
    pfx = a_pfx("someone", password)
    file, word = Secret(pfx.text), None if password is None else Secret(password)

    found = read_certificate(file, word, AT)

    assert (found.pfx, found.password) == (file, word)
    assert found.thumbprint == pfx.thumbprint
    assert found.subject == "CN=someone, O=Acme"
    assert found.expires_at is not None
    assert format_instant(found.expires_at) == "2026-12-31T23:59:59Z"


def test_base64_may_be_broken_into_lines() -> None:
    pfx = a_pfx()
    lines = "\r\n".join(pfx.text[at : at + 64] for at in range(0, len(pfx.text), 64))

    assert read_certificate(Secret(lines), None, AT).thumbprint == pfx.thumbprint


REFUSED: dict[str, tuple[str, str | None, str]] = {
    "no base64": ("***", None, "is not base64"),
    "not ASCII": ("é", None, "is not base64"),
    "wrong padding": ("AAA", None, "is not base64"),
    "nothing": ("", None, "cannot be opened"),
    "no PFX": ("aGVsbG8=", None, "cannot be opened"),
    "half a file": (a_pfx().text[:400], None, "cannot be opened"),
    "wrong password": (a_pfx("client", "right").text, "0pen", "cannot be opened"),
    "missing password": (a_pfx("client", "right").text, None, "cannot be opened"),
    "no key": (a_pfx(has_key=False).text, None, "holds no certificate with its private key"),
}


@pytest.mark.parametrize(("text", "password", "problem"), REFUSED.values(), ids=REFUSED.keys())
def test_a_file_that_cannot_be_used_is_refused_without_showing_it(
    text: str, password: str | None, problem: str
) -> None:
    word = None if password is None else Secret(password)

    with pytest.raises(Invalid, match=problem) as refusal:
        read_certificate(Secret(text), word, AT)

    assert refusal.value.path == AT
    assert not text or text not in refusal.value.problem
    assert password is None or password not in refusal.value.problem
