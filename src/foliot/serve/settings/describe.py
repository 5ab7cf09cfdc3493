"""Descriptions of settings: for `foliot serve --help` and the Settings page of the portal."""

from collections.abc import Mapping

from foliot.serve.settings.limits_table import LIMITS
from foliot.serve.settings.setting import Setting, value_of
from foliot.serve.settings.table import TABLE
from foliot.serve.settings.value_text import hidden_text
from foliot.serve.settings.values import Settings


def default_text(setting: Setting) -> str:
    """Return the default in words."""
    if setting.default is not None:
        return setting.default
    return "off" if setting.is_flag else str(value_of(setting, Settings()))


def help_text(setting: Setting) -> str:
    """Return what `--help` says about an option."""
    if setting.is_flag:
        return f"{setting.help} {setting.variable}=1."
    return f"{setting.help} {setting.variable}; {default_text(setting)}."


def shown_settings(settings: Settings) -> Mapping[str, str]:
    """Return the settings by variable, without secrets and without the limits."""
    return {each.variable: _shown(each, settings) for each in TABLE if each not in LIMITS}


def _shown(setting: Setting, settings: Settings) -> str:
    value = value_of(setting, settings)
    if setting.is_flag:
        return f"1: {setting.help}" if value else "0"
    if value is None or value in ((), {}):
        return default_text(setting)
    return hidden_text(value) if setting.is_secret else setting.show(value)
