"""The best score that a hand of Triangle Solitaire could have reached, and how far from it it stayed."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from analysis import sources
from analysis.command import NAME, count, damage_of, expanded, takes_strict, typed, warn
from analysis.folding import settings_in_force, state_of
from analysis.hands import game_of
from analysis.output import whole_file
from analysis.told_hand import ToldHand
from games.tables import HAND_COLUMNS, guarded
from games.triangle import APPS, oracle, rules

HELP = "Triangle Solitaire: the best score each deal allows (OR-Tools)"
SECONDS = typed(float, lambda number: 0 < number < 1e6, "a number of seconds from more than 0 to 999999")

COLUMNS = {
    "session_code": "oTree's code of the session",
    "participant_code": "oTree's code of the participant",
    "participant_label": HAND_COLUMNS["participant_label"],
    "hand": "number of the hand in the app, practice hands included",
    "hand_id": "unique across sessions and servers",
    "practice": "1 for a practice hand, else 0",
    "score": "points for the hand",
    "best_score": "the most that play by the rules could reach, with the whole deck known",
    "distance": "best_score less score",
    "proved": "1 if nothing better is possible, 0 if the time limit came first: then the best that was found",
    "bound": "a score that cannot be exceeded; best_score itself where that is proved",
    "best_actions": "a line of play that reaches best_score, parted by `; `",
    "search_seconds": "how long the search took",
}


def declare(one: argparse.ArgumentParser) -> None:
    one.add_argument("sources", metavar="ACTIONS.csv", nargs="+", help="a table of actions (custom_export)")
    one.add_argument(
        "-o", dest="out", metavar="FILE", type=NAME, required=True, help="where to write, like best.csv"
    )
    one.add_argument("--time-limit", metavar="SECONDS", type=SECONDS, default=60, help="for each deal; 60")
    takes_strict(one)


def run(arguments: argparse.Namespace) -> None:
    paths = expanded(arguments.sources)
    with whole_file(Path(arguments.out), paths) as file:
        hands_told = sources.hands(paths, warn, damage=damage_of(arguments))
        written = write(hands_told, file, arguments.time_limit)
    print(f"Wrote {count(written, 'hand')} to {arguments.out}")


class Search:
    """The best play of deals, each searched once however many played it, ``time_limit`` seconds at most."""

    def __init__(self, time_limit: float):
        self._time_limit = time_limit
        self._found: dict[str, oracle.Best] = {}

    def __call__(self, deal: str, options: dict[str, Any]) -> oracle.Best:
        if deal not in self._found:
            self._found[deal] = oracle.best_play(rules.start(deal, options), self._time_limit)
            if sys.stderr.isatty():
                print(f"\rDeals searched: {len(self._found)}", end="", file=sys.stderr, flush=True)
        return self._found[deal]


def write(hands: Iterable[ToldHand], file: TextIO, time_limit: float) -> int:
    """Write the table as CSV, searching at most ``time_limit`` seconds for each deal; the number of hands."""
    table = csv.writer(file, lineterminator="\n")
    table.writerow(COLUMNS)
    search = Search(time_limit)
    written = 0
    for hand in hands:
        if hand.from_log:
            raise hand.bad(f"This is a log of {game_of(hand).title}; needed is a table of {APPS[0]}.")
        state = state_of(hand, APPS, rules)
        with settings_in_force(hand):
            score = rules.result(state, rules.SEAT, 0).score
        best = search(hand.deal, hand.options)
        cells = {**hand.cells, "participant_label": guarded(hand.cells["participant_label"])}
        own = ("session_code", "participant_code", "participant_label", "hand", "hand_id", "practice")
        table.writerow(
            [
                *(cells[name] for name in own),
                *(score, best.score, best.score - score, int(best.proved), best.bound),
                *("; ".join(best.actions), f"{best.seconds:.2f}"),
            ]
        )
        written += 1
    return written
