"""Computes best replies and equilibria of the turn's 2×2 game for the analysis board."""

from collections.abc import Iterator
from typing import NamedTuple

from cardlab.analysis.board.move_value import MoveValue
from cardlab.games.matrix import rules, two_by_two
from cardlab.games.matrix.packs import COLUMNS, column
from cardlab.games.matrix.state import State
from cardlab.games.matrix.two_by_two import Game, Payoffs

DEAL_SETTINGS = tuple(
    {"players": players, "pack": pack} for players in ("2", "4") for pack in ("standard", "special")
)
THIS_TURN, NEXT_TURN = "2×2 game of this turn", "2×2 game of the next turn"


class _PlayerView(NamedTuple):
    """The 2×2 game as one player sees it. ``own[own choice][other's choice]`` is the player's payoff."""

    game: Game
    player: str
    own: Payoffs


def move_values(state: State, seat: str) -> Iterator[MoveValue]:
    """Yields for each card its payoffs against the columns of the other player.

    For a rotation it is the security level of the player in the game of the next turn.
    """
    if seat == state.rotator:
        yield from (_rotation(state, seat, action) for action in rules.legal_actions(state, seat))
        return
    view = _view_game(state, seat)
    other_columns = _possible_columns(state, seat)
    for action in rules.legal_actions(state, seat):
        yield _card(view, action, COLUMNS.index(column(action.removeprefix("play "))), other_columns)


def _view_game(state: State, seat: str) -> _PlayerView:
    game = two_by_two.game_from_cells(rules.payoffs(state))
    player = "row" if seat == state.pair[0] else "column"
    return _PlayerView(game, player, two_by_two.own_payoffs(game, player))


def _possible_columns(state: State, seat: str) -> list[int]:
    """Returns the columns that the other player may play: the chosen one, or those of the hand."""
    other_seat = next(seat_of_pair for seat_of_pair in state.pair if seat_of_pair != seat)
    chosen_card = state.choice.card if state.choice and state.choice.seat == other_seat else None
    cards = [chosen_card] if chosen_card else state.hand(other_seat)
    return sorted({COLUMNS.index(column(card)) for card in cards})


def _card(seat: _PlayerView, action: str, own_column: int, other_columns: list[int]) -> MoveValue:
    payoffs = seat.own[own_column]
    text = ", ".join(f"{_number(payoffs[column])} against {COLUMNS[column]}" for column in other_columns)
    replies = two_by_two.best_responses(seat.game, seat.player)
    facts = [f"best reply to {COLUMNS[column]}" for column in other_columns if own_column in replies[column]]
    pure = [cell if seat.player == "row" else cell[::-1] for cell in two_by_two.equilibria(seat.game).pure]
    facts += [
        f"equilibrium with {COLUMNS[column]}"
        for mine, column in pure
        if mine == own_column and column in other_columns
    ]
    return MoveValue(action, text, THIS_TURN, _key(seat, own_column, other_columns), "; ".join(facts))


def _key(seat: _PlayerView, own_column: int, other_columns: list[int]) -> float | None:
    """Returns the payoff if the other's column is known, else 1 for the dominant choice and 0 for the other.

    None if no choice is dominant.
    """
    if len(other_columns) == 1:
        return seat.own[own_column][other_columns[0]]
    dominant = two_by_two.dominant(seat.game, seat.player)
    return None if dominant is None else float(own_column == dominant.choice)


def _rotation(state: State, seat: str, action: str) -> MoveValue:
    rotated = rules.apply(state, seat, action)
    next_game = _view_game(rotated, seat)
    sure = two_by_two.security(next_game.own).pure
    kind = two_by_two.label(two_by_two.classify(next_game.game))
    return MoveValue(action, f"sure of {_number(sure)}", NEXT_TURN, sure, kind)


def facts(state: State) -> dict[str, str]:
    """Returns all hands, the stock with the next card first, and a secret choice."""
    hands = {f"hand of {seat}": " ".join(state.hand(seat)) for seat in state.seats}
    choice = {f"chosen by {state.choice.seat}": state.choice.card} if state.choice else {}
    return {**hands, **choice, "stock": " ".join(state.stock)}


def _number(points: float) -> str:
    return f"{points:g}".replace("-", "−")
