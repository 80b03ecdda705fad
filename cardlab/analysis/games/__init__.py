"""What the analysis has for one game alone, in a package of the game's name. Each module is optional:

``report``
    ``CURVES``, the columns that are followed from hand to hand, with what they are called on an axis, the
    first also for each participant; and ``sections(data)``, the sections of the report that only this game
    has.
``best``
    What a deal allows to somebody who knows all cards (``cardlab.analysis.best`` says what it has).
``beside``
    ``of_actions(course)``, what stands beside the actions of a hand on the page of a replay, by their
    numbers: for the researcher, the participant saw none of it. ``SEARCHES`` says whether that takes seconds;
    then it is asked only of a hand that is replayed alone.
``pairs``
    The table of those who played together: ``columns()``, with their meanings. And ``joined(seats)``, the
    row of a hand as the pair's in the table for models.
``commands``
    A package; each of its modules is a command of ``python -m cardlab.analysis``
    (``cardlab.analysis.commands`` says what one has).
``logs``
    Files of the game's own that tell hands (``cardlab.analysis.sources`` says what it has).
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def module(game: str, name: str) -> ModuleType | None:
    """A module of the package of a game, None if the game has none of this name."""
    package = f"{__name__}.{game}"
    there = find_spec(package) and find_spec(f"{package}.{name}")
    return import_module(f"{package}.{name}") if there else None


def modules(name: str) -> list[ModuleType]:
    """The modules of this name of all games that have one, in the order of the games' names."""
    games = [found.name for found in pkgutil.iter_modules(__path__)]
    return [found for game in games if (found := module(game, name))]
