import base64
import re
import stat
from pathlib import Path

import pytest

from foliot.store.errors import InvalidKeys, StoreError, WrongKey
from foliot.store.sealing.keyring import CannotOpen, Keyring, load_keyring

OLD, NEW = b"o" * 32, b"n" * 32
PLACE = b"job 1 a"


def text_of(*keys: bytes) -> str:
    return ",".join(base64.b64encode(key).decode() for key in keys)


def test_a_sealed_value_opens_in_its_place() -> None:
    keyring = Keyring([NEW])

    sealed = keyring.seal(b"value", PLACE)

    assert keyring.open(sealed, PLACE) == b"value"
    assert b"value" not in sealed


def test_the_same_value_is_sealed_differently_each_time() -> None:
    keyring = Keyring([NEW])

    assert keyring.seal(b"value", PLACE) != keyring.seal(b"value", PLACE)


def test_a_sealed_value_does_not_open_in_another_place() -> None:
    keyring = Keyring([NEW])
    sealed = keyring.seal(b"value", PLACE)

    with pytest.raises(CannotOpen, match="damaged"):
        keyring.open(sealed, b"job 2 a")


def test_a_value_opens_with_an_older_key_and_is_sealed_with_the_newest() -> None:
    both = Keyring([NEW, OLD])

    assert both.open(Keyring([OLD]).seal(b"value", PLACE), PLACE) == b"value"
    assert Keyring([NEW]).open(both.seal(b"value", PLACE), PLACE) == b"value"


def test_a_value_of_an_unknown_key_says_so() -> None:
    sealed = Keyring([OLD]).seal(b"value", PLACE)

    with pytest.raises(CannotOpen, match="a key that is not among those given"):
        Keyring([NEW]).open(sealed, PLACE)


def test_a_value_with_any_byte_changed_does_not_open() -> None:
    keyring = Keyring([NEW])
    sealed = keyring.seal(b"value", PLACE)

    for index in range(len(sealed)):
        changed = bytearray(sealed)
        changed[index] ^= 1
        with pytest.raises(CannotOpen):
            keyring.open(bytes(changed), PLACE)


@pytest.mark.parametrize("length", [0, 5, 9, 12, 21, 30])
def test_a_value_that_was_cut_off_is_damaged(length: int) -> None:
    keyring = Keyring([NEW])
    sealed = keyring.seal(b"value", PLACE)

    with pytest.raises(CannotOpen, match="damaged"):
        keyring.open(sealed[:length], PLACE)


def test_keys_come_from_the_environment_the_newest_first(tmp_path: Path) -> None:
    keyring = load_keyring(
        tmp_path, from_environment=f" {text_of(NEW, OLD)}\n", database_exists=True
    )

    assert keyring.header == Keyring([NEW]).header
    assert keyring.has_older_keys
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("§§", "entry 1 of 1 is not base64", id="not base64"),
        pytest.param("a*b=", "entry 1 of 1 is not base64", id="a foreign character"),
        pytest.param("c2hvcnQ", "entry 1 of 1 is not base64", id="no padding"),
        pytest.param("c2hvcnQ=", "entry 1 of 1 has 5 bytes", id="short"),
        pytest.param(text_of(NEW, NEW + b"n"), "entry 2 of 2 has 33 bytes", id="long"),
        pytest.param(text_of(NEW) + ",", "entry 2 of 2 has 0 bytes", id="a comma too many"),
    ],
)
def test_a_key_that_is_none_is_refused_without_being_shown(
    tmp_path: Path, text: str, message: str
) -> None:
    expected = f"FOLIOT_SECRET_KEYS: {message}; give 32 random bytes in base64"

    with pytest.raises(InvalidKeys, match=f"^{re.escape(expected)}") as refusal:
        load_keyring(tmp_path, from_environment=text, database_exists=False)

    assert not [entry for entry in text.split(",") if entry and entry in str(refusal.value)]


@pytest.mark.parametrize("nothing", [None, "", "  "], ids=repr)
def test_a_new_database_gets_a_key_file_of_its_own(tmp_path: Path, nothing: str | None) -> None:
    folder = tmp_path / "new" / "data"

    made = load_keyring(folder, from_environment=nothing, database_exists=False)
    again = load_keyring(folder, from_environment=nothing, database_exists=True)

    (path,) = folder.iterdir()
    assert path.name == "secret-key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert again.open(made.seal(b"value", PLACE), PLACE) == b"value"


def test_each_new_database_gets_another_key(tmp_path: Path) -> None:
    headers = {
        load_keyring(tmp_path / name, from_environment=None, database_exists=False).header
        for name in ("one", "two")
    }

    assert len(headers) == 2


def test_no_key_is_made_for_a_database_that_exists(tmp_path: Path) -> None:
    with pytest.raises(WrongKey, match=r"secret-key does not exist .* Restore the file"):
        load_keyring(tmp_path, from_environment=None, database_exists=True)

    assert list(tmp_path.iterdir()) == []


def test_a_damaged_key_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "secret-key"
    path.write_bytes(b"\xff\xfe")

    with pytest.raises(InvalidKeys, match=f"^{re.escape(str(path))}: entry 1 of 1 is not base64"):
        load_keyring(tmp_path, from_environment=None, database_exists=True)


def test_a_data_directory_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()

    with pytest.raises(StoreError, match=r"secret-key cannot be used: "):
        load_keyring(file / "data", from_environment=None, database_exists=False)


def test_the_key_of_whoever_was_first_is_used_when_two_start_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    winner = load_keyring(tmp_path, from_environment=None, database_exists=False)
    monkeypatch.setattr(Path, "exists", lambda _: False)

    loser = load_keyring(tmp_path, from_environment=None, database_exists=False)

    assert loser.header == winner.header
    assert [each.name for each in tmp_path.iterdir()] == ["secret-key"]
