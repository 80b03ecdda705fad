"""What deals allow to somebody who knows all cards: each deal is searched once, on several cores.

A game that has such a search has a module ``best`` (``cardlab.analysis.games``) with

``COLUMNS``
    what its table tells beyond whose hand it is;
``MATTER``
    the names of the settings on which the search depends;
``declare(parser)`` and ``effort(arguments)``
    its own arguments for how much is to be searched, and what of them ``search`` takes;
``search(deal, options, effort)``
    what is found of a deal, to be sent from process to process;
``cells(deal, options, found, result)``
    the values of ``COLUMNS``; ``result`` is the hand's, None for a deal that nobody has played.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, NamedTuple, TextIO

from cardlab.analysis.folding import catch_odd_settings, history
from cardlab.analysis.games import module
from cardlab.analysis.hands import find_game
from cardlab.analysis.parallel import Compute, show_progress
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.contract import Result
from cardlab.games.record import Opening, compact_json
from cardlab.games.registry import Game, games_by_name
from cardlab.games.tables import HAND_COLUMNS, guard_formula

COLUMNS = {
    "session_code": "oTree's code of the session",
    "participant_code": "oTree's code of the participant",
    "participant_label": HAND_COLUMNS["participant_label"],
    "hand": "number of the hand in the app, including practice",
    "hand_id": "unique across sessions and servers",
    "practice": "1 for a practice hand, else 0",
}
"The columns that identify a hand and its participant."

DEAL_COLUMNS = {
    "show_file": "the file with the deal",
    "deal_number": "number of the deal in the file",
    "deal": "the deal, one line (ruling 0)",
}
"The same columns for a deal that nobody has played."


class SearchRequest(NamedTuple):
    """A deal to search, with the cells of ``COLUMNS`` or ``DEAL_COLUMNS``.

    ``result`` is that of the hand, None for a deal that nobody has played.
    """

    who: list[Any]
    deal: str
    options: dict[str, Any]
    result: Result | None


Task = tuple[str, str, dict[str, Any], Any]  # game, deal, options, effort


def searchable_games() -> dict[str, Game]:
    """The games that have a search, by their names."""
    return {name: game for name, game in games_by_name().items() if module(name, "best")}


def requests_from_hands(hands: Iterable[SourceHand]) -> tuple[Game, list[SearchRequest]]:
    """The game and the deals of hands. BadFile if it has no search, or if they are of different games."""
    first, asked = None, []
    for hand in hands:
        games = searchable_games()
        apps = [app for game in games.values() for app in game.apps]
        if hand.from_log:
            needed = " or ".join(apps)
            raise hand.error_at(
                f"This is a log of {find_game(hand).title}. This command needs a table of {needed}."
            )
        app = hand.cells["app"]
        if app not in apps:
            raise hand.error_at(
                f"This is a hand of {app}. Only hands of {' or '.join(apps)} can be read here."
            )
        game = find_game(hand)
        first = first or game
        if game is not first:
            raise hand.error_at(
                f"This is a hand of {app}, but the earlier hands are of {first.app}. Analyse one "
                "game at a time."
            )
        played = history(hand, game.rules).hand
        with catch_odd_settings(hand):
            result = played.result(next(iter(played.seats)))
        label = guard_formula(hand.cells["participant_label"])
        who = [{**hand.cells, "participant_label": label}[name] for name in COLUMNS]
        asked.append(SearchRequest(who, hand.deal, hand.options, result))
    assert first  # no hand at all is an error of the sources
    return first, asked


def requests_from_deals(openings: Iterable[Opening]) -> list[SearchRequest]:
    """The deals of a file."""
    return [
        SearchRequest([opening.source, number, opening.deal], opening.deal, opening.options, None)
        for number, opening in enumerate(openings, 1)
    ]


def write_table(
    game: Game,
    asked: Sequence[SearchRequest],
    effort: Any,
    columns: Iterable[str],
    compute: Compute,
    file: TextIO,
) -> int:
    """Write the table as CSV, each deal searched once; the number of rows. ``columns`` tell whose it is."""
    own = search_module(game.name)
    keys = [compact_json([one.deal, {name: one.options.get(name) for name in own.MATTER}]) for one in asked]
    tasks: dict[str, Task] = {}
    for key, one in zip(keys, asked):
        options = {name: one.options[name] for name in own.MATTER if name in one.options}
        tasks.setdefault(key, (game.name, one.deal, options, effort))
    found = dict(zip(tasks, show_progress(compute([*tasks.values()]), len(tasks), "Deals searched")))
    table = csv.writer(file, lineterminator="\n")
    table.writerow([*columns, *own.COLUMNS])
    for key, one in zip(keys, asked):
        table.writerow([*one.who, *own.cells(one.deal, one.options, found[key], one.result)])
    return len(asked)


def search_task(task: Task) -> Any:
    """What is found of a deal."""
    game, deal, options, effort = task
    return search_module(game).search(deal, options, effort)


def search_module(name: str) -> ModuleType:
    """The module ``best`` of a game that has one."""
    own = module(name, "best")
    assert own, f"There is no search for {name}."
    return own
