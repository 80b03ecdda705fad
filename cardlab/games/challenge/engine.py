"""What the computer of Challenge answers to a question of ``rules.engine_question``.

Slow, so never asked in the server's process. It knows what stands in the question and nothing else, looks at
a number of positions and at no clock, and so answers the same on every machine.
"""

from __future__ import annotations

import json
import random
from typing import Any

from cardlab.games.challenge import rules
from cardlab.games.challenge.packs import pack
from cardlab.games.challenge.position import Form, Position
from cardlab.games.challenge.search import best_move, forced_win, worths
from cardlab.games.challenge.solver import MOST_ROUNDS, solved

SOLVED = 3  # up to this size a claim is judged by the solver, which takes a second at most
GUESSES = 8  # ways in which the unseen cards may lie that a computer looks at which does not see all
UNSURE = 9_999  # the most that is told of a worth that is not proved in every guess
LINE = 4  # moves told after the advised one


def answer(question: str) -> str:
    """The action that the computer plays, for a question as ``rules.engine_question`` puts it."""
    asked = json.loads(question)
    positions = _guessed(asked) if "view" in asked else [_known(asked)]
    if asked["what"] == rules.CLAIM:
        return rules.ACCEPT if all(_is_won(*one, asked) for one in positions) else rules.DECLINE
    if asked["what"] == rules.OFFER:
        # The one who offers is on turn: what is good for them is bad for the computer (ruling 21).
        value = sum(_found(*one, asked).value for one in positions)
        return rules.ACCEPT if value >= 0 else rules.DECLINE
    if asked["what"] == rules.CONSULT:
        return _advice(positions, asked)
    if len(positions) == 1:
        return rules.action_of(_found(*positions[0], asked).move)
    return rules.action_of(_best_for_all(positions, asked)[0])


Known = tuple[Position, tuple[Position, ...]]  # how it stands, and the positions before


def _known(asked: dict[str, Any]) -> Known:
    """The game from its deal on."""
    options = {name: asked[name] for name in ("after_pickup", "after_better", "trumps", "moves")}
    state = rules.start(asked["deal"], options)
    return state.position, state.positions[:-1]


def _guessed(asked: dict[str, Any]) -> list[Known]:
    """Ways in which the cards may lie that the seat does not see; the one way where all are known."""
    view = asked["view"]
    hidden = [card for card in asked["cards"] if card not in view["hand"] and card != view["top"]]
    under = max(0, view["table"] - 1)
    chance = random.Random(asked["seed"])
    form = Form(asked["after_pickup"], asked["after_better"])
    found: list[Known] = []
    for _guess in range(GUESSES if under else 1):
        table = chance.sample(hidden, under)
        top = [view["top"]] if view["top"] else []
        hands = frozenset(view["hand"]), frozenset(hidden) - set(table)
        if asked["seat"] == "S":
            hands = hands[1], hands[0]
        first, second = asked["trumps"]
        position = Position(
            hands,
            (*table, *top),
            view["mover"],
            view["to_lead"],
            trumps=(first, second),
            form=form,
        )
        found.append((position, ()))
    return found


def _found(position: Position, earlier: tuple[Position, ...], asked: dict[str, Any]) -> Any:
    depth, nodes, seed = asked["depth"], asked["nodes"], asked["seed"]
    return best_move(position, depth=depth, nodes=nodes, seed=seed, earlier=earlier)


def _best_for_all(positions: list[Known], asked: dict[str, Any]) -> tuple[str, int]:
    """The move that is worth most on the average of the guesses, and that average."""
    nodes, depth = asked["nodes"] // len(positions), asked["depth"]
    of_all = [worths(one, depth=depth, nodes=nodes, earlier=earlier) for one, earlier in positions]
    sums = {move: sum(of_one[move] for of_one in of_all) for move in of_all[0]}
    moves = sorted(sums)
    random.Random(asked["seed"]).shuffle(moves)
    best = max(moves, key=sums.__getitem__)
    return best, sums[best] // len(positions)


def _is_won(position: Position, earlier: tuple[Position, ...], asked: dict[str, Any]) -> bool:
    """Whether the player on turn is proved to win before the game is too long."""
    cards = len(position.hands[0]) + len(position.hands[1])
    occurred = [one.key for one in earlier]
    fresh = len(set(occurred)) == len(occurred)
    if cards <= 4 * SOLVED and fresh and _cards(position) == set(pack(cards // 4)):
        score = solved(cards // 4, position.form).score(position)
        rounds = MOST_ROUNDS - score
        if score <= 0 or rounds * (cards + 1) <= asked["left"]:
            return score > 0
    return forced_win(position, nodes=asked["nodes"], earlier=earlier, within=asked["left"])


def _cards(position: Position) -> set[str]:
    return {*position.hands[0], *position.hands[1], *position.table}


def _advice(positions: list[Known], asked: dict[str, Any]) -> str:
    """The best move and its worth; where cards had to be guessed, without what may follow."""
    if len(positions) == 1:
        found = _found(*positions[0], asked)
        worth, (move, *line) = found.value, found.line[: 1 + LINE]
    else:
        (move, worth), line = _best_for_all(positions, asked), []
        if abs(worth) < rules.PROVED:  # won in some of the guesses alone
            worth = max(-UNSURE, min(UNSURE, worth))
    worth = max(-rules.PROVED, min(rules.PROVED, worth))
    return " ".join([f"{rules.ADVISE}{rules.spelled(move)} {worth:+d}", *map(rules.spelled, line)])
