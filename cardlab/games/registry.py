"""The registry of games: each package of ``cardlab.games`` with a module ``rules`` is a game."""

import pkgutil
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import NamedTuple

from cardlab import games
from cardlab.games.performance import Performance


class Game(NamedTuple):
    """A game: its name (the folder), apps, title, the modules that every game has, and its measures."""

    name: str
    apps: tuple[str, ...]
    title: str
    rules: ModuleType
    measures: ModuleType
    performance: Performance

    @property
    def app(self) -> str:
        """The app that plays the game, the first if there are several."""
        return self.apps[0]

    def app_for_seats(self, seats: int) -> str:
        """Returns the app that plays hands with this number of seats."""
        return self.apps[min(seats, len(self.apps)) - 1]

    def load_module(self, name: str) -> ModuleType:
        """Imports another module of the game's folder, such as ``strategies``."""
        return import_module(f"cardlab.games.{self.name}.{name}")


@cache
def games_by_name() -> dict[str, Game]:
    """Returns all games by name."""
    packages = [module_info.name for module_info in pkgutil.iter_modules(games.__path__) if module_info.ispkg]
    return {name: _game(name) for name in packages if find_spec(f"cardlab.games.{name}.rules")}


@cache
def games_by_app() -> dict[str, Game]:
    """Returns all games by app."""
    return {app: game for game in games_by_name().values() for app in game.apps}


def _game(name: str) -> Game:
    package = import_module(f"cardlab.games.{name}")
    rules, measures = (
        import_module(f"cardlab.games.{name}.{module_name}") for module_name in ("rules", "measures")
    )
    has_own = find_spec(f"cardlab.games.{name}.performance")
    performance = import_module(f"cardlab.games.{name}.performance").MEASURES if has_own else Performance()
    return Game(name, package.APPS, package.TITLE, rules, measures, performance)
