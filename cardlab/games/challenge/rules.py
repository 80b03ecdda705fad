"""The rules of Challenge (Svoyi Koziri): a fold from the deal over the actions to the state (rulings 19–21).

The two seats are S and N. S has the deal's second hand, the participant's. N has the first, the computer's,
but a person may sit there too. See ``deal.py`` for the deal, ``options.py`` for the options and
``position.py`` for the card play. ``engine.py`` answers :func:`engine_question` by search.

The actions are these. After a question, the other side must answer before the game continues:

``play 10S``    a card from the hand to the table: any card if the player leads, else a better one
``pick up``     the whole table to the hand
``offer draw``, ``claim win``   on one's turn, with an empty table (``!d``, ``!f``); at most once a turn
``accept``, ``decline``         the answer of the other side; a computer accepts a claim only if it is proved
``resign``      loses the game; also on the other's turn
``consult``     asks what the computer would play (``!c``); with ``hints``, or when analysing
``advise 10S +120 9H p``        the computer's answer: the move, its value for the player who asked, and the
                                expected moves; ``p`` is a pick-up. A forced win or loss has ±1,000,000, a
                                sure draw ``=0``
``mark on``, ``mark off``       switches the marks of the playable cards (``!h``)
``log on``, ``log off``         whether the game goes into the log of games (``!l``)
``lift 10S``    a card was lifted to be dragged; changes nothing, and is recorded as a sign of hesitation

In a game that is analysed (``analysing``) there are also:

``back``        to the player's previous turn (``b``), any number of times
``pass``        the other player leads instead, to an empty table (``z``)
``setup``       all cards to the player's hand: any position can be reached by playing cards that the other
                must pick up
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from cardlab.games.challenge import options as game_options
from cardlab.games.challenge.deal import SIDES, Deal, draw_deal, format_deal, parse_deal
from cardlab.games.challenge.levels import strength_of
from cardlab.games.challenge.opponents import greedy_move
from cardlab.games.challenge.options import complete_options
from cardlab.games.challenge.packs import RANKS, in_order, pack
from cardlab.games.challenge.position import PICK_UP, Position, legal_moves
from cardlab.games.challenge.position import apply as moved
from cardlab.games.challenge.position import start as start_position
from cardlab.games.challenge.search import best_move
from cardlab.games.contract import IllegalAction, Result
from cardlab.games.contract import no_forced_action as forced_action  # noqa: F401 part of the contract
from cardlab.games.sentence import sentence as _

SEATS = ("S", "N")  # the second hand of a deal, and the first
PLAYERS = {"N": 0, "S": 1}  # the numbers in deals and positions
COMPUTER = "computer"  # the robot

OFFER, CLAIM, CONSULT = "offer draw", "claim win", "consult"
ACCEPT, DECLINE, RESIGN = "accept", "decline", "resign"
ANALYSES = BACK, PASS, SETUP = ("back", "pass", "setup")
TOGGLES = {"mark on": True, "mark off": False, "log on": True, "log off": False}
ADVISE = "advise "
EXAMPLES = (
    *("play 10S", PICK_UP, OFFER, CLAIM, ACCEPT, DECLINE, RESIGN, CONSULT, "advise 10S +120 9H p"),
    *(*TOGGLES, "lift 10S", *ANALYSES),
)

# Parsed actions by their text.
_CARDS = pack(len(RANKS))
_PLAYS = {f"play {card}": card for card in _CARDS}
_LIFTS = frozenset(f"lift {card}" for card in _CARDS)
_SPELLED = {PICK_UP: "p", PASS: "z"}  # in advice and in logs
MOVES = {**{card: card for card in _CARDS}, "p": PICK_UP}
_ADVICE = re.compile(r"(\S+) (=0|[+-]\d{1,7})((?: \S+)*)")
PROVED = 1_000_000  # the value in advice for a forced win
# The minimum value that participants read as "ahead". In games between players of level 6 at sizes 6 and 8,
# those ahead by this much took 65 % of the points, others 50 %.
AHEAD = 80

REPEATED = 3  # occurrences of a position that make a draw (ruling 20)
LAST_ACTIONS = 50  # at most this number of actions left is shown on the page


@dataclass(frozen=True, slots=True)
class Advice:
    """The computer's advice: a move, its value for the seat that asked, and the expected moves after it."""

    seat: str
    move: str
    worth: int
    line: tuple[str, ...]
    is_drawn: bool

    @property
    def standing(self) -> str:
        """The word that participants see instead of the value; ``won``, ``lost`` and ``drawn`` are proved."""
        if self.is_drawn:
            return "drawn"
        if abs(self.worth) >= PROVED:
            return "won" if self.worth > 0 else "lost"
        return "even" if abs(self.worth) < AHEAD else "ahead" if self.worth > 0 else "behind"


@dataclass(frozen=True, slots=True)
class State:
    """The state of a game. Replays show the names of the fields, so they cannot be changed.

    Attributes:
        positions: All positions since the deal, the current one last.
        options: The options of the game.
        moves: The moves between the positions, including ``pass``.
        asked: The open question.
        asked_by: The seat that asked it.
        answered: The answer to the latest question of this turn.
        put: All questions of this turn.
        unproved: The seat of each declined claim.
        ended_by: ``resigned``, ``agreed`` or ``claimed`` if one of these ended the game.
        ended_for: The seat that won in this way, "" for a draw.
        advice: The computer's advice in this turn.
        marks: The seats whose playable cards are marked.
        logged: Whether the game goes into the log.
        occurrences: The number of occurrences of the position, including this one.
        last: The seat and text of the last action.
        played_for: The seat for which the server has just played.
    """

    positions: tuple[Position, ...]
    options: dict[str, Any]
    moves: tuple[str, ...] = ()
    asked: str = ""
    asked_by: str = ""
    answered: str = ""
    put: tuple[str, ...] = ()
    unproved: tuple[str, ...] = ()
    ended_by: str = ""
    ended_for: str = ""
    advice: Advice | None = None
    marks: frozenset[str] = frozenset(SEATS)
    logged: bool = True
    occurrences: int = 1
    last: tuple[str, str] = ("", "")
    played_for: str = ""

    @property
    def position(self) -> Position:
        """The current position."""
        return self.positions[-1]

    @property
    def mover(self) -> str:
        """The seat that must move."""
        return seat_of(self.position.mover)

    @property
    def ended(self) -> str:
        """How the game ended: ``out`` (last card), ``repeated``, ``too_long``, ``ended_by`` or ""."""
        if self.position.winner is not None:
            return "out"
        if self.ended_by:
            return self.ended_by
        if self.occurrences >= REPEATED:
            return "repeated"
        return "too_long" if self.left <= 0 else ""

    @property
    def left(self) -> int:
        """The number of plays and pick-ups left before the game is drawn."""
        return int(self.options["max_actions"]) - len(self.moves)

    @property
    def winner(self) -> str:
        """The seat that has won, "" if there is none."""
        position_winner = self.position.winner
        return self.ended_for if position_winner is None else seat_of(position_winner)

    @property
    def empty(self) -> bool:
        """Whether the table is empty."""
        return not self.position.table

    def claims_left(self, seat: str) -> int | None:
        """Returns how many more claims of a seat may fail; None without a limit."""
        limit = int(self.options["claims_limit"])
        return max(0, limit - self.unproved.count(seat)) if limit and self.options["claims"] else None

    def picked_up(self, seat: str) -> int:
        """Counts the pick-ups of a seat."""
        player = PLAYERS[seat]
        return sum(
            move == PICK_UP and before.mover == player
            for before, move in zip(self.positions, self.moves, strict=False)
        )


def seat_of(player: int) -> str:
    """Returns the seat of a player, 0 or 1 as in positions."""
    return SEATS[1 - player]


def other(seat: str) -> str:
    """Returns the opposite seat."""
    return SEATS[1 - SEATS.index(seat)]


def spelled(move: str) -> str:
    """Returns a move as in logs: the card, ``p`` for a pick-up, ``z`` for a pass."""
    return _SPELLED.get(move, move)


def deal(seed: str, options: dict[str, Any]) -> str:
    """Draws a symmetric deal by ``seed`` (ruling 19).

    The option ``dealer`` names the dealer, by default the player of the first hand.
    """
    dealer = SIDES.index(options.get("dealer", SIDES[0]))
    options = complete_options(options)
    return format_deal(draw_deal(seed, options["size"], dealer, game_options.trumps_of(options)))


def start(deal: str, options: dict[str, Any]) -> State:
    """Returns the state after the moves of the option ``moves``. Missing options have their default.

    Raises ValueError for an invalid deal, option or move.
    """
    options = complete_options(options)
    first_position = start_position(
        parse_deal(deal), game_options.trumps_of(options), game_options.form_of(options)
    )
    state = State((first_position,), options, marks=frozenset(SEATS if options["highlight"] else ()))
    for number, word in enumerate(options["moves"].split(), 1):
        if word == _SPELLED[PASS] and state.empty and state.position.hands[1 - state.position.mover]:
            state = _pass(state)
        elif MOVES.get(word) in legal_moves(state.position):
            state = _move(state, MOVES[word])
        else:
            raise ValueError(f"Move {number} of the game, {word}, cannot be played there.")
    return state


def seats(state: State) -> tuple[str, ...]:
    """Returns S and N."""
    return SEATS


def waiting_for(state: State) -> tuple[str, ...]:
    """Returns the seat that must answer a question or move, none after the end."""
    if is_over(state):
        return ()
    if state.options["analysing"] and state.ended:
        return (_analyst(state),)
    return (other(state.asked_by),) if state.asked else (state.mover,)


def legal_actions(state: State, seat: str) -> list[str]:
    """Returns the moves, questions and answers that the seat may make now."""
    if seat not in waiting_for(state):
        return [] if is_over(state) or state.options["analysing"] else [RESIGN]
    if state.asked == CONSULT:
        return [f"{ADVISE}{spelled(move)} +0" for move in legal_moves(state.position)]
    analysing = state.options["analysing"]
    if state.asked:
        return [ACCEPT, DECLINE, *([RESIGN] if not analysing else [])]
    moves = [] if state.ended else list(legal_moves(state.position))
    questions = [
        question for question in (OFFER, CLAIM, CONSULT) if not _reason_not_to_ask(state, seat, question)
    ]
    return [
        *(move if move == PICK_UP else f"play {move}" for move in moves),
        *questions,
        *([RESIGN] if not analysing else []),
        *(
            question
            for question in ANALYSES
            if _is_analyst(state, seat) and not _reason_not_to_analyse(state, seat, question)
        ),
    ]


def apply(state: State, seat: str, action: str) -> State:
    """Returns the state after an action. Raises IllegalAction."""
    if is_over(state):
        raise IllegalAction(_("The game is over."))
    if action in _LIFTS or action in TOGGLES:
        return _lift_or_toggle(state, seat, action)
    if action == RESIGN and not state.options["analysing"]:
        return _end(state, "resigned", other(seat), seat, action)
    if seat not in waiting_for(state):
        robot = other(seat) in (state.options.get("robots") or {})
        raise IllegalAction(_("It is the computer’s turn.") if robot else _("It is the other player’s turn."))
    if action.startswith(ADVISE):
        return _advise(state, seat, action)
    if state.asked:
        return _answer(state, seat, action)
    if action in (OFFER, CLAIM, CONSULT):
        return _ask(state, seat, action)
    if action in ANALYSES and _is_analyst(state, seat):
        return _analyse(state, seat, action)
    return _play(state, seat, action)


def _play(state: State, seat: str, action: str) -> State:
    move = PICK_UP if action == PICK_UP else _PLAYS.get(action)
    if move is None:
        raise IllegalAction(_("Unknown move. Play a card or pick up."))
    if move not in legal_moves(state.position) or state.ended:
        raise IllegalAction(_reason_not_to_move(state, seat, move))
    return _move(state, move)


def _lift_or_toggle(state: State, seat: str, action: str) -> State:
    if action in _LIFTS:
        if action.split()[1] not in state.position.hands[PLAYERS[seat]]:
            raise IllegalAction(_("You do not have this card."))
        return state
    on = TOGGLES[action]
    if action.startswith("mark"):
        return replace(state, marks=state.marks | {seat} if on else state.marks - {seat})
    if state.options["analysing"]:
        raise IllegalAction(_("A game under review cannot be included in the log."))
    return replace(state, logged=on)


def _ask(state: State, seat: str, question: str) -> State:
    if reason := _reason_not_to_ask(state, seat, question):
        raise IllegalAction(reason)
    questions = (*state.put, question)
    state = replace(state, asked=question, asked_by=seat, answered="", put=questions)
    return replace(state, advice=None, last=(seat, question), played_for="")


def _move(state: State, move: str) -> State:
    return _after_move(state, moved(state.position, move), move, (state.mover, action_of(move)))


def _pass(state: State) -> State:
    """Returns the state in which the other player leads to the empty table."""
    mover = state.position.mover
    return _after_move(state, replace(state.position, mover=1 - mover), PASS, (state.mover, PASS))


def _after_move(state: State, position: Position, move: str, last_action: tuple[str, str]) -> State:
    """Returns the state at the next position, where a new turn begins."""
    key = position.key
    return replace(
        state,
        positions=(*state.positions, position),
        moves=(*state.moves, move),
        occurrences=1 + sum(earlier_position.key == key for earlier_position in state.positions),
        answered="",
        put=(),
        advice=None,
        last=last_action,
        played_for="",
    )


def _reason_not_to_move(state: State, seat: str, move: str) -> str:
    """Returns the reason why an illegal move is not allowed."""
    if state.ended:
        return _("The game is over. Undo a move or set up a position.")
    if move == PICK_UP:
        if state.empty:
            return _("There is nothing to pick up. Play a card.")
        return _("You have beaten the card. Now play another one.")
    if move not in state.position.hands[PLAYERS[seat]]:
        return _("You do not have this card.")
    top, trump = state.position.table[-1], state.position.trumps[PLAYERS[seat]]
    if top[-1] == trump:
        return _("The card on top is one of your trumps. Only a higher one beats it. You may also pick up.")
    return _("This card does not beat the one on top. Play a higher card of its suit or one of your trumps.")


def _reason_not_to_ask(state: State, seat: str, question: str) -> str:
    """Returns the reason why a question cannot be asked now; "" if it can."""
    options = state.options
    allowed = {
        OFFER: options["draw_offers"] and not options["analysing"],
        CLAIM: options["claims"],
        CONSULT: (options["hints"] or options["analysing"]) and bool(options.get("robots")),
    }
    if not allowed[question]:
        return {
            OFFER: _("You cannot offer a draw in this game."),
            CLAIM: _("You cannot claim a win in this game."),
            CONSULT: _("You cannot ask the computer for advice in this game."),
        }[question]
    if state.ended:
        return _("The game is over. Undo a move or set up a position.")
    if question == CLAIM and state.claims_left(seat) == 0:
        return _("You cannot claim a win again in this game.")
    if question in state.put:
        return _("You have already asked. Now make your move.")
    if question != CONSULT and not state.empty:
        return _("You can do this only when the table is empty.")
    return ""


def _answer(state: State, seat: str, action: str) -> State:
    if action not in (ACCEPT, DECLINE) or state.asked == CONSULT:
        raise IllegalAction(_("First answer the other player: accept or decline."))
    if action == ACCEPT and not state.options["analysing"]:
        winner, ending = (state.asked_by, "claimed") if state.asked == CLAIM else ("", "agreed")
        return _end(state, ending, winner, seat, action)
    unproved = state.unproved
    if state.asked == CLAIM and action == DECLINE:
        unproved = (*unproved, state.asked_by)
    return replace(state, asked="", answered=action, unproved=unproved, last=(seat, action), played_for="")


def _end(state: State, ending: str, winner: str, seat: str, action: str) -> State:
    return replace(
        state, asked="", ended_by=ending, ended_for=winner, last=(seat, action), advice=None, played_for=""
    )


def _advise(state: State, seat: str, action: str) -> State:
    match = _ADVICE.fullmatch(action[len(ADVISE) :])
    moves = [MOVES.get(word, "") for word in (match[1], *match[3].split())] if match else [""]
    if state.asked != CONSULT or not match or "" in moves:
        raise IllegalAction(_("Unknown move. Play a card or pick up."))
    worth = match[2].removeprefix("=")
    advice = Advice(state.asked_by, moves[0], int(worth), tuple(moves[1:]), worth != match[2])
    return replace(state, asked="", answered="", advice=advice, last=(seat, action), played_for="")


# Analysis.


def _analyst(state: State) -> str:
    """Returns the seat of the participant who analyses the game."""
    return next(seat for seat in SEATS if seat not in (state.options.get("robots") or {}))


def _is_analyst(state: State, seat: str) -> bool:
    return bool(state.options["analysing"]) and seat == _analyst(state)


def _reason_not_to_analyse(state: State, seat: str, action: str) -> str:
    """Returns the reason why the seat cannot go back, pass or set up now; "" if it can."""
    if action == BACK and _previous_own_turn(state, seat) is None:
        return _("This is your first turn: you cannot go back further.")
    if action == PASS:
        if state.ended:
            return _("The game is over. Undo a move or set up a position.")
        if not state.empty:
            return _("You can do this only when the table is empty.")
        if not state.position.hands[PLAYERS[other(seat)]]:
            return _("The other player has no cards to lead.")
    return ""


def _previous_own_turn(state: State, seat: str) -> int | None:
    """Returns the index of the position at the seat's previous turn."""
    turns = range(len(state.positions) - 2, -1, -1)
    return next((n for n in turns if state.positions[n].mover == PLAYERS[seat]), None)


def _analyse(state: State, seat: str, action: str) -> State:
    if reason := _reason_not_to_analyse(state, seat, action):
        raise IllegalAction(reason)
    if action == PASS:
        return _pass(state)
    position = state.position
    new_state = State((position,), state.options, marks=state.marks, logged=state.logged, last=(seat, action))
    number = _previous_own_turn(state, seat)
    if action == BACK and number is not None:
        earlier = state.positions[: number + 1]
        occurred = sum(earlier_position.key == earlier[-1].key for earlier_position in earlier)
        return replace(new_state, positions=earlier, moves=state.moves[:number], occurrences=occurred)
    cards = frozenset(_all_cards(position))
    player = PLAYERS[seat]
    hands = (cards, frozenset[str]()) if player == 0 else (frozenset[str](), cards)
    set_up = Position(hands, mover=player, trumps=position.trumps, form=position.form)
    return replace(new_state, positions=(set_up,))


# Actions of the server for absent participants and for the computer.


def absent_action(state: State, seat: str, seed: str) -> str:
    """Returns the action for an absent participant: to decline, or to play greedily (ruling 14)."""
    return DECLINE if state.asked else action_of(greedy_move(state.position))


def mark_played_by_server(state: State, seat: str) -> State:
    """Returns the state with a mark that the server took the last action for the seat."""
    return replace(state, played_for=seat)


def robot_action(state: State, seat: str, robot: str, seed: str) -> str:
    """Returns the computer's action without a search, for depth 0 and if the engine did not answer in time.

    It declines offers and claims.
    """
    if state.asked == CONSULT:
        return f"{ADVISE}{spelled(greedy_move(state.position))} +0"
    if state.asked:
        return DECLINE
    if state.options["computer_sees"] == "own":
        return action_of(greedy_move(state.position))
    best = best_move(state.position, depth=0, seed=_move_seed(state, seed), earlier=state.positions[:-1])
    return action_of(best.move)


def engine_question(state: State, seat: str, robot: str, seed: str) -> str | None:
    """Returns the question for ``engine.answer`` as JSON; None if the computer acts without a search.

    It has the form of the game, the kind of answer, the depth and budget of the search, and the percentage of
    deliberate errors. It also has the game from its deal on, or only the visible cards if the computer does
    not see all.
    """
    options = state.options
    strength = strength_of(options)
    if not state.asked and strength == (0, 0) and options["computer_sees"] == "all":
        return None
    sees = options["computer_sees"]
    if state.asked == CONSULT:  # advice must not reveal cards that its seat does not see
        seat, sees = state.asked_by, "own" if "own" in (sees, options["show"]) else "all"
    question = {
        "what": state.asked or "move",
        "seat": seat,
        "seed": _move_seed(state, seed),
        "left": state.left,
        **{name: options[name] for name in ("after_pickup", "after_better", "trumps", "nodes")},
        "depth": options["depth"] if state.asked else strength.depth,
        "errors": strength.errors,
    }
    if sees == "own":
        known_cards = {"cards": _all_cards(state.positions[0]), "view": _limited_view(state, seat)}
    else:
        first_position = state.positions[0]
        hands = in_order(first_position.hands[0]), in_order(first_position.hands[1])
        known_cards = {
            "deal": format_deal(Deal(*hands, first_position.mover)),
            "moves": " ".join(spelled(move) for move in state.moves),
        }
    return json.dumps({**question, **known_cards})


def _all_cards(position: Position) -> tuple[str, ...]:
    """Returns all cards of the game."""
    return in_order(card for cards in (*position.hands, position.table) for card in cards)


def _limited_view(state: State, seat: str) -> dict[str, Any]:
    """Returns the data for a computer that sees only its own hand and the top card, without memory."""
    position = state.position
    return {
        "hand": in_order(position.hands[PLAYERS[seat]]),
        "others": len(position.hands[PLAYERS[other(seat)]]),
        "top": position.table[-1] if position.table else None,
        "table": len(position.table),
        "to_lead": position.to_lead,
        "mover": position.mover,
    }


def _move_seed(state: State, seed: str) -> str:
    return f"{seed}, move {len(state.moves) + 1}"


def action_of(move: str) -> str:
    """Returns the action for a move of a position."""
    return move if move == PICK_UP else f"play {move}"


# Views and results.


def view(state: State, seat: str) -> dict[str, Any]:
    """Returns the view of a seat.

    ``trumps``, ``hands`` (numbers of cards) and ``picked_up`` are by seat. ``hand`` is in the order S H C D,
    high first. ``other`` has the opponent's cards and ``table`` the cards on the table, the top card last;
    with ``show`` own they are None and only the top card. ``to_lead`` says whether any card may be played;
    ``may`` has the legal actions. ``asked``, ``asked_by``, ``answered`` and ``put`` are those of
    :class:`State`. ``claims_left`` is the number of claims that may still fail, None without a limit.
    ``advice`` is only for the seat that asked, and has the expected moves only if all cards are visible.
    ``left`` is the number of actions before the game is drawn, None if there are many.
    """
    position, own_player = state.position, PLAYERS[seat]
    everything = state.options["show"] == "all"
    advice = state.advice if state.advice and state.advice.seat == seat else None
    last_seat, last_action = state.last
    return {
        "seat": seat,
        "robots": sorted(state.options.get("robots") or {}),
        "trumps": {one: position.trumps[PLAYERS[one]] for one in SEATS},
        "hand": list(in_order(position.hands[own_player])),
        "hands": {one: len(position.hands[PLAYERS[one]]) for one in SEATS},
        "other": list(in_order(position.hands[1 - own_player])) if everything else None,
        "table": list(position.table if everything else position.table[-1:]),
        "table_count": len(position.table),
        "turn": state.mover,
        "to_lead": position.to_lead,
        "may": legal_actions(state, seat) if state.asked != CONSULT else [],
        "waiting_for": list(waiting_for(state)),
        "asked": state.asked,
        "asked_by": state.asked_by,
        "answered": state.answered,
        "put": list(state.put),
        "claims_left": state.claims_left(seat),
        # The expected moves may reveal the opponent's cards.
        "advice": {
            "move": advice.move,
            "standing": advice.standing,
            "line": list(advice.line) if everything else [],
        }
        if advice
        else None,
        "occurrences": state.occurrences,
        "left": state.left if state.left <= LAST_ACTIONS else None,
        "moves": len(state.moves),
        "picked_up": {one: state.picked_up(one) for one in SEATS},
        "ended": state.ended,
        "winner": state.winner,
        # Advice appears only as the fact that it was given.
        "last": [last_seat, ADVISE.strip() if last_action.startswith(ADVISE) else last_action],
        "played_for": state.played_for,
        "marks": seat in state.marks,
        "logged": state.logged,
        "analysing": state.options["analysing"],
    }


def is_over(state: State) -> bool:
    """Returns whether the game is won or drawn; always False in an analysis."""
    return bool(state.ended) and not state.options["analysing"]


def result(state: State, seat: str, seconds: float) -> Result:
    """Returns the score for the seat: ``win``, ``draw`` or ``loss`` of the options.

    ``parts`` has the cards left, the pick-ups and the actions. ``outcome`` is ``won``, ``lost``, ``drawn`` or
    ``open``; an unfinished game scores as lost.
    """
    outcome = "won" if state.winner == seat else "lost" if state.winner else "drawn"
    outcome = outcome if state.ended else "open"
    parts: dict[str, int | float] = {
        "cards_left": len(state.position.hands[PLAYERS[seat]]),
        "cards_of_other": len(state.position.hands[PLAYERS[other(seat)]]),
        "pick_ups": state.picked_up(seat),
        "pick_ups_of_other": state.picked_up(other(seat)),
        "actions": len(state.moves),
    }
    options = state.options
    score = {"won": options["win"], "drawn": options["draw"]}.get(outcome, options["loss"])
    return Result(score, parts, outcome)
