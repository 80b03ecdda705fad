"""Implements the robots of the matrix card game: simple strategies with only the view of their seat.

A robot is a pure function of the seat's ``rules.view`` and a seeded ``random.Random``, and returns an action
when the seat is in ``waiting_for``. It selects a column by a decision rule from the literature. All robots
except ``random`` share two further rules. They play the highest card of the selected column, because this
card lies on their own axis and they may collect it later. And they rotate the cross that gives the highest
value in the next turn, by their own rule and with their current hand, or keep if no rotation is better.
"""

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from cardlab.games.matrix.packs import COLUMNS
from cardlab.games.matrix.two_by_two import security

View = dict[str, Any]
Points = tuple[int, int]  # the robot's payoffs in a column's two cells, the far one first


class Plan(NamedTuple):
    """The value of a turn by a rule, in points, and the probability of playing each column."""

    worth: Fraction | int
    shares: dict[str, Fraction]


Rule = Callable[[dict[str, Points]], Plan]  # a function of the columns that the hand can select


class Robot(NamedTuple):
    """A robot: ``act`` returns its action, ``source`` describes it and cites its source."""

    act: Callable[[View, random.Random], str]
    source: str


def _at_random(view: View, chance: random.Random) -> str:
    """Returns a random legal action."""
    if view["rotator"] == view["seat"]:
        return chance.choice([f"rotate {cross['cell']}" for cross in view["crosses"]] + ["keep"])
    return f"play {chance.choice(view['hand'])}"


def _follows(rule: Rule) -> Callable[[View, random.Random], str]:
    """Returns a robot that plays and rotates by this rule."""

    def act(view: View, chance: random.Random) -> str:
        if view["rotator"] == view["seat"]:
            return _rotation(rule, view, chance)
        return f"play {_card(rule, view, chance)}"

    return act


def _card(rule: Rule, view: View, chance: random.Random) -> str:
    shares = rule(_columns(view, view["crosses"])).shares
    column = chance.choices(list(shares), [float(share) for share in shares.values()])[0]
    faces = view["faces"]
    fitting: list[str] = [card for card in view["hand"] if faces[card]["column"] == column]
    return max(fitting, key=lambda card: faces[card]["value"])


def _rotation(rule: Rule, view: View, chance: random.Random) -> str:
    worth = {"keep": rule(_columns(view, view["crosses"])).worth}
    for turn in view["crosses"]:
        crosses = [_rotate_cross(cross) if cross is turn else cross for cross in view["crosses"]]
        worth[f"rotate {turn['cell']}"] = rule(_columns(view, crosses)).worth
    best_actions = [action for action in worth if worth[action] == max(worth.values())]
    return "keep" if "keep" in best_actions else chance.choice(best_actions)


def _rotate_cross(cross: dict[str, str]) -> dict[str, str]:
    return {**cross, "own": cross["across"], "across": cross["own"]}


def _columns(view: View, crosses: list[dict[str, str]]) -> dict[str, Points]:
    """Returns the robot's payoffs in the columns that its hand can select, with these crosses."""
    faces = view["faces"]
    in_hand = {faces[card]["column"] for card in view["hand"]}
    return {
        column: tuple(faces[cross["own"]]["value"] for cross in crosses if cross["column"] == column)
        for column in COLUMNS
        if column in in_hand
    }


def _highest(measure: Callable[[Points], Fraction | int]) -> Rule:
    """Returns the rule that plays the column with the highest ``measure``; ties are equally likely."""

    def rule(columns: dict[str, Points]) -> Plan:
        worth = {column: measure(points) for column, points in columns.items()}
        best_columns = [column for column in columns if worth[column] == max(worth.values())]
        return Plan(worth[best_columns[0]], dict.fromkeys(best_columns, Fraction(1, len(best_columns))))

    return rule


def _mean(points: Points) -> Fraction:
    return Fraction(sum(points), len(points))


def _secure(columns: dict[str, Points]) -> Plan:
    """Returns the maximin mix of columns, whose guaranteed mean payoff is highest."""
    if len(columns) == 1:
        ((column, points),) = columns.items()
        return Plan(Fraction(min(points)), {column: Fraction(1)})
    left, right = columns.values()
    sure = security((left, right))
    return Plan(sure.level, dict(zip(columns, (sure.first, 1 - sure.first))))


ROBOTS = {
    "random": Robot(
        _at_random,
        "Level 0 of level-k thinking: any legal action, each equally likely (Stahl and Wilson 1994).",
    ),
    "greedy": Robot(
        _follows(_highest(max)),
        "The column of its highest payoff, maximax: 'optimistic' in Costa-Gomes, Crawford and Broseta 2001.",
    ),
    "best_response": Robot(
        _follows(_highest(_mean)),
        "The best response to a partner whose columns are equally likely: level 1 in Stahl and Wilson 1994, "
        "'naive' in Costa-Gomes, Crawford and Broseta 2001.",
    ),
    "minimax": Robot(
        _follows(_secure),
        "The mix of columns that secures the most on average whatever the other does (von Neumann 1928).",
    ),
}
