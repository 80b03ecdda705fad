"""Finds what the shared tests need to know about each game in the games' folders.

A game is a folder of ``games`` with ``rules.py``; ``tests/games/<game>/harness.py`` provides the rest. A game
that several apps play has one for each: for those after the first ``harness_of_<app>.py``.

``CONFIG``, ``FIELDS``
    a session config, and its fields with which participants come to the first hand without a check and have
    hands enough to play for some minutes
``PEOPLE``
    how many participants sit at a hand of it
``ASKED``, ``ANSWERS``
    options of a hand under which the comprehension check asks everything; the right answers, by their
    fields: one for each form of the question
``seat(view)``, ``moves(view)``
    the seat that a view is made for; what its page may send and the rules are sure to accept, nothing if the
    seat is not waited for
``TRACES``
    actions that may ride along with the next one, such as pick-ups, if there are any
``openings``, ``sent``
    hypothesis strategies: hands under every setting that a session can have; what a browser may send, moves
    and nonsense
``REVEALING``
    openings with actions in which a leak would show, if some are known
``named(said)``, ``unseen(state, seat, done)``
    the cards that a message names, in any spelling; those that a seat may not see, ``done`` being the
    accepted actions, each with its seat
``CARD``
    a pattern: the name of a card in the text of a page
``SETTINGS``
    fields of sessions under which other cards are seen
``HIDDEN``
    cases of :class:`Hidden`
``SIMULATED``
    sessions in which everything occurs that a table can tell, by a name: arguments of
    ``cardlab.analysis.simulation.plan.plan_simulation``
``REPORTED``
    options of ``analysis simulate``: a small session whose report has something in each section
``replayed(number=1)``
    a hand to the end as rows of the table of actions (``replay_tables.hand``), in which what can happen does
``rounds(seed)``
    a small session played at random (``random_play.Table``), in which what can happen does: for each round of
    the app the :class:`random_play.Played` of its hands
``in_sight(view)``
    the names of the cards that the board shows open, sorted, None among them where there is none
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from cardlab.games import registry


@dataclass(frozen=True)
class Hidden:
    """Two sessions that differ in nothing that one seat may see, and are played alike.

    ``deals`` are the two deal files, which ``fields`` names as ``hidden.txt``; ``participants`` come, the
    last of whom sits at ``seat`` and is watched. ``play(table)`` plays a hand up to where the deals part.
    ``leave``: the researcher then moves everybody on. ``untold`` are texts that no browser may get in either
    session; ``debug``: the case is played in oTree's debug mode too.
    """

    config: str
    deals: tuple[str, str]
    fields: dict[str, Any]
    play: Callable[[Any], None]
    participants: int = 1
    seat: str = "solo"
    leave: bool = True
    untold: tuple[str, ...] = field(default=(), repr=False)
    debug: bool = True


@dataclass(frozen=True)
class Game:
    """A game as one app plays it: its name, the game's ``folder`` (which is the name, if it is its first
    app), the app, the rules, and the harness."""

    name: str
    folder: str
    app: str
    rules: ModuleType
    harness: ModuleType


def own_module(game: str, name: str) -> ModuleType | None:
    """Returns the module of this name in a game's test folder; None if there is none."""
    file = Path(__file__).parent / "games" / game / f"{name}.py"
    if not file.exists():
        return None
    spec = importlib.util.spec_from_file_location(f"{name}_of_{game}", file)
    sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def own_of_app(game: registry.Game, app: str, name: str) -> ModuleType | None:
    """Returns the same of one of the game's apps, the first of which has the plain name."""
    return own_module(game.name, name if app == game.app else f"{name}_of_{app}")


def _game(registered: registry.Game, app: str) -> Game:
    harness = own_of_app(registered, app, "harness")
    assert harness, f"tests/games/{registered.name}/ has no harness for {app}"
    name = registered.name if app == registered.app else app.removesuffix("_app")
    return Game(name, registered.name, app, registered.rules, harness)


BY_APP = {app: _game(game, app) for app, game in registry.games_by_app().items()}
GAMES = {game.name: game for game in BY_APP.values()}
