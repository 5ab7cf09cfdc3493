from ipaddress import ip_network
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from foliot.cli import app
from foliot.core.errors import Invalid
from foliot.core.job_defaults import JobDefaults
from foliot.core.limits import Limits
from foliot.core.secret import Secret
from foliot.engine.settings import EngineSettings
from foliot.serve.engine import engine_settings
from foliot.serve.settings import (
    AutoTls,
    NoTls,
    Options,
    PostgresAddress,
    Settings,
    TlsFiles,
    read_settings,
)
from foliot.serve.settings.describe import default_text
from foliot.serve.settings.reference import reference_page
from foliot.serve.settings.setting import Setting, value_of
from foliot.serve.settings.table import TABLE


def settings(options: Options | None = None, **environ: str) -> Settings:
    return read_settings(options or {}, {f"FOLIOT_{name}": text for name, text in environ.items()})


def refusal(options: Options | None = None, **environ: str) -> str:
    with pytest.raises(Invalid) as caught:
        settings(options, **environ)
    return str(caught.value)


def test_nothing_given_is_plain_http_on_loopback_with_data_in_the_working_directory() -> None:
    assert settings() == Settings(
        host="127.0.0.1",
        port=8080,
        data_dir=Path("foliot-data"),
        database=Path("foliot-data/foliot.db"),
        tls=NoTls(),
    )


def test_every_variable_is_read() -> None:
    found = settings(
        HOST="::",
        PORT="0",
        DATA_DIR="/srv/foliot",
        DATABASE="sqlite:////srv/jobs.db",
        TLS="auto",
        PUBLIC_URL="https://jobs.example.com/scheduler/",
        TRUSTED_PROXIES="127.0.0.1, 10.0.0.0/8",
        ADMIN_TOKEN="a-token-of-24-characters",  # noqa: S106  (made up)
        SECRET_KEYS="new,old",  # noqa: S106  (made up)
        LOG_LEVEL="DEBUG",
        LOG_FORMAT="JSON",
        MAX_JOB_BYTES="20000",
        HTTP_TIMEOUT_SECONDS="5",
    )

    assert (found.host, found.port, found.data_dir) == ("::", 0, Path("/srv/foliot"))
    assert (found.database, found.tls) == (Path("/srv/jobs.db"), AutoTls())
    assert found.public_url == "https://jobs.example.com/scheduler"
    assert found.trusted_proxies == (ip_network("127.0.0.1/32"), ip_network("10.0.0.0/8"))
    assert found.admin_token is not None
    assert found.admin_token.reveal() == "a-token-of-24-characters"
    assert found.secret_keys is not None
    assert found.secret_keys.reveal() == "new,old"
    assert found.log_level == "debug"
    assert found.log_format == "json"
    assert found.limits == Limits(max_job_bytes=20_000, http_timeout_seconds=5)


def test_an_option_wins_over_its_variable() -> None:
    assert settings({"port": "1"}, PORT="2").port == 1


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("FOLIOT_DATABSE", "did you mean FOLIOT_DATABASE?"),
        ("FOLIOT_EGRES_DENY", "did you mean FOLIOT_EGRESS_DENY?"),
        ("FOLIOT_MAX_JOBS_BYTES", "did you mean FOLIOT_MAX_JOB_BYTES?"),
        ("FOLIOT_QQQQ", "remove it."),
    ],
)
def test_a_variable_that_nobody_knows_is_refused(name: str, problem: str) -> None:
    with pytest.raises(Invalid) as caught:
        read_settings({}, {name: "secret", "PATH": "/bin"})

    assert str(caught.value) == f"{name}: is not a setting of Foliot; {problem}"


def test_the_variables_of_the_tests_are_nobodys_settings() -> None:
    assert read_settings({}, {"FOLIOT_TEST_STORE": "postgres"}) == read_settings({}, {})


def test_an_empty_variable_is_not_set() -> None:
    assert settings(PORT="", ADMIN_TOKEN="", TLS="") == settings()


def test_how_much_runs_at_a_time_can_be_set() -> None:
    chosen = settings(SLOTS="64", MAX_OPEN_RUNS="2")

    assert (chosen.slots, chosen.max_open_runs) == (64, 2)


def test_what_applies_to_jobs_that_do_not_say_it_can_be_set() -> None:
    chosen = settings({"queue_format": "Envelope"}, IMMEDIATE_DELAY_SECONDS="20")

    assert chosen.job_defaults == JobDefaults(queue_format="envelope", immediate_delay_seconds=20)
    assert settings().job_defaults == JobDefaults(queue_format="text", immediate_delay_seconds=0)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///jobs.db", "jobs.db"),
        ("sqlite:///./a/jobs.db", "a/jobs.db"),
        ("sqlite:////var/jobs.db", "/var/jobs.db"),
    ],
    ids=["relative", "relative with a dot", "absolute"],
)
def test_a_database_is_named_as_sqlalchemy_does(url: str, path: str) -> None:
    assert settings({"database": url}).database == Path(path)


@pytest.mark.parametrize(
    ("text", "tls"),
    [
        ("none", NoTls()),
        ("AUTO", AutoTls()),
        ("/etc/c.pem,/etc/k.pem", TlsFiles(Path("/etc/c.pem"), Path("/etc/k.pem"))),
    ],
    ids=["none", "auto", "files"],
)
def test_tls_is_none_or_made_or_given(text: str, tls: object) -> None:
    assert settings({"tls": text}).tls == tls


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("host", "a b", "an address or a name to listen on"),
        ("port", "65536", "a port from 1 to 65535"),
        ("port", "http", "a port from 1 to 65535"),
        ("port", "-1", "a port from 1 to 65535"),
        ("database", "jobs.db", "sqlite:///relative/path.db"),
        ("database", "sqlite:///:memory:", "sqlite:///relative/path.db"),
        ("database", "sqlite:///jobs.db?mode=ro", "sqlite:///relative/path.db"),
        ("database", "sqlite://", "sqlite:///relative/path.db"),
        ("slots", "7", "a whole number from 8 to 10000"),
        ("slots", "many", "a whole number from 8 to 10000"),
        ("slots_per_host", "0", "a whole number from 1 to 5000"),
        ("claim_batch", "19", "a whole number from 20 to 1000"),
        ("grace", "3601", "a whole number of seconds from 0 to 3600"),
        ("proxy", "proxy.internal", "the address of a proxy"),
        ("login_url", "login.internal", "the address of a token service"),
        ("max_open_runs", "0", "a whole number from 1 to 1000"),
        ("max_connections_per_address", "0", "a whole number from 1 to 100000"),
        ("tls", "cert.pem", "the files CERT,KEY"),
        ("tls", "cert.pem,", "the files CERT,KEY"),
        ("public_url", "jobs.example.com", "such as https://jobs.example.com"),
        ("public_url", "https://h/?q=1", "such as https://jobs.example.com"),
        ("public_url", "https://h:port", "such as https://jobs.example.com"),
        ("public_url", "ftp://h", "such as https://jobs.example.com"),
        ("trusted_proxies", "nginx", "addresses or networks"),
        ("trusted_proxies", "10.0.0.1/8", "addresses or networks"),
        ("log_level", "loud", "one of debug, info, warning, error"),
        ("log_format", "xml", "one of console, json"),
        ("no_auth", "perhaps", "1 or 0"),
        ("max_job_bytes", "0", "a whole number from 1 to 2147483647"),
        ("max_job_bytes", "16k", "a whole number from 1 to 2147483647"),
        ("max_job_bytes", "9" * 30, "a whole number from 1 to 2147483647"),
        ("history_days", "2147483648", "a whole number from 1 to 2147483647"),
    ],
)
def test_a_bad_value_is_named_with_what_would_be_right(
    name: str, value: str, expected: str
) -> None:
    message = refusal(**{name.upper(): value})

    assert message.startswith(f"FOLIOT_{name.upper()}: ")
    assert value in message
    assert expected in message


def test_a_number_with_more_digits_than_python_converts_is_refused() -> None:
    assert "a whole number of seconds from 0 to 3600" in refusal(GRACE="9" * 5000)


def test_a_bad_option_is_named_as_it_was_written() -> None:
    assert refusal({"data_dir": "x", "public_url": "x"}).startswith("--public-url: ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE", "mysql://user:hunter2@host/db"),
        ("DATABASE", "postgresql://user:hunter2@[host/db"),
        ("DATABASE", "host=db user=u password=hunter2 dbname=jobs"),
        ("DATABASE", "password=hunter2 options=-c:x"),
        ("DATABASE", "user/hunter2@host"),
        ("PUBLIC_URL", "https://user:hunter2@host"),
        ("ADMIN_TOKEN", "hunter2 with blanks"),
        ("ADMIN_TOKEN", "hunter2"),
    ],
)
def test_a_password_in_a_bad_value_is_not_shown(name: str, value: str) -> None:
    message = refusal(**{name: value})

    assert name in message
    assert "hunter2" not in message


def test_secrets_are_not_shown_with_the_settings() -> None:
    found = settings(ADMIN_TOKEN="hunter2" * 3, SECRET_KEYS="hunter2")  # noqa: S106  (made up)

    assert "hunter2" not in repr(found)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1", "[::1]", "localhost"])
def test_a_server_without_authentication_may_listen_on_loopback(host: str) -> None:
    assert settings({"no_auth": True, "host": host}).no_auth


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.1.1.1", "example.com"])  # noqa: S104
def test_a_server_without_authentication_may_not_listen_elsewhere(host: str) -> None:
    message = refusal({"host": host}, NO_AUTH="true")

    assert message.startswith("FOLIOT_NO_AUTH: is refused")
    assert host in message


def test_no_auth_can_be_turned_off_by_its_variable() -> None:
    assert not settings(NO_AUTH="0", HOST="0.0.0.0").no_auth  # noqa: S104


def test_accounts_and_namespaces_are_where_an_operator_has_placed_them() -> None:
    found = settings(
        STORAGE_SUFFIX=".Core.ChinaCloudApi.cn",
        STORAGE_ENDPOINTS='{"devstoreaccount1": "http://127.0.0.1:10001/devstoreaccount1"}',
        SERVICEBUS_SUFFIX="servicebus.usgovcloudapi.net",
        SERVICEBUS_ENDPOINTS='{"Local": "amqp://127.0.0.1:5672", "web": "https://[::1]:8443/"}',
    )

    assert found.storage.base_of("acme") == "https://acme.queue.core.chinacloudapi.cn"
    assert found.storage.base_of("DevStoreAccount1") == "http://127.0.0.1:10001/devstoreaccount1"
    assert found.service_bus.base_of("acme") == "https://acme.servicebus.usgovcloudapi.net"
    assert found.service_bus.base_of("local") == "amqp://127.0.0.1:5672"
    assert found.service_bus.base_of("web") == "https://[::1]:8443"


STORAGE_SCHEMES = "give an address that begins with http://, https://."
ENDPOINTS = {
    "no JSON": ("here", "FOLIOT_STORAGE_ENDPOINTS: is not a JSON object"),
    "no object": ("[]", "FOLIOT_STORAGE_ENDPOINTS: is not a JSON object"),
    "no address": (
        '{"a": 1}',
        f"FOLIOT_STORAGE_ENDPOINTS.a: is not an address without a user; {STORAGE_SCHEMES}",
    ),
    "a user": (
        '{"a": "http://ann:hunter2@h"}',
        f"FOLIOT_STORAGE_ENDPOINTS.a: is not an address without a user; {STORAGE_SCHEMES}",
    ),
    "another scheme": (
        '{"a": "amqp://h"}',
        f'FOLIOT_STORAGE_ENDPOINTS.a: "amqp://h" is not valid; {STORAGE_SCHEMES}',
    ),
    "no host": (
        '{"a": "http://"}',
        f'FOLIOT_STORAGE_ENDPOINTS.a: "http://" is not valid; {STORAGE_SCHEMES}',
    ),
    "no port": (
        '{"a": "http://h:x"}',
        f'FOLIOT_STORAGE_ENDPOINTS.a: "http://h:x" is not valid; {STORAGE_SCHEMES}',
    ),
    "a query": (
        '{"a": "http://h/?a=b"}',
        f'FOLIOT_STORAGE_ENDPOINTS.a: "http://h/?a=b" is not valid; {STORAGE_SCHEMES}',
    ),
}


@pytest.mark.parametrize(("text", "message"), ENDPOINTS.values(), ids=ENDPOINTS)
def test_a_bad_endpoint_is_named(text: str, message: str) -> None:
    assert refusal(STORAGE_ENDPOINTS=text).startswith(message)


@pytest.mark.parametrize("suffix", ["localhost", "a b.c", "https://x.y", "x.y/z"])
def test_a_bad_suffix_is_named(suffix: str) -> None:
    message = refusal(SERVICEBUS_SUFFIX=suffix)

    assert message.startswith("FOLIOT_SERVICEBUS_SUFFIX: ")
    assert "a domain such as core.windows.net" in message


def test_a_postgresql_database_is_shown_without_user_and_password() -> None:
    found = settings(DATABASE="postgresql://user:hunter2@host:5433,other/jobs?sslmode=require")

    assert isinstance(found.database, PostgresAddress)
    assert found.database.shown == "postgresql://host:5433,other/jobs"
    assert found.database.url.reveal().endswith("hunter2@host:5433,other/jobs?sslmode=require")
    assert "hunter2" not in repr(found)


def test_a_server_needs_something_to_do() -> None:
    message = refusal({"no_api": True}, NO_ENGINE="1")

    assert message.startswith("--no-api: is refused together with --no-engine")


@pytest.mark.parametrize(
    ("slots", "per_host", "is_accepted"), [("64", "32", True), ("64", "33", False)]
)
def test_a_host_is_never_entitled_to_more_than_half_of_all_slots(
    slots: str, per_host: str, *, is_accepted: bool
) -> None:
    if is_accepted:
        assert settings(SLOTS=slots, SLOTS_PER_HOST=per_host).slots_per_host == 32
    else:
        message = refusal(SLOTS=slots, SLOTS_PER_HOST=per_host)
        assert message.startswith("FOLIOT_SLOTS_PER_HOST: 33 is not valid; give at most 32")


def test_a_mail_server_needs_a_sender_and_a_user_a_password() -> None:
    given = {"SMTP_HOST": "mail.example.com", "SMTP_FROM": "foliot@example.com"}
    whole = settings(**given, SMTP_USER="foliot", SMTP_PASSWORD="hush", SMTP_SECURITY="TLS").smtp  # noqa: S106

    assert (whole.host, whole.sender) == ("mail.example.com", "foliot@example.com")
    assert (whole.user, whole.password, whole.security) == ("foliot", Secret("hush"), "tls")
    assert refusal(SMTP_HOST="mail.example.com").startswith("FOLIOT_SMTP_FROM: is needed")
    assert refusal(**given, SMTP_USER="foliot").startswith("FOLIOT_SMTP_PASSWORD: is needed")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SMTP_PORT", "0"),
        ("SMTP_SECURITY", "ssl"),
        ("SMTP_FROM", "nobody"),
        ("SMTP_HOST", "a b"),
        ("SMTP_USER", "a\nb"),
    ],
)
def test_a_setting_of_mail_that_is_not_valid_is_refused(name: str, value: str) -> None:
    assert refusal(**{name: value}).startswith(f"FOLIOT_{name}: ")


def test_every_field_of_the_settings_has_one_row() -> None:
    fields = [each.field or each.name for each in TABLE]
    parts = {"egress", "smtp", "storage", "service_bus", "job_defaults", "limits"}

    assert len(set(fields)) == len(fields)
    assert {each.partition(".")[0] for each in fields} == set(Settings.__struct_fields__)
    assert {each for each in fields if "." not in each} == set(Settings.__struct_fields__) - parts
    assert {each.removeprefix("limits.") for each in fields if each.startswith("limits.")} == set(
        Limits.__struct_fields__
    )


SPELT_DEFAULTS = [each for each in TABLE if each.default is None and not each.is_flag]


@pytest.mark.parametrize("row", SPELT_DEFAULTS, ids=lambda row: row.name)
def test_a_default_without_words_is_written_as_an_operator_would(row: Setting) -> None:
    assert row.parser.parse(default_text(row)) == value_of(row, Settings())


def test_the_reference_page_is_written_from_the_table() -> None:
    page = Path(__file__).parents[3] / "docs/reference/settings.md"

    assert page.read_text() == reference_page(), "run `make settings-reference`"


def test_the_help_of_serve_names_each_option_with_its_variable() -> None:
    result = CliRunner().invoke(app, ["serve", "--help"], env={"COLUMNS": "250"})

    assert result.exit_code == 0
    for row in TABLE:
        is_listed = f"{row.variable}=1." in result.output or f"{row.variable};" in result.output
        assert is_listed is (row.option is not None)
        assert row.option is None or f"{row.option} " in result.output


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({}, EngineSettings(gather_due=50_000), id="defaults"),
        pytest.param(
            {"SLOTS": "64", "SLOTS_PER_HOST": "8", "CLAIM_BATCH": "100", "GRACE": "5"},
            EngineSettings(
                slots=64, slots_per_host=8, batch=100, grace_seconds=5, gather_due=50_000
            ),
            id="given",
        ),
        pytest.param(
            {"DATABASE": "postgresql://h/d"}, EngineSettings(gather_seconds=0.012), id="PostgreSQL"
        ),
    ],
)
def test_the_engine_works_by_the_settings(given: dict[str, str], expected: EngineSettings) -> None:
    assert engine_settings(settings(**given)) == expected


def test_fewer_slots_for_want_of_descriptors_leave_some_for_other_hosts() -> None:
    lowered = replace(settings(SLOTS_PER_HOST="200"), slots=64)

    assert engine_settings(lowered).slots_per_host == 32
