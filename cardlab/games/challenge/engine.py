"""The computer player of Challenge: answers the questions of ``rules.engine_question``.

It runs in a worker process, because a search is slow. It knows only what is in the question, and its budget
is a number of positions, not time, so it answers the same on every machine.
"""

from __future__ import annotations

import json
import random
from typing import Any

from cardlab.games.challenge import rules
from cardlab.games.challenge.packs import pack
from cardlab.games.challenge.position import Form, Position
from cardlab.games.challenge.search import Found, best_move, forced_win, worths
from cardlab.games.challenge.solver import MOST_ROUNDS, solved

SOLVED = 3  # up to this size the solver judges a claim, within a second
GUESSES = 8  # guessed deals of the unseen cards, for a computer that does not see all
UNSURE = 9_999  # limit of a value that is not proved in all guesses
LINE = 4  # expected moves in an advice

# A parsed question of ``rules.engine_question``.
_Question = dict[str, Any]
_Game = tuple[Position, tuple[Position, ...]]  # the position, and the earlier positions


def answer(question_json: str) -> str:
    """Returns the computer's action for a question of ``rules.engine_question``."""
    question: _Question = json.loads(question_json)
    games = _guess_games(question) if "view" in question else [_known_game(question)]
    if question["what"] == rules.CLAIM:
        return rules.ACCEPT if all(_is_won(*game, question) for game in games) else rules.DECLINE
    if question["what"] == rules.OFFER:
        # The player who offers is on turn: what is good for them is bad for the computer (ruling 21).
        value = sum(_search(*game, question).value for game in games)
        return rules.ACCEPT if value >= 0 else rules.DECLINE
    if question["what"] == rules.CONSULT:
        return _advice(games, question)
    if len(games) == 1:
        return rules.action_of(_search(*games[0], question).move)
    return rules.action_of(_best_on_average(games, question)[0])


def _known_game(question: _Question) -> _Game:
    options = {name: question[name] for name in ("after_pickup", "after_better", "trumps", "moves")}
    state = rules.start(question["deal"], options)
    return state.position, state.positions[:-1]


def _guess_games(question: _Question) -> list[_Game]:
    """Returns random distributions of the unseen cards; a single one if all cards are known."""
    view = question["view"]
    hidden = [card for card in question["cards"] if card not in view["hand"] and card != view["top"]]
    under_top = max(0, view["table"] - 1)
    chance = random.Random(question["seed"])
    form = Form(question["after_pickup"], question["after_better"])
    top = [view["top"]] if view["top"] else []
    first, second = question["trumps"]
    games: list[_Game] = []
    for _guess in range(GUESSES if under_top else 1):
        table = chance.sample(hidden, under_top)
        hands = frozenset(view["hand"]), frozenset(hidden) - set(table)
        if question["seat"] == "S":
            hands = hands[1], hands[0]
        position = Position(
            hands, (*table, *top), view["mover"], view["to_lead"], trumps=(first, second), form=form
        )
        games.append((position, ()))
    return games


def _search(position: Position, earlier: tuple[Position, ...], question: _Question) -> Found:
    depth, nodes, seed = question["depth"], question["nodes"], question["seed"]
    return best_move(position, depth=depth, nodes=nodes, seed=seed, earlier=earlier)


def _best_on_average(games: list[_Game], question: _Question) -> tuple[str, int]:
    """Returns the move with the highest mean value over the guesses, and that mean."""
    nodes, depth = question["nodes"] // len(games), question["depth"]
    values = [worths(position, depth=depth, nodes=nodes, earlier=earlier) for position, earlier in games]
    sums = {move: sum(guess[move] for guess in values) for move in values[0]}
    moves = sorted(sums)
    random.Random(question["seed"]).shuffle(moves)
    best = max(moves, key=sums.__getitem__)
    return best, sums[best] // len(games)


def _is_won(position: Position, earlier: tuple[Position, ...], question: _Question) -> bool:
    """Whether it is proved that the player on turn wins before the game is too long."""
    cards = len(position.hands[0]) + len(position.hands[1])
    occurred = [one.key for one in earlier]
    without_repetition = len(set(occurred)) == len(occurred)
    if cards <= 4 * SOLVED and without_repetition and position.cards == set(pack(cards // 4)):
        score = solved(cards // 4, position.form).score(position)
        rounds = MOST_ROUNDS - score
        if score <= 0 or rounds * (cards + 1) <= question["left"]:
            return score > 0
    return forced_win(position, nodes=question["nodes"], earlier=earlier, within=question["left"])


def _advice(games: list[_Game], question: _Question) -> str:
    """Returns the best move and its value, with the expected moves if no cards had to be guessed."""
    if len(games) == 1:
        found = _search(*games[0], question)
        worth, (move, *line) = found.value, found.line[: 1 + LINE]
    else:
        (move, worth), line = _best_on_average(games, question), []
        if abs(worth) < rules.PROVED:  # won in some of the guesses only
            worth = max(-UNSURE, min(UNSURE, worth))
    worth = max(-rules.PROVED, min(rules.PROVED, worth))
    return " ".join([f"{rules.ADVISE}{rules.spelled(move)} {worth:+d}", *map(rules.spelled, line)])
