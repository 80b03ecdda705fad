"""The games that stand, found by the folders of ``games``: a new one is here as soon as it has its folder."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

import games


class Game(NamedTuple):
    """A game's name (its folder), its apps, its title, and the modules that every game brings."""

    name: str
    apps: tuple[str, ...]
    title: str
    rules: ModuleType
    measures: ModuleType
    performance: ModuleType

    @property
    def app(self) -> str:
        """The app that plays it, the first if there are several."""
        return self.apps[0]


@cache
def by_name() -> dict[str, Game]:
    """All games by their names."""
    return {name: _game(name) for _, name, is_package in pkgutil.iter_modules(games.__path__) if is_package}


@cache
def by_app() -> dict[str, Game]:
    """All games by the names of their apps."""
    return {app: game for game in by_name().values() for app in game.apps}


def module(game: Game, name: str) -> ModuleType:
    """One more module of the game's folder, such as ``strategies``, loaded when it is asked for."""
    return import_module(f"games.{game.name}.{name}")


def _game(name: str) -> Game:
    package = import_module(f"games.{name}")
    parts = [import_module(f"games.{name}.{part}") for part in ("rules", "measures", "performance")]
    return Game(name, package.APPS, package.TITLE, *parts)
