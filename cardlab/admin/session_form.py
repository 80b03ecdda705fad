"""The form that creates a session: its configs by game, and their settings with labels, values and help.

The template ``otree/includes/CreateSessionForm.html`` gets them as JSON from the filter ``session_form``, and
``_static/cardlab/session_form.js`` builds the form of the chosen config.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from otree import settings
from otree.session import SessionConfig
from otree.templating.filters import register

from cardlab.games.session_config import APPS, setting_for
from cardlab.games.setting import HEADINGS, MONEY, Number, Setting

SEVERAL_APPS = "Several apps"  # the group of configs of more than one app


@register
def session_form(configs: Iterable[SessionConfig]) -> str:
    """Returns the form's data as JSON that is safe in a script element."""
    declared: dict[int, tuple[int, Setting]] = {}  # by id(), because many configs share a setting

    def number_of(setting: Setting) -> int:
        return declared.setdefault(id(setting), (len(declared), setting))[0]

    groups: dict[str, list[dict[str, Any]]] = {}
    for config in configs:
        fields = [
            [key, to_json_value(config[key]), default_value(config, key), number_of(setting_for(config, key))]
            for key in config.editable_fields()
        ]
        groups.setdefault(group_title(config), []).append(
            {
                "name": config["name"],
                "title": title_in_group(config),
                "doc": config["doc"],
                "multiple": config.get_lcm(),
                "fields": fields,
            }
        )
    data = {
        "headings": HEADINGS,
        "groups": [{"title": title, "configs": configs} for title, configs in groups.items()],
        "settings": [describe_setting(setting) for _number, setting in declared.values()],
        "apps": {app: declared_app.title for app, declared_app in APPS.items()},
    }
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def group_title(config: SessionConfig) -> str:
    """Returns the heading of a config's group: the title of its app."""
    apps = config["app_sequence"]
    return APPS[apps[0]].title if len(apps) == 1 and apps[0] in APPS else SEVERAL_APPS


def title_in_group(config: SessionConfig) -> str:
    """Returns the name of a config within its group."""
    title: str = config["display_name"].removeprefix(f"{group_title(config)}: ")
    return title[:1].upper() + title[1:]


def to_json_value(value: Any) -> Any:
    """Converts a value for JSON; oTree's amounts of money are not JSON numbers."""
    return value if isinstance(value, (bool, int, float, str)) else float(value)


def default_value(config: SessionConfig, key: str) -> Any:
    """Returns a field's default: the app's, or that in ``settings.py``."""
    own_app, dot, name = key.rpartition(".")
    for app in [own_app] if dot else config["app_sequence"]:
        if name in settings.APP_FIELDS.get(app, {}):
            return to_json_value(settings.APP_FIELDS[app][name])
    return to_json_value(settings.SESSION_CONFIG_DEFAULTS.get(name, config[key]))


def describe_setting(setting: Setting) -> dict[str, Any]:
    """Returns a setting's fields for the script."""
    values = setting.values
    data: dict[str, Any] = {
        "heading": setting.heading,
        "label": setting.label,
        "help": setting.help,
        "unit": settings.REAL_WORLD_CURRENCY_CODE if setting.unit == MONEY else setting.unit,
        "control": values.control,
        "words": values.words,
    }
    if values.control == "select":
        data["values"] = [[value, meaning] for value, meaning in values.listed().items()]
    if isinstance(values, Number) and values.whole:
        data |= {"minimum": values.minimum, "maximum": values.maximum}
    return data
