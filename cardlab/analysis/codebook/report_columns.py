"""The meanings of the columns in the tables that a report saves next to its figures."""

from __future__ import annotations

from collections.abc import Mapping

from cardlab.games.columns import Integer, Number, YesNo

CURVES: Mapping[str, str] = {
    "place": Integer("number of the hand among those that count"),
    "hand_place": Integer("number of the hand among those that count"),
    "mean": Number("mean of the participants at this point"),
    "low": Number("lower bound of the 95 % confidence interval"),
    "high": Number("upper bound of the 95 % confidence interval"),
    "participants": Integer("participants with a value here"),
    "groups": Integer("groups of participants who met, with a value here; the intervals are over these"),
    "values": Integer("values here"),
    "missing": Integer("rows without a value here"),
    "method": "how the interval was computed; none if it cannot be computed",
    "baseline": "the simulated player of the row; empty for the participants",
    "condition": "the condition of the participants",
    "kind": "the kind of action",
    "turn": Integer("number of the turn in the hand"),
    "seconds": Number("seconds since the beginning of the hand"),
    "fitted": Integer("places where the card fitted"),
    "game": "the 2×2 game of the turn: the order of its payoffs, and its name if it has one",
    "chance": Number("the share that random choices would have"),
}
"""Columns that have the same meaning in many tables."""

TABLES: Mapping[str, Mapping[str, str]] = {
    "conditions": {
        "participants": Integer("participants of the condition"),
        "hands": Integer("hands of the condition"),
        "hands_that_count": Integer("hands of the condition without practice and excluded hands"),
    },
    "settings": {
        "setting": "the name of the setting",
        "value": "its value in these hands",
        "hands": Integer("hands with this value"),
    },
    "each_participant": {"failed": YesNo("whether the hand is marked with a cross in the figure")},
    "learning_curves": {
        "value": Number("the participant’s value in this hand"),
        "power": Number("the value of the fitted power function"),
        "exponential": Number("the value of the fitted exponential function"),
    },
    "learning_fits": {
        "name": "what the plots call the participant",
        "hands": Integer("hands of the fit"),
        "form": "the form of the curve: constant, power or exponential",
        "asymptote": Number("the value after endless practice"),
        "gain": Number("what practice removes of the value of the first hand"),
        "rate": Number("the rate of learning"),
        "correlation": Number("the correlation of the errors of successive hands"),
        "log_sd": Number("the standard deviation of the errors of the logarithm"),
        "aicc": Number("Akaike’s criterion for small samples; lower is better"),
        "best": YesNo("whether this form is the best of the participant"),
    },
    "moves_to_solution": {
        "ending": "how the hands ended",
        "time": Number("moves made"),
        "incidence": Number("share of hands that had ended so after this number of moves"),
        "at_risk": Integer("hands not over just before"),
        "events": Integer("hands that ended so at this number of moves"),
        "censored": Integer("hands that stopped at this number of moves without an ending"),
        "phase": "the phase of the session; empty without phases",
    },
    "sequences": {
        "sequence": "the moves of a hand",
        "hands": Integer("hands with this sequence"),
        "participants": Integer("participants who played it"),
        "moves": Integer("length of the sequence"),
        "optimal_share": Number("share of these hands in which no shorter sequence solves"),
    },
    "sequences_by_block": {"sequence": "the moves of a hand"},
    "transitions": {
        "before": "the move before, or the beginning of the hand",
        "move": "the next move",
        "moves": Integer("moves of this kind"),
        "share": Number("share of these among all moves after the same move"),
    },
    "choices_by_game": {
        "choices": Integer("choices in this game"),
        "participants": Integer("participants who made them"),
        "cooperated": Number("share of cooperative choices"),
        "best_response": Number("share of best responses to the other’s choice"),
        "equilibrium": Number("share of choices that were part of an equilibrium"),
        "collected": Number("mean points collected"),
    },
    "lost": {
        "lost_at": Integer("the first action after which the hand could not be solved"),
        "fate": "the outcome of the hand",
    },
    "lost_at": {"lost_at": Integer("the first action after which the hand could not be solved, grouped")},
    "length": {"length": Integer("least length of the hands in this group, in actions")},
    "ends": {"ended_by": "what ended the hand"},
}
"""Further columns by the name of the table."""

COUNTS: Mapping[str, str] = {
    "classes": "participants in the class:",
    "classes_of_the_paper": "participants in the class, as the paper defines it:",
    "routes": "hands by route:",
    "sequences_by_block": "how often the sequence was played, in the hands",
    "fates": "hands with the outcome:",
    "lost_at": "lost hands in the condition:",
    "home_when_lost": "lost hands in the condition:",
    "length": "hands in the condition:",
    "ends": "hands with the outcome:",
}
"""What a table counts in its other columns, each of which is named after a category."""

MEANS: Mapping[str, str] = {"score_parts": "mean points of this part of the score:"}
"""The same for tables of means."""


def meaning_of(table: str, name: str) -> str:
    """Returns the meaning of a column of a report's table, "" if it is not known.

    ``table`` is the name of the file without its ending.
    """
    if meaning := TABLES.get(table, {}).get(name) or CURVES.get(name):
        return meaning
    if table in COUNTS:
        return Integer(f"{COUNTS[table]} {name}")
    return Number(f"{MEANS[table]} {name}") if table in MEANS else ""
