from pathlib import Path

import pytest

from foliot.client.connection import ServerAddress, parse_url
from foliot.client.errors import NoServer
from foliot.client.find_server import (
    Profile,
    ServerOptions,
    find_server,
    parse_profile,
    profile_text,
)
from foliot.client.paths import collection_path, job_path, key_in, key_text, parse_key
from foliot.core.errors import Invalid
from foliot.core.ids import CollectionKey
from foliot.core.secret import Secret

PROFILE = Profile(ServerAddress("https://saved:8080", Secret("saved-token"), "/ca.pem"), "s/g/c")


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def local(address: str = "http://127.0.0.1:9090\n") -> None:
    data = Path("foliot-data")
    data.mkdir()
    (data / "admin-token").write_text("local-token\n")
    (data / "address").write_text(address)


def test_without_anything_the_refusal_says_what_to_do() -> None:
    with pytest.raises(NoServer, match="give --server URL, set FOLIOT_SERVER"):
        find_server(ServerOptions(), {}, None)


def test_an_option_wins_over_the_environment_and_that_over_the_profile() -> None:
    local()
    environ = {"FOLIOT_SERVER": "https://environ", "FOLIOT_TOKEN": "environ-token"}

    option = find_server(ServerOptions("https://option", "t", "/o.pem"), environ, PROFILE)
    variable = find_server(ServerOptions(), environ, PROFILE)
    saved = find_server(ServerOptions(), {}, PROFILE)

    assert option == ServerAddress("https://option", Secret("t"), "/o.pem")
    assert variable == ServerAddress("https://environ", Secret("environ-token"), None)
    assert saved == PROFILE.server


def test_a_token_of_the_data_directory_is_known_as_such() -> None:
    local()

    assert find_server(ServerOptions(), {}, None).has_own_token
    assert not find_server(ServerOptions(None, "t"), {}, None).has_own_token
    assert not find_server(ServerOptions(), {"FOLIOT_ADMIN_TOKEN": "t"}, None).has_own_token
    assert not find_server(ServerOptions(), {}, PROFILE).has_own_token


def test_a_saved_token_goes_to_its_own_server_alone() -> None:
    local()

    other = find_server(ServerOptions("https://elsewhere"), {}, PROFILE)
    same = find_server(ServerOptions("https://saved:8080/"), {}, PROFILE)
    here = find_server(ServerOptions("http://127.0.0.1:9090"), {}, PROFILE)

    assert other.token is None
    assert same == PROFILE.server
    assert here.token == Secret("local-token")


def test_the_server_of_this_directory_is_found_by_its_files() -> None:
    local(address="https://127.0.0.1:9090\n/data/tls/ca.pem\n")

    assert find_server(ServerOptions(), {}, None) == ServerAddress(
        "https://127.0.0.1:9090", Secret("local-token"), "/data/tls/ca.pem", has_own_token=True
    )


def test_the_token_of_a_server_that_does_not_run_is_sent_to_nobody() -> None:
    local()
    Path("foliot-data/address").unlink()

    with pytest.raises(
        NoServer, match="no server runs in foliot-data: start it with `foliot serve"
    ):
        find_server(ServerOptions(), {"FOLIOT_ADMIN_TOKEN": "set-token"}, None)

    named = find_server(ServerOptions("http://127.0.0.1:8080"), {}, None)
    assert named == ServerAddress("http://127.0.0.1:8080")


def test_files_of_another_user_are_told_unless_a_server_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    local()

    def deny(path: Path, *_: object) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    # Root, as whom tests may run, reads everything.
    monkeypatch.setattr(Path, "read_text", deny)

    with pytest.raises(NoServer, match="foliot-data/address cannot be read: permission denied"):
        find_server(ServerOptions(), {}, None)
    assert find_server(ServerOptions("http://127.0.0.1:9090"), {}, None).token is None


def test_a_server_of_this_machine_may_listen_on_any_of_its_addresses() -> None:
    local(address="http://localhost:1\n")

    assert find_server(ServerOptions(), {}, None).url == "http://localhost:1"


@pytest.mark.parametrize(
    "address",
    ["nonsense://", "https://192.0.2.1", "https://[2001:db8::1]", "https://elsewhere.example"],
)
def test_an_address_file_that_does_not_name_this_machine_is_passed_over(address: str) -> None:
    local(address=f"{address}\n")

    with pytest.raises(NoServer):
        find_server(ServerOptions(), {}, None)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://host", "https://host"),
        ("http://host:8080/", "http://host:8080"),
        ("host:8080", "https://host:8080"),
        ("https://[::1]:8080", "https://[::1]:8080"),
    ],
)
def test_the_url_of_a_server_is_read(text: str, url: str) -> None:
    assert parse_url(text) == url


@pytest.mark.parametrize(
    "text",
    ["", "ftp://host", "https://host/path", "https://me:pw@host", "https://host:x", "http://"],
)
def test_a_url_that_no_server_has_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="give a URL such as https://host:8080"):
        parse_url(text)


def test_a_profile_is_read_as_it_was_written() -> None:
    assert parse_profile(profile_text(PROFILE).encode()) == PROFILE
    assert "saved-token" not in repr(PROFILE)


def test_a_profile_without_a_server_is_refused() -> None:
    with pytest.raises(Invalid, match="names no server"):
        parse_profile(b"[]")


def test_names_become_paths_and_paths_names() -> None:
    key = CollectionKey("me", "home (1)", "first")

    assert collection_path(key).endswith(
        "/me/resourceGroups/home%20(1)/providers/Microsoft.Scheduler/jobCollections/first"
    )
    assert key_in(job_path(key, "a%b?")) == key
    assert job_path(key, "a%b?").endswith("/jobs/a%25b%3F")
    assert parse_key(key_text(key)) == key


@pytest.mark.parametrize("text", ["", "a", "a/b", "a//b", "a/b/c/d"])
def test_a_collection_has_three_names(text: str) -> None:
    with pytest.raises(Invalid, match="give SUBSCRIPTION/GROUP/NAME"):
        parse_key(text)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "\udcff"])
def test_a_name_that_no_path_can_hold_is_refused(name: str) -> None:
    with pytest.raises(Invalid, match="is not a name"):
        job_path(CollectionKey("s", "g", "c"), name)
