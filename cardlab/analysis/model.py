"""Builds the table for mixed models: one row a hand that counts.

A row has the participants and their group, the place in the design and in practice, and the outcome. Numbers
are plain, truths 1 and 0, and unknown values are empty.

Where several participants play a hand together, it has one row with what they did together (``per`` "hand"),
so that nothing is counted twice; ``per`` "participant" gives a row for each of them with what is their own.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from cardlab.analysis.baselines import iterate_records
from cardlab.analysis.games import module
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData
from cardlab.games.columns import Integer, Number, YesNo
from cardlab.games.contract import OUTCOMES
from cardlab.games.registry import Game
from cardlab.games.statistics import Row
from cardlab.games.tables import HAND_COLUMNS

BLOCK = 8  # hands, unless another number is asked for
HAND, PARTICIPANT = "hand", "participant"  # what a row is of

COLUMNS = {
    **{name: HAND_COLUMNS[name] for name in (*PARTICIPANT_KEY, "participant_label", "treatment")},
    "condition": "the participant's condition; for several that differ `one + other`",
    "partner_code": ("codes of the co-players, separated by spaces; empty for one player, or with robots"),
    "pair": Integer("number of the participant or participants who played the hand"),
    "cluster": Integer(
        "number of the participants who have met directly or through others: their hands are dependent"
    ),
    **{name: HAND_COLUMNS[name] for name in ("hand_id", "seat")},
    "number": Integer("number of the hand in the design, without practice"),
    "place": Integer("number of the hand among those of the participant or pair that count"),
    "block": Integer("block of hands in the design, from 1; `--block` if the design has none"),
}
OUTCOME = {
    "played_out": YesNo("1 if the hand was played to the end, else 0"),
    "score": HAND_COLUMNS["score"],
    "client_seconds": Number("from first shown to the end, on the computer of the player who ended it"),
}
# Of these and of ``performance.shared`` several participants at a table have one value together.
SHARED = ("played_out", "client_seconds")


def table_columns(game: Game) -> list[str]:
    """Returns the names of the columns: participants, design, outcome, the game's measures of a hand."""
    measures = [measure.__name__ for measure in game.performance.hand_measures]
    return [*COLUMNS, *game.performance.model[0], *OUTCOME, *measures]


def build_table(data: ReportData, block: int = BLOCK, per: str = HAND) -> pd.DataFrame:
    """Returns the table, participant by participant (pair by pair) in the order of play.

    Its blocks have ``block`` hands. Of hands that several participants played together, ``per`` "hand" gives
    one row, in which their own columns are empty, and ``per`` "participant" a row for each of them, in which
    the shared columns are empty. A hand that one participant played has one row with all columns either way.
    """
    names, performance = table_columns(data.game), data.game.performance
    shared = {*SHARED, *performance.shared}
    deal_measures = {measure.__name__ for measure in performance.deal_measures}
    left_out = {
        HAND: {*OUTCOME, *(measure.__name__ for measure in performance.hand_measures)} - shared,
        PARTICIPANT: shared - deal_measures,
    }
    table = []
    for rows in _group_histories(data, per):
        for row, further in zip(rows, performance.model[1](rows, data.thresholds)):
            outcome = OUTCOMES.get(row["outcome"])  # a log may tell none
            row["played_out"] = int(outcome.is_goal) if outcome else ""
            row["block"] = int(row.get("block") or (row["number"] - 1) // block + 1)
            row |= further
            table.append(row | dict.fromkeys(left_out[per], "") if row["partner_code"] else row)
    return pd.DataFrame(table, columns=names)


def _group_histories(data: ReportData, per: str) -> list[list[Row]]:
    """Returns the hands that count, in the order of play, by participant.

    With ``per`` "hand", those that participants played together are listed by pair, each hand once.
    """
    hands = data.counted.astype(object)
    hands = hands.where(hands.notna(), "").rename(columns={"group": "cluster"})
    codes_by_hand = {
        hand: tuple(sorted({*codes}))
        for hand, codes in data.hands.groupby("hand_id")["participant_code"]
        if hand  # logs of somebody who plays alone have no such names
    }
    pairs: dict[Any, int] = {}
    histories: dict[Any, list[Row]] = {}
    for row in iterate_records(hands.sort_values("place", kind="stable")):
        who = tuple(row[name] for name in PARTICIPANT_KEY)
        codes = codes_by_hand.get(row["hand_id"], who[1:])
        row["pair"] = pairs.setdefault((who[0], codes), len(pairs))
        row["partner_code"] = " ".join(code for code in codes if code != who[1])
        together = per == HAND and len(codes) > 1
        histories.setdefault((row["pair"] if together else who), []).append(row)
    join = getattr(module(data.game.name, "pairs"), "joined", _longest_row)
    return [
        rows if isinstance(owner, tuple) else _join_members(rows, join) for owner, rows in histories.items()
    ]


def _join_members(rows: list[Row], join: Callable[[Mapping[str, Row]], Row]) -> list[Row]:
    seats: dict[str, dict[str, Row]] = {}
    for row in rows:
        seats.setdefault(row["hand_id"], {})[row["seat"]] = row
    hands = []
    for place, members in enumerate(seats.values(), 1):
        first = members[min(members)]
        who = {name: first[name] for name in ("participant_code", "participant_label", "partner_code")}
        conditions = " + ".join(sorted({row["condition"] for row in members.values()}))
        hands.append({**join(members), **who, "seat": "", "place": place, "condition": conditions})
    return hands


def _longest_row(seats: Mapping[str, Row]) -> Row:
    """Returns the row of the member whose hand lasted longest: others may have been moved on before."""
    return max(seats.values(), key=lambda row: row["client_seconds"] or 0)
