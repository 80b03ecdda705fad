"""Compares the moves that boards predict (``_static/<game>/predict.js``) with the rules, in random hands.

Node.js answers all questions of a game in one process. A prediction must equal the view that the server will
send. Nothing may be predicted for an action that the rules refuse, or while another seat has to act.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import pytest
from test_javascript import FOLDER, ROOT, pytestmark  # noqa: F401 skips without Node.js

from cardlab.games.contract import IllegalAction

TTT = [
    {"ViewCard": seen, "ViewCkNk": face_up, **more}
    for seen in ("all", "mix", "none")
    for face_up in (False, True)
    for more in ({}, {"players": 2}, {"ViewTarget": False, "MaxRounds": 6})
]
SOLITARIO = [
    {"pack": pack, "draw": draw, "turn_up": turn_up, "undo": undo}
    for pack, draw in (("briscola", 1), ("briscola", 3), ("tarocco", 1), ("french", 3))
    for turn_up, undo in (("click", True), ("auto", False))
]
CHALLENGE = [
    {"show": show, "size": size, "after_pickup": after_pickup, "after_better": after_better, **more}
    for show, size in (("all", 4), ("own", 3))
    for after_pickup, after_better in (("opponent", "pass"), ("opponent", "lead"), ("picker", "lead"))
    for more in ({"hints": True, "claims_limit": 2}, {"robots": {"N": "computer"}, "max_actions": 60})
]
MATRIX = [{"players": players, "change_choice": change} for players in (2, 4) for change in (False, True)]
TRIANGLE = [{"highlight": fits, "show_left": show} for fits in (False, True) for show in (False, True)]
# By game: its options, and the number of hands for each of them.
HANDS = {
    "challenge": (CHALLENGE, 1),
    "matrix": (MATRIX, 2),
    "solitario": (SOLITARIO, 1),
    "triangle": (TRIANGLE, 1),
    "ttt": (TTT, 3),
}
REMEMBERED = {"solitario": lambda state: [state.waste]}  # what the page has seen before
PLAYED_WELL = {"solitario", "triangle"}  # games in which random moves do not get far
STEPS, TRIED = 120, 6  # actions of a hand at most, and actions asked about before each


class Question(NamedTuple):
    """An action that a seat might try, with the seat's next view; None if the rules refuse it."""

    view: dict[str, Any]
    action: str
    options: dict[str, Any]
    remembered: list[Any]
    after: dict[str, Any] | None
    may_act: bool


@cache
def questions(game: str) -> list[Question]:
    """Returns actions in random hands: every legal one, and another one for each seat."""
    return list(_questions(game))


def _questions(game: str) -> Iterator[Question]:
    rules = import_module(f"cardlab.games.{game}.rules")
    new_policy = import_module(f"cardlab.games.{game}.strategies").new_view_policy
    every_options, hands = HANDS[game]
    for options in every_options:
        for number in range(hands):
            chance = random.Random(f"{game}, {options}, {number}")
            state = rules.start(rules.deal(str(number), options), options)
            policies = {seat: new_policy(chance) for seat in rules.seats(state)}
            for _step in range(STEPS):
                if rules.is_over(state):
                    break
                for seat in rules.seats(state):
                    yield from _questions_of_seat(rules, state, seat, chance)
                seat = chance.choice(rules.waiting_for(state))
                action = chance.choice(_actions_of(rules, state, seat))
                if game in PLAYED_WELL and chance.random() < 0.7:
                    action = policies[seat](rules.view(state, seat))
                state = rules.apply(state, seat, action)


def _actions_of(rules: Any, state: Any, seat: str) -> list[str]:
    """Returns the legal moves and looks of a seat, except giving up."""
    view = rules.view(state, seat)
    more = [f"look {keeper}" for keeper in view.get("may_look", ())]
    for place in view.get("places", ()) if "spares" in view else ():  # reminders of Triangle Solitaire
        more += [f"unmark {single} {place['place']}" for single in place["marks"]]
        spare = [single for single in "HB" if view["spares"][single] and not place["complete"]]
        more += [f"mark {single} {place['place']}" for single in spare]
    legal = (*rules.legal_actions(state, seat), *more)
    return [action for action in legal if action != "give up"]


def _questions_of_seat(rules: Any, state: Any, seat: str, chance: random.Random) -> Iterator[Question]:
    view, legal = rules.view(state, seat), _actions_of(rules, state, seat)
    tried = [*chance.sample(legal, min(TRIED, len(legal))), *chance.sample(rules.EXAMPLES, 2)]
    if view.get("finish"):
        tried.append(view["finish"])
    for action in tried:
        try:
            after = rules.view(rules.apply(state, seat, action), seat)
        except IllegalAction:
            after = None
        if after and view.get("other_chosen") and action in legal:
            # Both cards are disclosed at once; the prediction only shows that the seat's own card is chosen.
            changes = state.options["change_choice"]
            after = {**view, "waiting_for": [], "chosen": action.split()[1], "may_change": changes}
        remembered = REMEMBERED.get(rules.__name__.split(".")[2], lambda _state: [])(state)
        yield Question(
            view,
            action,
            state.options,
            remembered,
            after,
            action in legal or seat in rules.waiting_for(state),
        )


def predictions(game: str, asked: list[Question], remembers: bool) -> list[dict[str, Any] | None]:
    """Returns what the game's module predicts for each question."""
    more = [one.remembered if remembers else [] for one in asked]
    given = [[game, one.view, one.action, one.options, *seen] for one, seen in zip(asked, more)]
    lines = [json.dumps(each) + "\n" for each in given]
    run = subprocess.run(
        ["node", FOLDER / "predict.js"], cwd=ROOT, input="".join(lines), capture_output=True, encoding="utf-8"
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.parametrize("game", sorted(HANDS))
def test_predictions_are_what_the_rules_lead_to(game):
    asked = questions(game)
    made = predictions(game, asked, remembers=True)
    assert len(made) == len(asked)
    for one, predicted in zip(asked, made):
        if predicted is not None:
            assert one.may_act, one
            assert predicted == one.after, (one.action, one.view)
    known = sum(predicted is not None for predicted in made)
    assert known > len(asked) / 10


def cards_in(view: Any) -> set[str]:
    """Returns all texts in a view, among them all cards."""
    if isinstance(view, dict):
        return {text for part in (*view, *view.values()) for text in cards_in(part)}
    if isinstance(view, list):
        return {text for part in view for text in cards_in(part)}
    return {view} if isinstance(view, str) else set()


@pytest.mark.parametrize("game", sorted(HANDS))
def test_moves_that_uncover_cards_are_not_predicted(game):
    rules = import_module(f"cardlab.games.{game}.rules")
    words = {word for options in HANDS[game][0] for word in rules.deal("1", options).split()}
    pack = {word for word in words if not word.islower()}  # the others are seat names
    new = [(one, cards_in(one.after) - cards_in(one.view)) for one in questions(game) if one.after]
    hidden = [one for one, cards in new if cards & pack]
    assert hidden
    assert set(map(str, predictions(game, hidden, remembers=False))) == {"None"}
