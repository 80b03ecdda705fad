"""The meanings of the columns in the tables that a report saves next to its figures."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cardlab.games.columns import GuardedText, Integer, Number, YesNo

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
    "clusters": Integer("independent observations: participants, or groups of those who met"),
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
    "routes": {"hand": Integer("number of the hand among those that count")},
    "score_parts": {
        "hand": Integer("number of the hand among those that count"),
        "score": Number("mean score of the hands"),
    },
    "routes_of_pairs": {
        "pair": "what the figure calls the pair",
        "span": "the part of the session: numbers of hands in the design",
        "share_422": Number("share of these hands that the pair solved by route 422"),
        "hands": Integer("hands of the pair in which both routes compete"),
    },
    "switch_cost": {"since": Integer("number of the hand after the learning phase, 0 for the last of it")},
    "switch_costs": {"cost": Number("mean switch cost of the participants")},
    "switch_costs_each": {
        "hands_before": Integer("solved hands before the end of the learning phase"),
        "hands_after": Integer("solved hands after it"),
        "cost": Number("mean excess after the learning phase minus that before its end"),
    },
    "hazard_of_leaving": {
        "hazard": Number("share of these hands in which the familiar route was left"),
        "hands": Integer("tempting hands up to the first that was solved by another route"),
    },
    "survival_of_the_route": {
        "time": Number("tempting hands after the learning phase"),
        "survival": Number("share of participants who had kept the familiar route for longer"),
        "at_risk": Integer("participants who had kept it until just before"),
        "events": Integer("participants who left it in this hand"),
        "censored": Integer("participants who kept it until this hand, their last"),
    },
    "unknown": {"point": "what the source leaves open, and the choice here"},
    "choices_compared": {
        "choice": "what was chosen: a best response, or the column with the other’s best payoff",
        "first": GuardedText("the two conditions"),
        "second": GuardedText("the two conditions"),
        "n_first": Integer("participants with a value"),
        "n_second": Integer("participants with a value"),
        "clusters_first": Integer("independent observations"),
        "clusters_second": Integer("independent observations"),
        "mean_first": Number("mean of the participants"),
        "mean_second": Number("mean of the participants"),
        "sd_first": Number("standard deviation"),
        "sd_second": Number("standard deviation"),
        "difference": Number("mean of the first minus that of the second"),
        "method": "method of the interval and of p",
        "hedges_g": Number("Hedges' g"),
        "rank_biserial": Number("rank-biserial correlation"),
        "p": Number("two-sided p; empty if a condition has fewer than two clusters"),
        "p_holm": Number("p adjusted by Holm for all classes of games"),
        "p_equivalence": Number("always empty here; `compare --equivalence` fills it, in its own table"),
        "bayes_factor": Number("the Bayes factor of a difference against no difference"),
    },
    "hindsight": {
        "hand": Integer("number of the hand among those that count"),
        "possible_before": Integer("best possible score before it, with the deck known"),
        "possible_after": Integer("best possible score after it"),
        "loss": Integer("`possible_before` minus `possible_after`"),
        "proved": YesNo("whether both are proved; else they are the best scores found"),
    },
    "loss": {
        "loss": Number("value of the best move minus that of this move"),
        "source": "how the value is known: `exact`, `proved` or `searched depth` and a number",
    },
    "loss_by_move": {"moves": Integer("least number of the moves in this group")},
    "planning_depth": {
        "name": "what the plots call the participant",
        "group": Integer("number of the participants who have met directly or through others"),
        "choices": Integer("own choices among several moves that were searched"),
        "loss": Number("mean loss of these choices"),
        "median_response_ms": Number("median response time of these choices, in milliseconds"),
        "verdict": "`search`, `no evidence of search` or `too few choices`",
        "search_weight": Number("weight by BIC of all models that search"),
        "model": "the model with the highest weight by BIC",
        "depth": Integer("the search depth with the highest likelihood, 0 for no search"),
        "depth_low": Integer("the lowest depth with a log-likelihood at most 1.92 below the best"),
        "depth_high": Integer("the highest such depth"),
        "noise": Number("noise at this depth, in points"),
        "lapse": Number("share of random moves at this depth"),
        "gain": Number("mean log-likelihood at this depth minus that of random choice, in nats"),
    },
    "planning_relations": {
        "depth_and": "what the planning depth is correlated with",
        "rank_correlation": Number("Spearman’s rank correlation"),
        "participants": Integer("participants with the verdict `search`"),
    },
    "home_when_lost": {"cards_home": Integer("cards on the foundations when the hand was lost")},
    "home_over_time_each": {"cards_home": Number("mean number of cards on the foundations at this time")},
    "lost": {
        "cards_home": Integer("cards on the foundations when the hand was lost"),
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


def meaning_of(file: str, name: str) -> str:
    """Returns the meaning of a column of a report's table, "" if it is not known.

    ``file`` is the name of the file without its ending. Tables of several conditions end in their numbers.
    """
    return TABLES.get(_table_of(file), {}).get(name) or CURVES.get(name, "")


def category_of(file: str, name: str) -> str:
    """Returns the meaning of a column that is named after a category, "" if the table has none."""
    table = _table_of(file)
    if table in COUNTS:
        return Integer(f"{COUNTS[table]} {name}")
    return Number(f"{MEANS[table]} {name}") if table in MEANS else ""


def _table_of(file: str) -> str:
    return re.sub(r"_\d+$", "", file)
