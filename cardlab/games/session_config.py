"""Makes session configs as plain data, for single apps and for sequences of apps.

A game's module ``session_config`` declares the settings of its configs (``cardlab.games.setting``);
``settings.py`` makes the configs that can be run.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from cardlab.games.setting import Setting, Settings, plain_setting
from cardlab.games.shared_settings import SHARED

SessionConfig = dict[str, Any]
MakeConfig = Callable[..., SessionConfig]  # name, display name, doc, and fields that differ from the defaults


class About(NamedTuple):
    """The description of a game on the demo page.

    ``picture`` is a file in ``_static/``, and ``shows`` is its alternative text; ``measures`` says what
    researchers learn from the game. ``minutes`` is the usual range of the duration of a hand, which the
    consent form also states.
    """

    sentence: str
    measures: str
    minutes: tuple[float, float]
    people: str
    picture: str = ""
    shows: str = ""
    hand: str = "hand"

    @property
    def duration(self) -> str:
        """The usual duration of a hand as text."""
        low, high = self.minutes
        plural = "" if high == 1 else "s"
        return f"{f'{low:g} to ' if low < high else 'About '}{high:g} minute{plural} per {self.hand}"


class App(NamedTuple):
    """An app that has declared its settings. ``about`` is None for an app that is not a game."""

    title: str
    settings: Settings
    is_game: bool
    about: About | None


# The default config of each app. A session with missing or unknown fields is rejected
# (cardlab.sessions.config_check); an app that is not listed here may have any fields.
APP_FIELDS: dict[str, SessionConfig] = {}
APPS: dict[str, App] = {}

# The default of every setting that all games share.
DEFAULTS: SessionConfig = {"doc": "", **{key: setting.default for key, setting in SHARED.items()}}

_RATE = "real_world_currency_per_point"
_SCALED = ("payoff_base", "payoff_rate", "payoff_floor")  # with the rate
_OF_THE_SESSION = {"name", "display_name", "doc", "app_sequence", "num_demo_participants", _RATE}


def declare_app(
    app: str,
    name: str,
    title: str,
    fields: Mapping[str, Any],
    demo_participants: int = 2,
    is_game: bool = True,
    about: About | None = None,
) -> MakeConfig:
    """Declares the settings of an app, and returns the function that makes its configs.

    ``fields`` has a :class:`~cardlab.games.setting.Setting` for each field, or only its default. ``name`` and
    ``title`` begin the names and display names of its configs. A game also has the settings of every game
    (``cardlab.games.shared_settings``). Called without arguments, the function makes a part of a
    :func:`sequence`.
    """
    settings = {
        key: value if isinstance(value, Setting) else plain_setting(key, value)
        for key, value in fields.items()
    }
    defaults = {key: setting.default for key, setting in settings.items()}

    def make(own_name: str = "", display_name: str = "", doc: str = "", **fields: Any) -> SessionConfig:
        return {
            "name": f"{name}_{own_name}",
            "display_name": f"{title}: {display_name}",
            "doc": doc,
            "app_sequence": [app],
            "num_demo_participants": demo_participants,
            **defaults,
            **fields,
        }

    APP_FIELDS[app] = make()
    APPS[app] = App(title, settings, is_game, about)
    return make


def settings_of(app: str) -> Settings:
    """Returns the settings of an app, with those that all games share if it is a game."""
    declared = APPS.get(app)
    if declared is None:
        return {}
    return {**(SHARED if declared.is_game else {}), **declared.settings}


def sequence(
    defaults: Mapping[str, Any],
    name: str,
    display_name: str,
    doc: str,
    *parts: SessionConfig | str,
    **fields: Any,
) -> SessionConfig:
    """Makes a config of several apps in sequence; a part that is only a name is a researcher's own app.

    A point has the same value in the whole session, so payoffs are scaled: each game pays as much as in a
    session of its own. A field in which the parts differ is in the config once per app: ``APP.field``.
    ``defaults`` are the fields of every game.
    """
    configs = [{"app_sequence": [part]} if isinstance(part, str) else part for part in parts]
    fields_by_app = {config["app_sequence"][0]: _own_fields(config, defaults) for config in configs}
    in_force = {
        app: {**(defaults if app in APPS and APPS[app].is_game else {}), **theirs}
        for app, theirs in fields_by_app.items()
    }
    merged: SessionConfig = {
        "name": name,
        "display_name": display_name,
        "doc": doc,
        "app_sequence": list(fields_by_app),
        "num_demo_participants": max(config.get("num_demo_participants", 1) for config in configs),
    }
    for app, own_fields in fields_by_app.items():
        for key, value in own_fields.items():
            is_common = all(theirs[key] == value for theirs in in_force.values() if key in theirs)
            merged[key if is_common else f"{app}.{key}"] = value
    return {**merged, **fields}


def _own_fields(config: SessionConfig, defaults: Mapping[str, Any]) -> SessionConfig:
    """Returns an app's own fields from its config, with payoffs at the session's rate."""
    own_fields = {key: value for key, value in config.items() if key not in _OF_THE_SESSION}
    if _RATE in config:
        times = config[_RATE] / defaults[_RATE]
        own_fields |= {key: round(times * {**defaults, **config}[key], 6) for key in _SCALED}
    return own_fields


def setting_for(config: SessionConfig, key: str) -> Setting:
    """Returns the setting behind a field of a config: its app's own, or that of all games.

    For an undeclared field, for example of a researcher's own app, the setting is made from its value.
    """
    own_app, dot, name = key.rpartition(".")
    for app in [own_app] if dot else config["app_sequence"]:
        if declared := settings_of(app).get(name):
            return declared
    return SHARED.get(name) or plain_setting(name, config[key])
