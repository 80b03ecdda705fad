"""Computes the values of moves of Challenge for the analysis board: by tablebase, proof or search."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cardlab.analysis.board.move_value import MoveValue
from cardlab.analysis.board.starts import Start
from cardlab.analysis.source_hand import PlayedAction, RecordedHand
from cardlab.games.challenge import log, rules
from cardlab.games.challenge.deal import SIDES, Deal, format_deal
from cardlab.games.challenge.packs import in_order
from cardlab.games.challenge.rules import State
from cardlab.games.challenge.tablebase import MAX_ROUNDS, exact_scores
from cardlab.games.challenge.values import EXACT, Value, values

# Depth and node budget of the successive searches. The first ones take tenths of a second.
SEARCHES = ((2, 20_000), (4, 100_000), (6, 300_000), (9, 1_000_000), (12, 1_000_000))

_SEAT = {side: rules.seat_of(player) for player, side in enumerate(SIDES)}


def move_values(state: State, seat: str) -> Iterator[MoveValue]:
    """Yields the value of each play and pick-up to the seat, with all cards known."""
    position, earlier = state.position, state.positions[:-1]
    if state.asked or state.ended or seat != state.mover:
        return
    scores = exact_scores(position) or {}
    for depth, nodes in SEARCHES:
        found = values(position, earlier, depth=depth, nodes=nodes).moves
        for move, value in found.items():
            yield _format_value(move, value, scores.get(move, 0) if value.source == EXACT else 0)
        if all(value.result for value in found.values()):
            return


def _format_value(move: str, value: Value, score: int) -> MoveValue:
    """Returns the value of a move as the board shows it. ``score`` is the tablebase's, 0 if it has none."""
    text = value.result or f"{value.worth:+d}".replace("-", "−")
    if not score or not value.worth:
        return MoveValue(rules.action_of(move), text, value.source, value.worth)
    rounds = MAX_ROUNDS - abs(score)
    detail = f"in {rounds} round{'' if rounds == 1 else 's'}"
    return MoveValue(rules.action_of(move), text, value.source, score, detail)


def open_view(state: State, seat: str) -> dict[str, Any]:
    """Returns the view with both hands and the whole table face up."""
    return rules.view(replace(state, options={**state.options, "show": "all"}), seat)


def facts(state: State) -> dict[str, str]:
    """Returns both hands and the table, with its top card last."""
    position = state.position
    hands = {
        f"hand of {seat}": " ".join(in_order(position.hands[rules.PLAYERS[seat]])) for seat in rules.SEATS
    }
    return {**hands, "table": " ".join(position.table), "actions left": f"{state.left}"}


def deal_of(state: State) -> str | None:
    """Returns the deal that begins with this position; None with cards on the table."""
    position = state.position
    if position.table or state.ended:
        return None
    hands = in_order(position.hands[0]), in_order(position.hands[1])
    return format_deal(Deal(*hands, position.mover))


def read_log(text: str, name: str) -> list[Start] | None:
    """Returns the games of a log; None for another text. Raises BadFile."""
    if not text.lstrip().startswith(log.HEADING):
        return None
    games = log.read(text, name)
    return [_start(game, f"game {number} of {len(games)}") for number, game in enumerate(games, 1)]


def _start(game: log.Game, number: str) -> Start:
    title = " · ".join([number, f"line {game.line}", *game.about])
    acts = tuple(PlayedAction(_SEAT[side], _action(entry)) for side, entry in game.entries)
    passes = any(entry == rules.spelled(rules.PASS) for _side, entry in game.entries)
    options = {**game.options, "analysing": True} if passes else game.options
    return Start(title, "challenge", RecordedHand(game.deal, options, acts))


def _action(entry: str) -> str:
    if entry in rules.MOVES:
        return rules.action_of(rules.MOVES[entry])
    return rules.PASS if entry == rules.spelled(rules.PASS) else entry
