"""The rules of Target the Two: a fold from the deal over the actions to the state.

By the option ``players``, one participant moves both keepers (seat ``solo``), or two move a keeper each
(seats ``ck`` and ``nk``). The board has six places: Ck, Target and Nk in the first row, C, UP and N below
them (ruling 1). A deal is ``C Ck UP T N Nk | goal | first``, for example ``3H 2C 2H 4C 4H 3C | 2H | ck``.

The actions, all by the seat on turn, are:

``U`` ``C`` ``N`` ``T``  the keeper on turn exchanges with UP, C, N or Target
``P``                    pass
``look ck`` ``look nk``  turn a keeper's face-down card up until the turn ends (ruling 5)
``pick <place>``         a card was picked up by dragging, place one of ``c ck up t n nk``; changes
                         nothing, and is recorded as a sign of hesitation

The options from the settings file are (ruling 5; ``settings_file.KEYS`` describes them): ``MaxRounds`` int,
``ViewCard`` all|mix|none, ``ViewCkNk`` bool, ``DragCkNk`` bool, ``ViewTarget`` bool, ``CardsBackFile`` str.
Those from the session config are ``pay_by`` moves|time, ``time_scale_seconds`` (the time after which a hand
paid by time scores 0) and, if two play, ``players`` 2.

If two play, ViewCard says which keepers' cards each may see: with ``none`` only their own, with ``all`` both,
and with ``mix`` only their own until the first exchange of the hand, then both (ruling 5, for two). A look is
secret. All moves are visible to both, so both can track the cards that they have seen.
"""

import random
from typing import Any

from cardlab.games.cards import TTT_PACK, colour_word, pretty
from cardlab.games.contract import IllegalAction, Result, no_absent_action
from cardlab.games.contract import no_engine_question as engine_question  # noqa: F401 part of the contract
from cardlab.games.contract import no_forced_action as forced_action  # noqa: F401 part of the contract
from cardlab.games.sentence import sentence as _
from cardlab.games.ttt import board, robots
from cardlab.games.ttt.board import is_over as is_over  # part of the contract

_ALONE = (board.SEAT,)

PICKS = tuple(f"pick {place.lower()}" for place in board.PLACES)
EXAMPLES = (*board.MOVES, *PICKS, "look ck", "look nk")

DEFAULT_OPTIONS: dict[str, Any] = {
    "MaxRounds": 20,
    "ViewCard": "all",
    "ViewCkNk": False,
    "DragCkNk": True,
    "ViewTarget": True,
    "CardsBackFile": "dorso1",
    "pay_by": "moves",
    "time_scale_seconds": 60,
}


def deal(seed: str, options: dict[str, Any]) -> str:
    """Draws a layout by ``seed``, never with the goal in Target (seed document, "DINAMIC game")."""
    goal, first = options.get("Goal", "2H"), options.get("FirstMove", "ck")
    chance = random.Random(seed)
    layout = list(TTT_PACK)
    chance.shuffle(layout)
    while layout[board.TARGET] == goal:
        chance.shuffle(layout)
    return board.format_deal(tuple(layout), goal, first)


def start(deal: str, options: dict[str, Any]) -> board.State:
    """Returns the state after the deal. Missing options have their default. Raises ValueError."""
    layout, goal, first = board.parse_deal(deal)
    return board.State(layout, goal, first, {**DEFAULT_OPTIONS, **options})


def seats(state: board.State) -> tuple[str, ...]:
    """Returns ``solo``, or the two keepers."""
    return board.KEEPERS if state.two else _ALONE


def waiting_for(state: board.State) -> tuple[str, ...]:
    """Returns the seat on turn until the hand is over."""
    return () if is_over(state) else (board.on_turn(state),)


def legal_actions(state: board.State, seat: str) -> list[str]:
    """Returns the legal moves of the keeper on turn in the order of ``MOVES``; none for another seat."""
    if is_over(state) or seat != board.on_turn(state):
        return []
    return [move for move in board.MOVES if move != "T" or board.may_enter_target(state.layout, state.turn)]


def apply(state: board.State, seat: str, action: str) -> board.State:
    """Returns the state after ``action``. Raises IllegalAction."""
    two = state.two
    if seat not in (board.KEEPERS if two else _ALONE):
        raise IllegalAction(_("This seat does not play in this hand."))
    if is_over(state):
        raise IllegalAction(_("This hand is over."))
    if two and seat != state.turn:
        if state.turn in _robots(state):
            raise IllegalAction(_("It is the robot’s turn. Please wait."))
        raise IllegalAction(_("It is your partner’s turn. Please wait."))
    if action not in board.MOVES:
        if action in PICKS:
            return state
        if action in ("look ck", "look nk"):
            return _look(state, seat, action[-2:])
        raise IllegalAction(_("Unknown move. The moves are U, C, N, T and P."))
    if action == "T" and not board.may_enter_target(state.layout, state.turn):
        raise IllegalAction(_why_not_into_target(state, seat))
    layout = board.layout_after(state.layout, state.turn, action)
    # A robot moves in the same write, so its partner must still be notified of the server's pass.
    passed_for = state.passed_for if state.passed_for and state.turn in _robots(state) else None
    # Not `_replace`, which is slower; the analysis replays whole tables with this function.
    sequence = state.sequence + action
    return board.State(
        layout, state.goal, board.other(state.turn), state.options, sequence, frozenset(), passed_for
    )


def mark_played_by_server(state: board.State, seat: str) -> board.State:
    """Returns the state after the server has played for the seat."""
    return state._replace(passed_for=seat)


def absent_action(state: board.State, seat: str, seed: str) -> str:
    """Returns a pass for a player of two who is absent beyond the turn limit (ruling 14)."""
    if seat == board.SEAT:
        return no_absent_action(state, seat, seed)
    return "P"


def robot_action(state: board.State, seat: str, robot: str, seed: str) -> str:
    """Returns the action of a robot in a seat of two players; see ``cardlab.games.ttt.robots``."""
    return robots.action(state, seat, robot, seed)


def _look(state: board.State, seat: str, keeper: str) -> board.State:
    if keeper in board.face_up(state, seat):
        raise IllegalAction(_("This card is already face up."))
    if keeper not in board.may_see(state, seat):
        if state.two:
            raise IllegalAction(_("You cannot look at your partner’s card now."))
        raise IllegalAction(_("You can look only at the card of the keeper whose turn it is."))
    return state._replace(looked=state.looked | {keeper})


def _why_not_into_target(state: board.State, seat: str) -> str:
    """Returns the reason why T is illegal. It names the keeper's card only if the seat can see it."""
    own_card, target_card = state.layout[board.KEEPER_PLACE[state.turn]], state.layout[board.TARGET]
    if state.turn == "ck":
        if "ck" in board.face_up(state, seat):
            return _(
                "The colours differ: {own} is {own_colour} and {target} is {target_colour}. The "
                "colour keeper may exchange with Target only if both cards have the same colour."
            ).format(
                own=pretty(own_card),
                own_colour=colour_word(own_card),
                target=pretty(target_card),
                target_colour=colour_word(target_card),
            )
        return _(
            "The colours differ. The colour keeper may exchange with Target only if both cards "
            "have the same colour."
        )
    if "nk" in board.face_up(state, seat):
        return _(
            "The numbers differ: {own} and {target}. The number keeper may exchange with Target "
            "only if both cards have the same number."
        ).format(own=pretty(own_card), target=pretty(target_card))
    return _(
        "The numbers differ. The number keeper may exchange with Target only if both cards "
        "have the same number."
    )


def view(state: board.State, seat: str) -> dict[str, Any]:
    """Returns the view of a seat. None stands for a face-down card.

    ``may_look`` names the keepers whose card a look would turn up. ``left`` is the number of remaining moves.
    If two play, ``played`` has the moves so far, ``seat`` is the keeper of this view, and ``waiting_for`` has
    the seat on turn. ``passed_for`` is the seat for which the server has just passed, None if it has not. A
    robot's move arrives together with the move before it, so ``before_last`` has the cards that the seat saw
    between the two; None if the last move was not a robot's.
    """
    over = is_over(state)
    visible_cards = {
        "cards": seen_cards(state, seat),
        "goal": state.goal if state.options["ViewTarget"] else None,
        "turn": None if over else state.turn,
        "may_look": board.may_look(state, seat),
        "moves": state.moves,
        "left": state.options["MaxRounds"] - state.moves,
        "last": state.sequence[-1:] or None,
        "drag_keepers": state.options["DragCkNk"],
        "back": state.options["CardsBackFile"],
    }
    if state.two:
        visible_cards |= {
            "seat": seat,
            "waiting_for": list(waiting_for(state)),
            "played": state.sequence,
            "passed_for": state.passed_for,
            "before_last": _between(state, seat),
        }
    return visible_cards


def _between(state: board.State, seat: str) -> dict[str, str | None] | None:
    by_robot = state.sequence and board.other(state.turn) in _robots(state)
    return seen_cards(board.before_last(state), seat) if by_robot else None


def _robots(state: board.State) -> dict[str, str]:
    """Returns the seats that robots play, with the robots' names."""
    return state.options.get("robots") or {}


def seen_cards(state: board.State, seat: str) -> dict[str, str | None]:
    """Returns the card in each place as the seat sees it, None if it is face down."""
    cards: dict[str, str | None] = dict.fromkeys(board.PLACES)
    cards["UP"], cards["T"] = state.layout[board.PLACES.index("UP")], state.layout[board.TARGET]
    for keeper in board.face_up(state, seat):
        place = board.KEEPER_PLACE[keeper]
        cards[board.PLACES[place]] = state.layout[place]
    return cards


def result(state: board.State, seat: str, seconds: float) -> Result:
    """Returns the score 1000 × (1 − moves / MaxRounds), rounded half up; 0 if unsolved (ruling 4).

    In hands paid by time, seconds and ``time_scale_seconds`` replace moves and MaxRounds. Two players have
    the same score. ``outcome`` is ``solved``, ``failed`` or ``open``.
    """
    parts = {"moves": state.moves, "seconds": round(seconds, 3)}
    if not state.solved:
        return Result(0, parts, "failed" if is_over(state) else "open")
    if state.options["pay_by"] == "time":
        used_seconds, total_seconds = seconds, state.options["time_scale_seconds"]
    else:
        used_seconds, total_seconds = state.moves, state.options["MaxRounds"]
    score = max(0, int(1000 * (total_seconds - used_seconds) / total_seconds + 0.5))
    return Result(score, parts, "solved")
