"""Builds the table for mixed models: one row per hand that counts.

A row has the participants and their group, the position of the hand in the design, and the outcome. Truth
values are 1 and 0, and unknown values are empty.

If several participants play a hand together, ``per`` "hand" makes one row with their joint measures, so that
nothing is counted twice. ``per`` "participant" makes a row for each of them with individual measures.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from cardlab.analysis import persons
from cardlab.analysis.baselines import iterate_records
from cardlab.analysis.games import module
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData
from cardlab.games.columns import Integer, Number, YesNo, column_type, measure_columns
from cardlab.games.contract import OUTCOMES
from cardlab.games.registry import Game
from cardlab.games.statistics import Row
from cardlab.games.tables import HAND_COLUMNS

BLOCK = 8  # default number of hands in a block
HAND, PARTICIPANT = "hand", "participant"  # units of a row

COLUMNS = {
    **{name: HAND_COLUMNS[name] for name in (*PARTICIPANT_KEY, "participant_label", "treatment")},
    "condition": "the participant's condition; `one + other` if those of several differ",
    "partner_code": "codes of the co-players, separated by spaces; empty for one player, or with robots",
    "pair": Integer("number of the participant or participants who played the hand"),
    "cluster": Integer(
        "number of the participants who have met directly or through others: their hands are dependent"
    ),
    **{name: HAND_COLUMNS[name] for name in ("hand_id", "seat")},
    "number": Integer("number of the hand in the design, without practice"),
    "place": Integer("number of the hand among those of the participant or pair that count"),
    "block": Integer("block of hands in the design, from 1; `--block` if the design has none"),
    "deal": Integer("number of the deal; hands with the same cards have the same number"),
}
OUTCOME = {
    "played_out": YesNo("1 if the hand was solved, completed, won, lost or drawn, else 0"),
    "score": HAND_COLUMNS["score"],
    "client_seconds": Number(
        "from first shown to the end, by the clock of the participant or server that ended it"
    ),
}
# Together with ``performance.shared``, the columns that have one value for all participants of a hand.
SHARED = ("played_out", "client_seconds")


def outcome_columns(game: Game) -> dict[str, str]:
    """Returns the possible outcomes of a model with their meanings: the score and the measures first.

    The measures that depend on the deal alone are last, because a default model would explain the deals.
    """
    measures = measure_columns(game.performance.hand_measures)
    further = {name: text for name, text in game.performance.model[0].items() if column_type(text) != "text"}
    of_deals = measure_columns(game.performance.deal_measures)
    outcomes = {"score": OUTCOME["score"], **measures, **OUTCOME, **further}
    return {name: outcomes[name] for name in sorted(outcomes, key=of_deals.__contains__)}


def table_columns(game: Game) -> dict[str, str]:
    """Returns all columns with their meanings: participants, design, and those of the outcome."""
    measures = measure_columns(game.performance.hand_measures)
    return {**COLUMNS, **game.performance.model[0], **OUTCOME, **measures}


def build_table(data: ReportData, block: int = BLOCK, per: str = HAND) -> pd.DataFrame:
    """Returns the table, sorted by participant or pair, then in the order of play.

    Parameters:
        data: the hands.
        block: the number of hands in a block, if the design has no blocks.
        per: for hands of several participants, "hand" for one row whose individual columns are empty, or
            "participant" for a row for each whose shared columns are empty. A hand of one participant has
            one row with all columns either way.
    """
    names, performance = table_columns(data.game), data.game.performance
    shared = {*SHARED, *performance.shared}
    deal_measures = {measure.__name__ for measure in performance.deal_measures}
    left_out = {
        HAND: {*OUTCOME, *(measure.__name__ for measure in performance.hand_measures)} - shared,
        PARTICIPANT: shared - deal_measures,
    }
    table, deals = [], dict[str, int]()
    for rows in _group_histories(data, per):
        for row, further in zip(rows, performance.model[1](rows, data.thresholds)):
            outcome = OUTCOMES.get(row["outcome"])  # None for a log without the outcome
            row["deal"] = deals.setdefault(row["deal"], len(deals))
            row["played_out"] = int(outcome.is_goal) if outcome else ""
            row["block"] = int(row.get("block") or (row["number"] - 1) // block + 1)
            row |= further
            table.append(row | dict.fromkeys(left_out[per], "") if row["partner_code"] else row)
    columns = list(names)
    if persons.PERSON in data.hands:
        after_label = columns.index("treatment")
        columns[after_label:after_label] = persons.COLUMNS
    return pd.DataFrame(table, columns=columns)


def _group_histories(data: ReportData, per: str) -> list[list[Row]]:
    """Returns the hands that count in the order of play, one list per participant.

    With ``per`` "hand", hands that participants played together are in a list per pair, each hand once.
    """
    hands = data.counted.astype(object)
    hands = hands.where(hands.notna(), "").rename(columns={"group": "cluster"})
    codes_by_hand = {
        hand: tuple(sorted({*codes}))
        for hand, codes in data.hands.groupby("hand_id")["participant_code"]
        if hand  # empty in logs of one participant
    }
    pairs: dict[Any, int] = {}
    histories: dict[Any, list[Row]] = {}
    for row in iterate_records(hands.sort_values("place", kind="stable")):
        person = tuple(row[name] for name in PARTICIPANT_KEY)
        codes = codes_by_hand.get(row["hand_id"], person[1:])
        row["pair"] = pairs.setdefault((person[0], codes), len(pairs))
        row["partner_code"] = " ".join(code for code in codes if code != person[1])
        is_joint = per == HAND and len(codes) > 1
        histories.setdefault((row["pair"] if is_joint else person), []).append(row)
    join = getattr(module(data.game.name, "pairs"), "join_rows", _longest_row)
    return [
        rows if isinstance(owner, tuple) else _join_members(rows, join) for owner, rows in histories.items()
    ]


def _join_members(rows: list[Row], join: Callable[[Mapping[str, Row]], Row]) -> list[Row]:
    seats: dict[str, dict[str, Row]] = {}
    for row in rows:
        seats.setdefault(row["hand_id"], {})[row["seat"]] = row
    hands = []
    for place, members in enumerate(seats.values(), 1):
        first_member = members[min(members)]
        identity = {
            name: first_member[name] for name in ("participant_code", "participant_label", "partner_code")
        }
        conditions = " + ".join(sorted({row["condition"] for row in members.values()}))
        hands.append({**join(members), **identity, "seat": "", "place": place, "condition": conditions})
    return hands


def _longest_row(seats: Mapping[str, Row]) -> Row:
    """Returns the row of the member whose hand lasted longest, because others may have left earlier."""
    return max(seats.values(), key=lambda row: row["client_seconds"] or 0)
