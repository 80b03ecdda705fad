"""The best score that a hand of Triangle Solitaire could have reached, and how far from it it stayed."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from analysis.actions_table import TableHand
from analysis.folding import settings_in_force, state_of
from analysis.keeper_logs import LogHand
from games.contract import BadFile
from games.tables import HAND_COLUMNS, guarded
from games.triangle import APPS, oracle, rules

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


def write(hands: Iterable[TableHand | LogHand], file: TextIO, time_limit: float) -> int:
    """Write the table as CSV, searching at most ``time_limit`` seconds for each deal; the number of hands."""
    table = csv.writer(file, lineterminator="\n")
    table.writerow(COLUMNS)
    search = Search(time_limit)
    written = 0
    for hand in hands:
        if not isinstance(hand, TableHand):
            raise BadFile(hand.files[0], f"This is a log of Target the Two; needed is a table of {APPS[0]}.")
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
