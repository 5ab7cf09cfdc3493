"""A row of the table of settings: where a setting comes from, what it accepts, what it means."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct, structs

from foliot.serve.settings.parsers import FLAG, ValueParser
from foliot.serve.settings.values import Settings

PREFIX = "FOLIOT_"


class Setting(Struct, frozen=True):
    """One setting; everyone may set its variable, and those with a `metavar` and flags an option.

    `help` is for the terminal and the reference page, `details` (Markdown) for the page alone.
    `default` says in words what the default value alone does not say. `field` is the attribute of
    `Settings`, where that is not `name`; a dot leads into a part of `Settings`. `show` writes a
    value that is set.
    """

    name: str
    parser: ValueParser
    help: str
    metavar: str | None = None
    default: str | None = None
    details: str = ""
    field: str | None = None
    show: Callable[[Any], str] = str
    is_secret: bool = False

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"{PREFIX}{self.name.upper()}"

    @property
    def option(self) -> str | None:
        """The option of `foliot serve`; None if only the variable sets it."""
        has_option = self.is_flag or self.metavar is not None
        return f"--{self.name.replace('_', '-')}" if has_option else None

    @property
    def is_flag(self) -> bool:
        """Whether the option stands without a value."""
        return self.parser is FLAG


def value_of(setting: Setting, settings: Settings) -> Any:
    """Return the value that a setting has."""
    value: Any = settings
    for name in (setting.field or setting.name).split("."):
        value = getattr(value, name)
    return value


def with_value(setting: Setting, settings: Settings, value: object) -> Settings:
    """Return the settings with another value of one of them."""
    part, _, name = (setting.field or setting.name).rpartition(".")
    if not part:
        return structs.replace(settings, **{name: value})
    changed = structs.replace(getattr(settings, part), **{name: value})
    return structs.replace(settings, **{part: changed})
