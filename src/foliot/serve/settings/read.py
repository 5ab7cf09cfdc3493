"""Reads the settings from options and environment variables.

The option wins over its variable. An empty variable is not set. A variable that begins with FOLIOT_
and is no setting is refused: a misspelt one would go unnoticed.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches

from msgspec import structs

from foliot.core.errors import Invalid, wrong
from foliot.core.networks import is_loopback
from foliot.serve.settings.parsers import parse_value
from foliot.serve.settings.setting import PREFIX, Setting, with_value
from foliot.serve.settings.table import TABLE
from foliot.serve.settings.values import Settings

_PREFIX_OF_TESTS = "FOLIOT_TEST_"
# Those that commands read which talk to a server: a person may have them set where a server starts.
VARIABLES_OF_COMMANDS = frozenset(
    ("FOLIOT_SERVER", "FOLIOT_TOKEN", "FOLIOT_CA", "FOLIOT_COLLECTION", "FOLIOT_JOB_PASSWORD")
)
DATABASE_FILE = "foliot.db"

Options = Mapping[str, str | bool | None]


def read_settings(options: Options, environ: Mapping[str, str]) -> Settings:
    """Read all settings; a refused value is Invalid, named as the operator wrote it."""
    sources = {each.name: _source(each, options) for each in TABLE}
    given = {
        each.name: value
        for each in TABLE
        if (value := options.get(each.name) or environ.get(each.variable))
    }
    settings = Settings()
    for setting in TABLE:
        if setting.name in given:
            # A flag is True as an option, and text as a variable.
            text = str(given[setting.name])
            value = parse_value(setting.parser, text, sources[setting.name])
            settings = with_value(setting, settings, value)
    if "database" not in given:
        settings = structs.replace(settings, database=settings.data_dir / DATABASE_FILE)
    _refuse_unknown(environ)
    for check in _CHECKS:
        check(settings, sources)
    return settings


def _source(setting: Setting, options: Options) -> str:
    """Return the name under which the operator has given a value, if any."""
    return (options.get(setting.name) and setting.option) or setting.variable


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    known = {each.variable for each in TABLE}
    ours = {name for name in environ if name.startswith(PREFIX)} - VARIABLES_OF_COMMANDS
    for name in sorted(ours - known):
        if not name.startswith(_PREFIX_OF_TESTS):
            words = sorted(each.removeprefix(PREFIX) for each in known)
            near = get_close_matches(name.removeprefix(PREFIX), words, 1)
            hint = f"did you mean {PREFIX}{near[0]}?" if near else "remove it."
            raise Invalid((name,), f"is not a setting of Foliot; {hint}")


_Sources = Mapping[str, str]


def _check_access(settings: Settings, sources: _Sources) -> None:
    if settings.no_auth and not is_loopback(settings.host):
        raise Invalid(
            (sources["no_auth"],),
            f"is refused with the host {settings.host}: anyone could call. "
            "Listen on 127.0.0.1, or leave it out and use tokens.",
        )


def _check_parts(settings: Settings, sources: _Sources) -> None:
    if settings.no_api and settings.no_engine:
        raise Invalid(
            (sources["no_api"],),
            "is refused together with --no-engine: nothing would be left to do.",
        )


def _check_mail(settings: Settings, sources: _Sources) -> None:
    smtp = settings.smtp
    if smtp.host is not None and smtp.sender is None:
        raise Invalid(
            (sources["smtp_from"],), "is needed with FOLIOT_SMTP_HOST: give the sender of e-mails."
        )
    if smtp.user is not None and smtp.password is None:
        raise Invalid(
            (sources["smtp_password"],), "is needed with FOLIOT_SMTP_USER: give the password."
        )


def _check_slots(settings: Settings, sources: _Sources) -> None:
    most = settings.slots // 2
    if settings.slots_per_host is not None and settings.slots_per_host > most:
        raise wrong(
            (sources["slots_per_host"],),
            settings.slots_per_host,
            f"at most {most}, half of {sources['slots']}: other hosts need slots too",
        )


_CHECKS: tuple[Callable[[Settings, _Sources], None], ...] = (
    _check_access,
    _check_parts,
    _check_slots,
    _check_mail,
)
