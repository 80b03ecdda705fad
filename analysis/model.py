"""The table for models: one row a hand that counts, with what a mixed model has to know of it.

Whose it is and with whom they played, its place in the design and in the participant's practice, and what
came of it. Numbers are plain, truths 1 and 0, and what is not known is empty.
"""

from __future__ import annotations

import pandas as pd

from analysis.baselines import records
from analysis.report.data import WHO, Data
from games.columns import Number, Whole, YesNo
from games.contract import OUTCOMES
from games.registry import Game
from games.tables import HAND_COLUMNS

BLOCK = 8  # hands, unless another number is asked for

COLUMNS = {
    **{name: HAND_COLUMNS[name] for name in (*WHO, "participant_label", "treatment")},
    "condition": "the participant's condition, as in the report",
    "pair": Whole("number of those who have played with each other: their hands depend on each other"),
    **{name: HAND_COLUMNS[name] for name in ("hand_id", "seat")},
    "number": Whole("number of the hand in the design, practice not counted"),
    "place": Whole("its number among the participant's hands that count"),
    "block": Whole(
        "number of the block of hands in the design, from 1: the session's own where hands have one, else so "
        "many hands (`--block`)"
    ),
}
OUTCOME = {
    "played_out": YesNo("1 if it came to the end that the game aims at, else 0"),
    "score": HAND_COLUMNS["score"],
    "client_seconds": Number("from first shown to the end, by the clock of who ended it"),
}


def columns(game: Game) -> list[str]:
    """The names of the columns: whose hand, the design, what came of it, the game's measures of a hand."""
    measures = [measure.__name__ for measure in game.performance.HAND_MEASURES]
    return [*COLUMNS, *game.performance.MODEL[0], *OUTCOME, *measures]


def table(data: Data, block: int = BLOCK) -> pd.DataFrame:
    """The table, participant by participant in the order of play; its blocks have so many hands."""
    names, of_participant = columns(data.game), data.game.performance.MODEL[1]
    hands = data.counted.astype(object)
    hands = hands.where(hands.notna(), "").rename(columns={"group": "pair"})
    found = []
    for _who, own in hands.groupby(WHO, sort=False):
        rows = list(records(own.sort_values("place")))
        for row, further in zip(rows, of_participant(rows, data.thresholds)):
            outcome = OUTCOMES.get(row["outcome"])  # a log may tell none
            row["played_out"] = int(outcome.aimed_at) if outcome else ""
            row["block"] = int(row.get("block") or (row["number"] - 1) // block + 1)
            found.append({**row, **further})
    return pd.DataFrame(found, columns=names)
