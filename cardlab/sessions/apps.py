"""Distinguishes games from other apps of a session."""

from __future__ import annotations

from otree.common import get_models_module

from cardlab.games.dealing import Config


def is_game(app: str) -> bool:
    """Returns whether an app is a game: its page ``Hand`` is a :class:`cardlab.pages.hand.HandPage`."""
    return getattr(getattr(get_models_module(app), "Hand", None), "is_hand", False)


def games_of(config: Config) -> list[str]:
    """Returns the games among a session's apps, in order."""
    return [app for app in config["app_sequence"] if is_game(app)]
