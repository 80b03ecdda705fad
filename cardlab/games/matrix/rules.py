"""The rules of the matrix card game: a fold from the deal over the actions to the state.

Two players sit S and W, four players S, W, N and E; S deals (ruling 12). A deal is
``hand S | hand W | cross SW | cross NW | cross NE | cross SE | stock``. ``deal.py`` describes it and the
options: ``players`` 2|4, ``pack`` standard|special, ``court`` 10|ladder, ``change_choice`` bool.

The actions of a seat are:

``play 7C``     choose this card of the hand; secret until the other of the pair has chosen (with
                ``change_choice`` it may be changed until then)
``rotate NW``   turn the cross in NW, NE, SW or SE by 90 degrees; with two players only, for the player
                who collected the lower card (ruling 13)
``keep``        turn no cross
"""

import random
from dataclasses import replace
from typing import Any

from cardlab.games.contract import IllegalAction, Result
from cardlab.games.contract import no_engine_question as engine_question  # noqa: F401 part of the contract
from cardlab.games.contract import no_forced_action as forced_action  # noqa: F401 part of the contract
from cardlab.games.matrix import board
from cardlab.games.matrix.deal import complete, format_deal, parse_deal
from cardlab.games.matrix.packs import COLUMNS, PACKS, column, value
from cardlab.games.matrix.robots import ROBOTS
from cardlab.games.matrix.state import Choice, State, Turn
from cardlab.games.sentence import sentence as _

KEEP = "keep"
ROTATIONS = tuple(f"rotate {cell}" for cell in board.CELLS)
EXAMPLES = ("play 7C", *ROTATIONS, KEEP)


def deal(seed: str, options: dict[str, Any]) -> str:
    """Deals the complete pack, shuffled by ``seed``."""
    options = complete(options)
    cards = list(PACKS[options["pack"]])
    random.Random(seed).shuffle(cards)
    return format_deal(cards, options)


def start(deal: str, options: dict[str, Any]) -> State:
    """Returns the state after the deal. Missing options have their default. Raises ValueError."""
    options = complete(options)
    players = options["players"]
    *sections, stock = parse_deal(deal, options)
    crosses = tuple((north_south, east_west) for north_south, east_west in sections[players:])
    return State(tuple(sections[:players]), crosses, stock, options)


def seats(state: State) -> tuple[str, ...]:
    """Returns the seats at the table, clockwise from the dealer: S, W, and with four players N, E."""
    return state.seats


def payoffs(state: State) -> board.Matrix:
    """Returns the current 2×2 game of the pair of this turn, in the form of ``board.matrix``."""
    return board.matrix(state.crosses, state.pair, state.options)


def waiting_for(state: State) -> tuple[str, ...]:
    """Returns the seats that must act now: those that have not chosen, or the one that may rotate."""
    if is_over(state):
        return ()
    if state.rotator:
        return (state.rotator,)
    return tuple(seat for seat in state.pair if not state.choice or state.choice.seat != seat)


def legal_actions(state: State, seat: str) -> list[str]:
    """Returns plays in the order of the hand, or the rotations and keep."""
    if seat == state.rotator:
        return [*ROTATIONS, KEEP]
    chosen_card = state.choice.card if state.choice and may_change(state, seat) else None
    if seat in waiting_for(state) or chosen_card:
        return [f"play {card}" for card in state.hand(seat) if card != chosen_card]
    return []


def may_change(state: State, seat: str) -> bool:
    """Returns whether the seat has chosen and may still choose another card."""
    return bool(state.options["change_choice"] and state.choice and state.choice.seat == seat)


def absent_action(state: State, seat: str, seed: str) -> str:
    """Returns the action for an absent participant (ruling 14).

    A rotator keeps. Otherwise a random card of the hand is played, drawn by ``seed``, turn and seat.
    """
    if seat == state.rotator:
        return KEEP
    return random.Random(f"{seed}, turn {state.turn}, {seat}").choice(legal_actions(state, seat))


def mark_played_by_server(state: State, seat: str) -> State:
    """Returns the state with a mark that the server took the seat's last action."""
    if state.choice and state.choice.seat == seat:
        return replace(state, chosen_for=seat)
    *earlier, turn = state.turns
    if turn.rotation:
        turn = turn._replace(kept_for=seat)
    else:
        turn = turn._replace(chosen_for=(*turn.chosen_for, seat))
    return replace(state, turns=(*earlier, turn))


def robot_action(state: State, seat: str, robot: str, seed: str) -> str:
    """Returns the action of a robot in a seat that must act. It has only the view of the seat."""
    chance = random.Random(f"{seed}, turn {state.turn}, {seat}, {robot}")
    return ROBOTS[robot].act(view(state, seat), chance)


def apply(state: State, seat: str, action: str) -> State:
    """Returns the state after ``action``. Raises IllegalAction."""
    if seat not in state.seats:
        raise IllegalAction(_("This seat does not play in this hand."))
    if is_over(state):
        raise IllegalAction(_("This hand is over."))
    if action == KEEP or action in ROTATIONS:
        return _rotate(state, seat, action)
    if action.startswith("play "):
        return _choose(state, seat, action.removeprefix("play "))
    raise IllegalAction(_("Unknown move. Play a card, turn a cross or keep all."))


def _rotate(state: State, seat: str, action: str) -> State:
    if not state.rotator:
        raise IllegalAction(_("No cross can be turned now."))
    if seat != state.rotator:
        raise IllegalAction(_("Only the player who collected the lower card may turn a cross."))
    crosses = (
        state.crosses if action == KEEP else board.turn_cross(state.crosses, action.removeprefix("rotate "))
    )
    turns = (*state.turns[:-1], state.turns[-1]._replace(rotation=action))
    return _draw(replace(state, crosses=crosses, turns=turns))


def _choose(state: State, seat: str, card: str) -> State:
    if seat == state.rotator:
        raise IllegalAction(_("First turn one cross, or keep all."))
    if state.rotator in (state.options.get("robots") or {}):
        raise IllegalAction(_("The robot may turn a cross first. Please wait."))
    if state.rotator:
        raise IllegalAction(_("The other player may turn a cross first. Please wait."))
    if seat not in state.pair:
        raise IllegalAction(_("The two other players play this turn."))
    if card not in state.hand(seat):
        raise IllegalAction(_("You do not have this card."))
    if state.choice and state.choice.seat != seat:
        return _disclose(state, {state.choice.seat: state.choice.card, seat: card})
    if state.choice and not may_change(state, seat):
        raise IllegalAction(_("You have already chosen. You cannot change your choice."))
    if state.choice and state.choice.card == card:
        raise IllegalAction(_("You have already chosen this card."))
    return replace(state, choice=Choice(seat, card), chosen_for=None)


def _disclose(state: State, chosen: dict[str, str]) -> State:
    """Returns the state after both cards are disclosed, collected and made a new cross (rulings 12, 13)."""
    first, second = pair = state.pair
    cards = chosen[first], chosen[second]
    cell = board.selected_cell(pair, (column(chosen[first]), column(chosen[second])))
    collected = board.cross_at(state.crosses, cell)
    rotator = None if state.turn == state.of else _lower(state, collected)
    free_choices = _has_both_columns(state, first), _has_both_columns(state, second)
    chosen_for = (state.chosen_for,) if state.chosen_for else ()
    turn = Turn(
        state.turn, pair, state.crosses, cards, free_choices, cell, collected, rotator, None, chosen_for
    )
    next_state = replace(
        state,
        hands=tuple(tuple(card for card in hand if card not in cards) for hand in state.hands),
        crosses=board.replace_cross(state.crosses, cell, cards),
        turns=(*state.turns, turn),
        choice=None,
        chosen_for=None,
    )
    return next_state if rotator else _draw(next_state)


def _has_both_columns(state: State, seat: str) -> bool:
    """Returns whether the seat's hand has cards of both columns."""
    return {column(card) for card in state.hand(seat)} == set(COLUMNS)


def _lower(state: State, collected: board.Cross) -> str | None:
    """Returns which of two players collected the lower card; None if they are equal, or if four play."""
    first, second = (value(card, state.options) for card in collected)
    if state.options["players"] == 4 or first == second:
        return None
    return state.pair[0] if first < second else state.pair[1]


def _draw(state: State) -> State:
    """Deals a card to each player of the turn, the N–S player first, while the stock lasts (it is even)."""
    drawn_cards = dict(zip(state.turns[-1].pair, state.stock))
    hands = tuple(
        (*hand, drawn_cards[seat]) if seat in drawn_cards else hand
        for seat, hand in zip(state.seats, state.hands)
    )
    return replace(state, hands=hands, stock=state.stock[len(drawn_cards) :])


def view(state: State, seat: str) -> dict[str, Any]:
    """Returns the view of a seat, with the table as seen from its side.

    ``pair`` plays turn ``turn`` of ``of``. ``crosses`` are from :func:`board.crosses_from_seat`. ``hand`` is
    the seat's own, a drawn card last. ``chosen`` is its own choice, ``other_chosen`` says if another player
    has chosen face down. ``rotator`` is the seat that may rotate now. ``players`` has the seats clockwise,
    this one first, with the points and the number of cards of the pile and the number in hand. ``stock`` is a
    number. ``last`` is the last disclosed turn, ``last_but_one`` that of the other pair before it (None if
    two play), with the seats for which the server played (``chosen_for``, ``kept_for``). ``faces`` has points
    and column of every visible card.
    """
    own_card = state.choice.card if state.choice and state.choice.seat == seat else None
    seats, place = state.seats, board.SEATS.index(seat)
    clockwise = seats[place:] + seats[:place]
    crosses, hand = board.crosses_from_seat(state.crosses, seat), state.hand(seat)
    disclosed = [_show_turn(turn) for turn in state.turns[-len(state.seats) // 2 :]]
    last_turn, last_but_one = (*reversed(disclosed), None, None)[:2]
    sight = [cross[place] for cross in crosses for place in ("own", "across")]
    sight += hand
    for turn in disclosed:
        sight += [*turn["cards"].values(), *turn["collected"].values()]
    return {
        "seat": seat,
        "turn": state.turn,
        "of": state.of,
        "pair": list(state.pair),
        "waiting_for": list(waiting_for(state)),
        "crosses": crosses,
        "hand": list(hand),
        "chosen": own_card,
        "may_change": may_change(state, seat),
        "other_chosen": bool(state.choice and not own_card),
        "rotator": state.rotator,
        "players": [_player(state, seat, other) for other in clockwise],
        "stock": len(state.stock),
        "last": last_turn,
        "last_but_one": last_but_one,
        "faces": {card: {"value": value(card, state.options), "column": column(card)} for card in sight},
    }


def _player(state: State, seat: str, other: str) -> dict[str, Any]:
    return {
        "seat": other,
        "side": board.side(seat, other),
        "score": state.score(other),
        "pile": len(state.pile(other)),
        "hand": len(state.hand(other)),
    }


def _show_turn(turn: Turn) -> dict[str, Any]:
    """Returns the public data of a turn."""
    return {
        "turn": turn.number,
        "cards": dict(zip(turn.pair, turn.cards)),
        "cell": turn.cell,
        "collected": dict(zip(turn.pair, turn.collected)),
        "rotator": turn.rotator,
        "rotation": turn.rotation,
        "chosen_for": list(turn.chosen_for),
        "kept_for": turn.kept_for,
    }


def is_over(state: State) -> bool:
    """Returns whether all hands are empty, which happens after the stock is empty (ruling 13)."""
    return not any(state.hands)


def result(state: State, seat: str, seconds: float) -> Result:
    """Returns the points of the cards collected so far (ruling 13).

    ``parts`` are the numbers of collected cards and of rotations, and the seconds. ``outcome`` is
    ``completed`` or ``open``.
    """
    rotations = [turn for turn in state.turns if turn.rotator == seat and turn.rotation in ROTATIONS]
    parts = {"cards": len(state.pile(seat)), "rotations": len(rotations), "seconds": round(seconds, 3)}
    return Result(state.score(seat), parts, "completed" if is_over(state) else "open")
