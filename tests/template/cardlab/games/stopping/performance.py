"""How Stop in Time is played: measures of a hand and of a participant."""

from __future__ import annotations

from cardlab.games.performance import CHOICES, Performance, mean_of
from cardlab.games.statistics import Row, number


def regret(row: Row) -> float | None:
    """`best` less the score: what the best card of the row would have been worth more"""
    best, score = number(row, "best"), number(row, "score")
    return None if best is None or score is None else best - score


mean_turned = mean_of("turned", "mean_turned", "mean of `turned` over the hands")

MEASURES = Performance(
    hand_measures=(regret,),
    participant_measures={mean_turned: CHOICES},
    behaviour=(mean_turned,),
    baselines={"random": "random"},
)
