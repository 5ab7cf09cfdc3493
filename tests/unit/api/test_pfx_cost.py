from base64 import b64decode
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.api.wire.pfx import open_pfx
from foliot.api.wire.pfx.cost import Unfit, check_cost
from tests.support.certificates import a_pfx

DATA = bytes.fromhex("06092a864886f70d010701")
PBKDF2 = bytes.fromhex("06092a864886f70d01050c")
PBE_3DES = bytes.fromhex("060a2a864886f70d010c0103")
SCRYPT = bytes.fromhex("06092b06010401da47040b")
KEY_BAG = bytes.fromhex("060b2a864886f70d010c0a0102")
CERTIFICATE_BAG = bytes.fromhex("060b2a864886f70d010c0a0103")
GOOD = b64decode(a_pfx("client", "word").text)


def der(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    return bytes([tag, 0x84]) + len(content).to_bytes(4) + content


def endless(tag: int, *parts: bytes) -> bytes:
    return bytes([tag, 0x80]) + b"".join(parts) + b"\0\0"


def number(value: int) -> bytes:
    return der(2, value.to_bytes(8))


def sequence(*parts: bytes) -> bytes:
    return der(0x30, *parts)


def derivation(oid: bytes, rounds: int) -> bytes:
    return sequence(oid, sequence(der(4, b"salt"), number(rounds)))


def pfx(*bags: bytes, mac: int = 1) -> bytes:
    safe = der(4, sequence(sequence(DATA, der(0xA0, der(4, sequence(*bags))))))
    digest = sequence(sequence(DATA), der(4, b"digest"))
    return sequence(
        number(3),
        sequence(DATA, der(0xA0, safe)),
        sequence(digest, der(4, b"salt"), number(mac)),
    )


COSTLY: dict[str, tuple[bytes, str]] = {
    "MAC": (pfx(mac=20_000_000), "20000000 rounds"),
    "PBKDF2": (pfx(derivation(PBKDF2, 3_000_000)), "3000001 rounds"),
    "PBES1": (pfx(derivation(PBE_3DES, 1_000_000)), "1000001 rounds"),
    "many small ones": (pfx(*[derivation(PBE_3DES, 100_000)] * 11), "1100001 rounds"),
    "a number of many digits": (pfx(derivation(PBKDF2, 2**63)), "rounds"),
    "length not told": (pfx(endless(0x30, derivation(PBKDF2, 2_000_000))), "2000001 rounds"),
    "octets in pieces": (
        pfx(
            endless(
                0x24,
                der(4, derivation(PBKDF2, 2_000_000)[:9]),
                der(4, derivation(PBKDF2, 2_000_000)[9:]),
            )
        ),
        "2000001 rounds",
    ),
    "scrypt": (pfx(derivation(SCRYPT, 1)), "scrypt"),
    "a large key": (pfx(sequence(KEY_BAG, der(0xA0, b"\5\0" * 2000))), "more than 4096 bits"),
    "many certificates": (
        pfx(*[sequence(CERTIFICATE_BAG, der(0xA0))] * 11),
        "11 certificates; give at most 10",
    ),
    "large": (b"0" * 70_000, "70000 bytes"),
    "deep": (b"0\x80" * 100, "nested too deeply"),
    "a long tag": (b"\x1f\x81", "cannot be opened"),
    "cut off": (GOOD[:100], "cannot be opened"),
    "nothing": (b"", "cannot be opened"),
}


@pytest.mark.parametrize(("file", "problem"), COSTLY.values(), ids=COSTLY)
def test_a_file_that_costs_too_much_is_refused_before_a_key_is_derived(
    file: bytes, problem: str
) -> None:
    with pytest.raises(Unfit, match=problem):
        check_cost(file)


@pytest.mark.parametrize(
    "file",
    [
        GOOD,
        pfx(derivation(PBKDF2, 900_000)),
        pfx(sequence(DATA, der(4, b"0\x03\xff\xff\xff"))),
        pfx(sequence(DATA, der(4, sequence(derivation(PBKDF2, 1), b"\x1f")))),
    ],
    ids=["real", "made", "encrypted text like a sequence", "encrypted text that ends unlike one"],
)
def test_a_file_within_the_limits_is_let_through(file: bytes) -> None:
    check_cost(file)


@given(file=st.binary(max_size=400))
def test_no_bytes_lead_to_anything_but_a_refusal(file: bytes) -> None:
    with suppress(Unfit):
        check_cost(file)


@given(at=st.integers(0, len(GOOD) - 1), byte=st.integers(0, 255), end=st.integers(0, len(GOOD)))
def test_no_changed_or_cut_file_leads_to_anything_but_a_refusal(
    at: int, byte: int, end: int
) -> None:
    changed = bytearray(GOOD)
    changed[at] = byte
    with suppress(Unfit):
        check_cost(bytes(changed[:end]))


def test_a_file_that_takes_longer_than_it_may_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_pfx, "_TIMEOUT_SECONDS", 0.001)

    with pytest.raises(Unfit, match="takes too long to open"):
        open_pfx.open_in_subprocess(GOOD, "word")
