"""Implements the computer player of Challenge, which answers the questions of ``rules.engine_question``.

It runs in a worker process, because a search is slow. It has only the data of the question, and its budget is
a number of positions, not time, so the answer is the same on every machine.

Each answer has a note for the record: ``depth 6 nodes 41234`` for a move, with ``error`` if it is a
deliberate error; for advice or a draw offer also ``exact nodes 0`` or ``proved nodes 812``.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

from cardlab.games.challenge import levels, rules, search
from cardlab.games.challenge.position import Form, Position, legal_moves
from cardlab.games.challenge.search import best_move
from cardlab.games.challenge.values import CERTAIN, Value, Values, is_won, search_moves, values
from cardlab.games.contract import Reply

GUESSES = 8  # random deals of the unseen cards, if the computer does not see all
HARD, HARD_DEPTH, HARD_MOVES = "depth 8", 8, 60  # for the questions that measure the capacity of a machine
LINE = 4  # expected moves in advice

# A parsed question of ``rules.engine_question``.
_Question = dict[str, Any]
_Game = tuple[Position, tuple[Position, ...]]  # the position, and the earlier positions


def answer(question_json: str) -> Reply:
    """Returns the computer's action for a question of ``rules.engine_question``, and a note on the search."""
    question: _Question = json.loads(question_json)
    games = _guess_games(question) if "view" in question else [_known_game(question)]
    if question["what"] == rules.CLAIM:
        all_won = all(is_won(*game, nodes=question["nodes"], within=question["left"]) for game in games)
        return Reply(rules.ACCEPT if all_won else rules.DECLINE)
    if question["what"] == rules.OFFER:
        # Values are for the mover, who offers the draw. The computer accepts unless it is ahead (ruling 21).
        game_values = _values(games, question)
        worth = sum(values.position.worth for values in game_values)
        return Reply(rules.ACCEPT if worth >= 0 else rules.DECLINE, _note(game_values))
    if question["what"] == rules.CONSULT:
        game_values = _values(games, question)
        return Reply(_advice(game_values, question), _note(game_values))
    move, note = _search(*games[0], question) if len(games) == 1 else _search_guesses(games, question)
    error = levels.draw_error(move, legal_moves(games[0][0]), question["errors"], question["seed"])
    return Reply(rules.action_of(error or move), f"{note} error" if error else note)


def warm_up() -> None:
    """Loads the tablebases and compiles the search."""
    search.warm_up()


def hard_questions() -> list[str]:
    """Returns questions of a random game, to measure how many participants a machine can serve."""
    options = {"size": 8, "depth": HARD_DEPTH, "robots": {"N": rules.COMPUTER}}
    state, chance = rules.start(rules.deal("hard", options), options), random.Random("hard")
    questions: list[str] = []
    while len(questions) < HARD_MOVES and not rules.is_over(state):
        if state.mover == "N" and (question := rules.engine_question(state, "N", rules.COMPUTER, "hard")):
            questions.append(question)
        move = chance.choice(legal_moves(state.position))
        state = rules.apply(state, state.mover, rules.action_of(move))
    chance.shuffle(questions)  # so that the first ones are a fair sample if there is no time for all
    return questions


def _known_game(question: _Question) -> _Game:
    options = {name: question[name] for name in ("after_pickup", "after_better", "trumps", "moves")}
    state = rules.start(question["deal"], options)
    return state.position, state.positions[:-1]


def _guess_games(question: _Question) -> list[_Game]:
    """Returns positions with random deals of the unseen cards; a single one if all cards can be inferred."""
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


def _search(position: Position, earlier: tuple[Position, ...], question: _Question) -> tuple[str, str]:
    """Returns the best move and the note about its search."""
    depth, nodes, seed = question["depth"], question["nodes"], question["seed"]
    best = best_move(position, depth=depth, nodes=nodes, seed=seed, earlier=earlier)
    return best.move, f"depth {best.depth} nodes {best.nodes}"


def _search_guesses(games: list[_Game], question: _Question) -> tuple[str, str]:
    """Returns the move with the highest mean value over the guesses, and a note with the lowest depth."""
    depth, nodes = question["depth"], question["nodes"] // len(games)
    results = [search_moves(*game, depth, nodes) for game in games]
    sums = {move: sum(moves[move] for moves, _depth, _nodes in results) for move in results[0][0]}
    reached, node_count = min(result[1] for result in results), sum(result[2] for result in results)
    return _highest(sums, question), f"depth {reached} nodes {node_count}"


def _highest(sums: Mapping[str, int], question: _Question) -> str:
    """Returns the move with the highest sum. The seed selects among equals."""
    moves = sorted(sums)
    random.Random(question["seed"]).shuffle(moves)
    return max(moves, key=sums.__getitem__)


def _values(games: list[_Game], question: _Question) -> list[Values]:
    """Returns the values of the moves in each game. The games share the node budget."""
    depth, nodes = question["depth"], question["nodes"] // len(games)
    return [values(*game, depth=depth, nodes=nodes) for game in games]


def _note(game_values: list[Values]) -> str:
    """Returns the note about values: their source, or the number of guesses."""
    source = (
        game_values[0].position.source.removeprefix("searched ")
        if len(game_values) == 1
        else f"guesses {len(game_values)}"
    )
    return f"{source} nodes {sum(values.nodes for values in game_values)}"


def _advice(game_values: list[Values], question: _Question) -> str:
    """Returns the action with the best move, its value, and the expected moves if no cards were guessed."""
    sums = {move: sum(values.moves[move].worth for values in game_values) for move in game_values[0].moves}
    move = game_values[0].best() if len(game_values) == 1 else _highest(sums, question)
    line = game_values[0].line if len(game_values) == 1 else ()
    expected_line = line[1 : 1 + LINE] if line[:1] == (move,) else ()
    value = _advised_value([values.moves[move] for values in game_values])
    return " ".join([f"{rules.ADVISE}{rules.spelled(move)} {value}", *map(rules.spelled, expected_line)])


def _advised_value(guesses: list[Value]) -> str:
    """Returns the mean worth of a move; ±``rules.PROVED`` or ``=0`` if all guesses have the same result."""
    results, mean = {guess.result for guess in guesses}, sum(guess.worth for guess in guesses) // len(guesses)
    if results == {"drawn"}:
        return "=0"
    return f"{mean * rules.PROVED // CERTAIN if results in ({'won'}, {'lost'}) else mean:+d}"
