"""Loads what the shared tests need to know about each game from the games' folders.

A game is a folder of ``games`` with ``rules.py``; ``tests/games/<game>/harness.py`` provides the rest. If
several apps play a game, each app after the first has its own ``harness_of_<app>.py``.

``CONFIG``, ``FIELDS``
    a session config, and its fields that bring participants to the first hand without a check and give them
    enough hands for some minutes
``PEOPLE``
    the number of participants at a hand
``ASKED``, ``ANSWERS``
    options of a hand under which the comprehension check asks everything; the right answers by field, one
    for each form of the question
``seat(view)``, ``moves(view)``
    the seat that sees a view; actions that its page may send and the rules surely accept, empty if it is not
    the seat's turn
``TRACES``
    actions that may be sent along with the next one, such as pick-ups, if there are any
``openings``, ``sent``
    hypothesis strategies: hands under every setting that a session can have; anything that a browser may
    send, both moves and nonsense
``REVEALING``
    openings with actions in which a leak would show, if some are known
``named(said)``, ``unseen(state, seat, done)``
    the cards that a message names, in any spelling; the cards that a seat may not see after the accepted
    actions ``done``, each with its seat
``CARD``
    a pattern that matches the name of a card in the text of a page
``SETTINGS``
    fields of sessions in which different cards are visible
``HIDDEN``
    cases of :class:`Hidden`
``SIMULATED``
    sessions, by name, that together contain everything a table can report: arguments of
    ``cardlab.analysis.simulation.plan.plan_simulation``
``REPORTED``
    options of ``analysis simulate`` for a small session whose report has content in each section
``replayed(number=1)``
    a whole hand as rows of the actions table (``replay_tables.hand``), with every kind of event
``rounds(seed)``
    a small session played at random (``random_play.Table``), with every kind of event: for each round of the
    app, the :class:`random_play.Played` of its hands
``in_sight(view)``
    the sorted names of the cards that lie face up on the board, with None if there is none
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
    """Two sessions that differ only in cards that one seat may not see, and are played alike.

    ``deals`` are the two deal files, which ``fields`` names as ``hidden.txt``. ``participants`` arrive; the
    last of them sits at ``seat`` and is watched. ``play(table)`` plays a hand up to where the deals differ.
    With ``leave``, the researcher then moves everybody on. ``untold`` are texts that no browser may get in
    either session. With ``debug``, the case is also played in oTree's debug mode.
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
    """A game as one app plays it: its name, ``folder``, app, rules and harness.

    The name is the folder's name if the app is the game's first.
    """

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
    """Returns one app's module of this name; only modules of a game's first app have the plain name."""
    return own_module(game.name, name if app == game.app else f"{name}_of_{app}")


def _game(registered: registry.Game, app: str) -> Game:
    harness = own_of_app(registered, app, "harness")
    assert harness, f"tests/games/{registered.name}/ has no harness for {app}"
    name = registered.name if app == registered.app else app.removesuffix("_app")
    return Game(name, registered.name, app, registered.rules, harness)


BY_APP = {app: _game(game, app) for app, game in registry.games_by_app().items()}
GAMES = {game.name: game for game in BY_APP.values()}
