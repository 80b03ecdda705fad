"""Searches each deal once for its best result with all cards known, on several cores.

A game that has such a search has a module ``best`` (``cardlab.analysis.games``) with

``COLUMNS``
    the columns of its table after those that identify the hand;
``SEARCH_SETTINGS``
    the names of the settings on which the search depends;
``declare(parser)`` and ``effort(arguments)``
    adds the game's arguments that limit the search, and returns the limit that ``search`` takes;
``search(deal, options, effort)``
    the result of the search, which must be picklable;
``cells(deal, options, found, result)``
    the values of ``COLUMNS``; ``result`` is the hand's, None for a deal that nobody has played.
"""

import argparse
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, NamedTuple, TextIO

from cardlab.analysis.folding import history, reject_malformed_settings
from cardlab.analysis.games import module
from cardlab.analysis.hands import SEARCHED_DEAL, SEARCHED_HAND, pair_with_game
from cardlab.analysis.output import write_rows
from cardlab.analysis.parallel import Compute, show_progress
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.contract import Result
from cardlab.games.record import Opening, compact_json
from cardlab.games.registry import Game, games_by_name
from cardlab.games.tables import guard_formula

COLUMNS, DEAL_COLUMNS = SEARCHED_HAND, SEARCHED_DEAL


class SearchRequest(NamedTuple):
    """A deal to search, with its cells of ``COLUMNS`` or ``DEAL_COLUMNS``.

    ``result`` is the hand's, None for a deal that nobody has played.
    """

    who: list[Any]
    deal: str
    options: dict[str, Any]
    result: Result | None


Task = tuple[str, str, dict[str, Any], Any]  # game, deal, options, effort


def searchable_games() -> dict[str, Game]:
    """Returns the games that have a search, by name."""
    return {name: game for name, game in games_by_name().items() if module(name, "best")}


def requests_from_hands(hands: Iterable[SourceHand]) -> tuple[Game, list[SearchRequest]]:
    """Returns the game and the deals of hands. Raises BadFile if the games differ or have no search."""
    requests = []
    apps = [app for game in searchable_games().values() for app in game.apps]
    for game, hand in pair_with_game(hands):
        if hand.from_log:
            app_names = " or ".join(apps)
            raise hand.error_at(f"This is a log of {game.title}. This command needs a table of {app_names}.")
        hand.check_app(apps)
        hand_state = history(hand, game.rules).hand
        with reject_malformed_settings(hand):
            result = hand_state.result(next(iter(hand_state.seats)))
        label = guard_formula(hand.cells["participant_label"])
        identity = [{**hand.cells, "participant_label": label}[name] for name in COLUMNS]
        requests.append(SearchRequest(identity, hand.deal, hand.options, result))
    return game, requests  # the reader of the sources has raised an error if there are no hands


def requests_from_deals(openings: Iterable[Opening]) -> list[SearchRequest]:
    """Returns the deals of a file."""
    return [
        SearchRequest([opening.source, number, opening.deal], opening.deal, opening.options, None)
        for number, opening in enumerate(openings, 1)
    ]


def write_hands(
    hands: Iterable[SourceHand], compute: Compute, file: TextIO, arguments: argparse.Namespace
) -> int:
    """Writes the table of hands and returns the number of rows. Raises BadFile."""
    game, requests = requests_from_hands(hands)
    return write_table(game, requests, COLUMNS, compute, file, arguments)


def write_table(
    game: Game,
    requests: Sequence[SearchRequest],
    columns: Iterable[str],
    compute: Compute,
    file: TextIO,
    arguments: argparse.Namespace,
) -> int:
    """Searches each deal once, writes the table as CSV and returns the number of rows.

    ``columns`` are ``COLUMNS`` or ``DEAL_COLUMNS``, whose cells the requests have.
    """
    search = search_module(game.name)
    effort = search.effort(arguments)
    names = search.SEARCH_SETTINGS
    keys = [
        compact_json([request.deal, {name: request.options.get(name) for name in names}])
        for request in requests
    ]
    tasks: dict[str, Task] = {}
    for key, request in zip(keys, requests):
        options = {name: request.options[name] for name in names if name in request.options}
        tasks.setdefault(key, (game.name, request.deal, options, effort))
    results = dict(zip(tasks, show_progress(compute([*tasks.values()]), len(tasks), "Deals searched")))
    rows = (
        [*request.who, *search.cells(request.deal, request.options, results[key], request.result)]
        for key, request in zip(keys, requests)
    )
    return write_rows(file, [*columns, *search.COLUMNS], rows)


def search_task(task: Task) -> Any:
    """Returns the result of the search of a deal."""
    game, deal, options, effort = task
    return search_module(game).search(deal, options, effort)


def search_module(name: str) -> ModuleType:
    """Returns the module ``best`` of a game that has one."""
    search = module(name, "best")
    assert search, f"There is no search for {name}."
    return search
