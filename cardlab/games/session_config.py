"""Session configs as plain data: what those of a game have, and configs of several apps one after another.

A game's module ``session_config`` lists the fields of its configs with their defaults; ``settings.py`` makes
the configs that can be run. docs/running-a-session.md explains each field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

SessionConfig = dict[str, Any]
MakeConfig = Callable[..., SessionConfig]  # name, display name, doc, and fields that differ from the defaults

# By app, the config of a session of it with all defaults. A session that lacks one of these fields, or has
# others, is refused (cardlab.sessions.config_check); an app that is not here may have any.
APP_FIELDS: dict[str, SessionConfig] = {}

# The fields of every game that several participants play together.
GROUP_FIELDS: SessionConfig = {
    "no_shows": "leave_out",  # or robot: for a participant who finds nobody to play with
    "gather_seconds": 180,  # how long others are waited for; 0 is without end
    "gone_after_seconds": 30,  # without a connection a participant is not waited for, until they return
    "turn_limit_seconds": 0,  # after it the server plays for an absent participant; 0 is none
    "absent_after": 2,  # limits missed in a row after which a dropout is not waited for; 0 is never
    # After it a player may stop waiting for a co-player without a connection; 0 is never.
    "partner_away_seconds": 60,
}

_RATE = "real_world_currency_per_point"
_SCALED = ("payoff_base", "payoff_rate", "payoff_floor")  # with the rate
_OF_THE_SESSION = {"name", "display_name", "doc", "app_sequence", "num_demo_participants", _RATE}
_games: set[str] = set()  # the declared apps that are games


def declare_app(
    app: str,
    name: str,
    title: str,
    fields: SessionConfig,
    demo_participants: int = 2,
    is_game: bool = True,
) -> MakeConfig:
    """Declares the fields of an app with their defaults, and returns the function that makes its configs.

    ``name`` and ``title`` begin the names and display names of its configs. A game also has the fields of
    every game (``SESSION_CONFIG_DEFAULTS`` in ``settings.py``). Called without arguments, the function makes
    a part of a :func:`sequence`.
    """

    def make(own_name: str = "", display_name: str = "", doc: str = "", **changed: Any) -> SessionConfig:
        return {
            "name": f"{name}_{own_name}",
            "display_name": f"{title}: {display_name}",
            "doc": doc,
            "app_sequence": [app],
            "num_demo_participants": demo_participants,
            **fields,
            **changed,
        }

    APP_FIELDS[app] = make()
    if is_game:
        _games.add(app)
    return make


def sequence(
    defaults: Mapping[str, Any],
    name: str,
    display_name: str,
    doc: str,
    *parts: SessionConfig | str,
    **fields: Any,
) -> SessionConfig:
    """Makes a config of several apps, one after another; a bare name is an app of the researcher's own.

    A point is worth the same in the whole session, so the games' payoffs are scaled to earn what they earn
    by themselves. A field in which the parts differ stands in the config once for each: ``APP.field``.
    ``defaults`` are the fields of every game.
    """
    configs = [{"app_sequence": [part]} if isinstance(part, str) else part for part in parts]
    own = {config["app_sequence"][0]: _own_fields(config, defaults) for config in configs}
    in_force = {app: {**(defaults if app in _games else {}), **theirs} for app, theirs in own.items()}
    merged: SessionConfig = {
        "name": name,
        "display_name": display_name,
        "doc": doc,
        "app_sequence": list(own),
        "num_demo_participants": max(config.get("num_demo_participants", 1) for config in configs),
    }
    for app, own_fields in own.items():
        for key, value in own_fields.items():
            alike = all(theirs[key] == value for theirs in in_force.values() if key in theirs)
            merged[key if alike else f"{app}.{key}"] = value
    return {**merged, **fields}


def _own_fields(config: SessionConfig, defaults: Mapping[str, Any]) -> SessionConfig:
    """Returns what belongs to the app in a config of one app, with its payoffs at the session's rate."""
    own = {key: value for key, value in config.items() if key not in _OF_THE_SESSION}
    if _RATE in config:
        times = config[_RATE] / defaults[_RATE]
        own |= {key: round(times * {**defaults, **config}[key], 6) for key in _SCALED}
    return own
