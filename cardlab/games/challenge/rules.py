"""Challenge (Svoyi Koziri): the rules, as one fold from deal and actions to state.

Two players sit S and N. The deal's second hand, the participant's, is S's; the first, the computer's, is N's,
where a person may sit too. ``deal.py`` says more of the deal, ``options.py`` of the options, ``position.py``
of the game itself (rulings 19–21). What a computer in seat N does that has to search, :func:`engine_question`
asks; ``engine.py`` answers.

Actions; a question that one side has put is answered by the other before anything else is played:

``play 10S``    a card of one's hand to the table: any if one leads, else a better one
``pick up``     the whole table to one's hand
``offer draw``, ``claim win``   on one's turn, with an empty table (``!d``, ``!f``); at most once a turn
``accept``, ``decline``         the other's answer; a claim that a computer accepts is proved
``resign``      the game is lost; on the other's turn too
``consult``     what would the computer play here (``!c``)? With ``hints``, or when analysing
``advise 10S +120 9H p``        the computer's answer: the move, what it is worth to who asked, and what may
                                follow; ``p`` is a pick-up. Of a forced win or loss the worth is ±1,000,000
``mark on``, ``mark off``       the cards that may be played are marked or not (``!h``)
``log on``, ``log off``         the game goes into the log of games or not (``!l``)
``lift 10S``    a card was lifted to be dragged; changes nothing, and is kept because a hesitation is data

When a game is analysed (``analysing``), also:

``back``        to one's own turn before (``b``), as often as one likes
``pass``        the other leads in one's place, to an empty table (``z``)
``setup``       all cards in one's own hand: by playing cards that the other must pick up, any position
                comes about
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from cardlab.games.challenge import options as options_of
from cardlab.games.challenge.deal import SIDES, Deal, draw, format_deal, parse_deal
from cardlab.games.challenge.opponents import greedy_move
from cardlab.games.challenge.options import complete
from cardlab.games.challenge.packs import RANKS, in_order, pack
from cardlab.games.challenge.position import PICK_UP, Position, legal_moves
from cardlab.games.challenge.position import apply as moved
from cardlab.games.challenge.position import start as start_position
from cardlab.games.challenge.search import best_move
from cardlab.games.contract import IllegalAction, Result
from cardlab.games.contract import no_forced_action as forced_action  # noqa: F401 part of the contract
from cardlab.games.sentence import sentence as _

SEATS = ("S", "N")  # the second hand of a deal, and the first
PLAYERS = {"N": 0, "S": 1}  # as deals and positions count them
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

# What may be sent, read once.
_CARDS = pack(len(RANKS))
_PLAYS = {f"play {card}": card for card in _CARDS}
_LIFTS = frozenset(f"lift {card}" for card in _CARDS)
_SPELLED = {PICK_UP: "p", PASS: "z"}  # a move in an advice, in a log
MOVES = {**{card: card for card in _CARDS}, "p": PICK_UP}
_ADVICE = re.compile(r"(\S+) ([+-]\d{1,7})((?: \S+)*)")
PROVED = 1_000_000  # the worth of an advice that is a forced win, at least

REPEATED = 3  # occurrences of a position that make a draw (ruling 20)
LAST_ACTIONS = 50  # the page says how many actions are left, when so many are


@dataclass(frozen=True, slots=True)
class Advice:
    """What the computer has said: the move, its worth to the seat that asked, and what may follow."""

    seat: str
    move: str
    worth: int
    line: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class State:
    """A game at one moment.

    ``positions`` since the deal, the last one as it stands; ``moves`` led from each to the next (``pass``
    among them). ``asked`` is the question that waits for an answer, ``asked_by`` whose it is; ``answered``
    the answer to the latest one of this turn, and ``put`` what was asked in it. ``unproved`` has the seat of
    each claim that was declined. ``ended_by`` is ``resigned``,
    ``agreed`` or ``claimed`` where a word ended the game, and ``ended_for`` the seat that has won by it.
    ``marks`` has the seats that see marked what they may play, ``logged`` says whether the game goes into the
    log. ``occurrences``: how often the position has been there, this time too. ``last`` is the last action
    with its seat, ``played_for`` the seat for which the server has just played.
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
        """Who holds what, and who moves."""
        return self.positions[-1]

    @property
    def mover(self) -> str:
        """The seat whose turn it is."""
        return seat_of(self.position.mover)

    @property
    def ended(self) -> str:
        """What ended the game: ``out`` for a last card played, ``repeated``, ``too_long``, or ``ended_by``;
        empty if nothing has."""
        if self.position.winner is not None:
            return "out"
        if self.ended_by:
            return self.ended_by
        if self.occurrences >= REPEATED:
            return "repeated"
        return "too_long" if self.left <= 0 else ""

    @property
    def left(self) -> int:
        """How many cards may still be played or picked up before the game is drawn."""
        return int(self.options["max_actions"]) - len(self.moves)

    @property
    def winner(self) -> str:
        """The seat that has won; empty if none has."""
        won = self.position.winner
        return self.ended_for if won is None else seat_of(won)

    @property
    def empty(self) -> bool:
        """Whether no card lies on the table."""
        return not self.position.table

    def claims_left(self, seat: str) -> int | None:
        """How many claims of a seat may still fail before it can make no more; None without a limit."""
        limit = int(self.options["claims_limit"])
        return max(0, limit - self.unproved.count(seat)) if limit and self.options["claims"] else None

    def picked_up(self, seat: str) -> int:
        """How often a seat has picked up."""
        player = PLAYERS[seat]
        return sum(
            move == PICK_UP and before.mover == player
            for before, move in zip(self.positions, self.moves, strict=False)
        )


def seat_of(player: int) -> str:
    """The seat of a player as positions count them."""
    return SEATS[1 - player]


def other(seat: str) -> str:
    """The seat opposite."""
    return SEATS[1 - SEATS.index(seat)]


def spelled(move: str) -> str:
    """A move in short: the card, ``p`` for a pick-up."""
    return _SPELLED.get(move, move)


def deal(seed: str, options: dict[str, Any]) -> str:
    """The symmetric deal that the seed draws (ruling 19); who deals stands in ``options`` as ``dealer``,
    else the first hand's player does."""
    dealer = SIDES.index(options.get("dealer", SIDES[0]))
    options = complete(options)
    return format_deal(draw(seed, options["size"], dealer, options_of.trumps_of(options)))


def start(deal: str, options: dict[str, Any]) -> State:
    """The game as dealt, and as the option ``moves`` has it played. Options left out have their default;
    ValueError with a sentence."""
    options = complete(options)
    first = start_position(parse_deal(deal), options_of.trumps_of(options), options_of.form_of(options))
    state = State((first,), options, marks=frozenset(SEATS if options["highlight"] else ()))
    for number, word in enumerate(options["moves"].split(), 1):
        if word == _SPELLED[PASS] and state.empty and state.position.hands[1 - state.position.mover]:
            state = _passed(state)
        elif MOVES.get(word) in legal_moves(state.position):
            state = _move(state, MOVES[word])
        else:
            raise ValueError(f"Move {number} of the game, {word}, cannot be played there.")
    return state


def seats(state: State) -> tuple[str, ...]:
    """S, then N."""
    return SEATS


def waiting_for(state: State) -> tuple[str, ...]:
    """Whoever has to answer a question, else whose turn it is."""
    if is_over(state):
        return ()
    if state.options["analysing"] and state.ended:
        return (_analyst(state),)
    return (other(state.asked_by),) if state.asked else (state.mover,)


def legal_actions(state: State, seat: str) -> list[str]:
    """What the seat may do that brings the game on: moves, offers, answers."""
    if seat not in waiting_for(state):
        return [] if is_over(state) or state.options["analysing"] else [RESIGN]
    if state.asked == CONSULT:
        return [f"{ADVISE}{spelled(move)} +0" for move in legal_moves(state.position)]
    analysing = state.options["analysing"]
    if state.asked:
        return [ACCEPT, DECLINE, *([RESIGN] if not analysing else [])]
    moves = [] if state.ended else list(legal_moves(state.position))
    asks = [what for what in (OFFER, CLAIM, CONSULT) if not _why_not(state, seat, what)]
    return [
        *(move if move == PICK_UP else f"play {move}" for move in moves),
        *asks,
        *([RESIGN] if not analysing else []),
        *(what for what in ANALYSES if _analyses(state, seat) and not _why_not_here(state, seat, what)),
    ]


def apply(state: State, seat: str, action: str) -> State:
    """The state after an action; raises IllegalAction with a sentence for the participant."""
    if is_over(state):
        raise IllegalAction(_("The game is over."))
    if action in _LIFTS:
        if action.split()[1] not in state.position.hands[PLAYERS[seat]]:
            raise IllegalAction(_("You do not have this card."))
        return state
    if action in TOGGLES:
        if action.startswith("log"):
            if state.options["analysing"]:
                raise IllegalAction(_("This is no game for the log: the one that you played may be there."))
            return replace(state, logged=TOGGLES[action])
        return replace(state, marks=state.marks | {seat} if TOGGLES[action] else state.marks - {seat})
    if action == RESIGN and not state.options["analysing"]:
        return _ended(state, "resigned", other(seat), seat, action)
    if seat not in waiting_for(state):
        raise IllegalAction(_("It is the other player's turn."))
    if action.startswith(ADVISE):
        return _advised(state, seat, action)
    if state.asked:
        return _answered(state, seat, action)
    if action in (OFFER, CLAIM, CONSULT):
        if why := _why_not(state, seat, action):
            raise IllegalAction(why)
        return replace(
            state,
            asked=action,
            asked_by=seat,
            answered="",
            put=(*state.put, action),
            advice=None,
            last=(seat, action),
            played_for="",
        )
    if action in ANALYSES and _analyses(state, seat):
        return _analysed(state, seat, action)
    move = PICK_UP if action == PICK_UP else _PLAYS.get(action)
    if move is None:
        raise IllegalAction(_("There is no such move: play a card, or pick up."))
    if move not in legal_moves(state.position) or state.ended:
        raise IllegalAction(_why_no_move(state, seat, move))
    return _move(state, move)


def _move(state: State, move: str) -> State:
    """The state after a legal move."""
    return _at(state, moved(state.position, move), move, (state.mover, action_of(move)))


def _passed(state: State) -> State:
    """The other leads; the table is empty."""
    mover = state.position.mover
    return _at(state, replace(state.position, mover=1 - mover), PASS, (state.mover, PASS))


def _at(state: State, position: Position, move: str, last: tuple[str, str]) -> State:
    """The state at a further position, which begins a turn."""
    key = position.key
    return replace(
        state,
        positions=(*state.positions, position),
        moves=(*state.moves, move),
        occurrences=1 + sum(one.key == key for one in state.positions),
        answered="",
        put=(),
        advice=None,
        last=last,
        played_for="",
    )


def _why_no_move(state: State, seat: str, move: str) -> str:
    """Why a card cannot be played, or the table not picked up."""
    if state.ended:
        return _("This game has ended: go back, or set up a position.")
    if move == PICK_UP:
        if state.empty:
            return _("There is nothing to pick up: lead a card.")
        return _("You have beaten the card: now lead a card of your hand.")
    if move not in state.position.hands[PLAYERS[seat]]:
        return _("You do not have this card.")
    top, trump = state.position.table[-1], state.position.trumps[PLAYERS[seat]]
    if top[-1] == trump:
        return _("The card on top is one of your trumps: only a higher trump beats it. You may pick up.")
    return _("This card does not beat the one on top: play a higher one of its suit, or one of your trumps.")


def _why_not(state: State, seat: str, asked: str) -> str:
    """Why a question cannot be put now; empty if it can."""
    options = state.options
    allowed = {
        OFFER: options["draw_offers"] and not options["analysing"],
        CLAIM: options["claims"],
        CONSULT: (options["hints"] or options["analysing"]) and bool(options.get("robots")),
    }
    if not allowed[asked]:
        return {
            OFFER: _("Draws cannot be offered here."),
            CLAIM: _("A forced win cannot be claimed here."),
            CONSULT: _("The computer cannot be asked for advice here."),
        }[asked]
    if state.ended:
        return _("This game has ended: go back, or set up a position.")
    if asked == CLAIM and state.claims_left(seat) == 0:
        return _("You have no claims left in this game.")
    if asked in state.put:
        return _("You have asked that already: now it is your move.")
    if asked != CONSULT and not state.empty:
        return _("This can be said only when the table is empty.")
    return ""


def _answered(state: State, seat: str, action: str) -> State:
    if action not in (ACCEPT, DECLINE) or state.asked == CONSULT:
        raise IllegalAction(_("First answer the other player: accept or decline."))
    if action == ACCEPT and not state.options["analysing"]:
        winner, how = (state.asked_by, "claimed") if state.asked == CLAIM else ("", "agreed")
        return _ended(state, how, winner, seat, action)
    unproved = state.unproved
    if state.asked == CLAIM and action == DECLINE:
        unproved = (*unproved, state.asked_by)
    return replace(state, asked="", answered=action, unproved=unproved, last=(seat, action), played_for="")


def _ended(state: State, how: str, winner: str, seat: str, action: str) -> State:
    return replace(
        state, asked="", ended_by=how, ended_for=winner, last=(seat, action), advice=None, played_for=""
    )


def _advised(state: State, seat: str, action: str) -> State:
    found = _ADVICE.fullmatch(action[len(ADVISE) :])
    words = [found[1], *found[3].split()] if found else []
    if state.asked != CONSULT or not words or not all(word in MOVES for word in words):
        raise IllegalAction(_("There is no such move: play a card, or pick up."))
    assert found
    moves = [MOVES[word] for word in words]
    advice = Advice(state.asked_by, moves[0], int(found[2]), tuple(moves[1:]))
    return replace(state, asked="", answered="", advice=advice, last=(seat, action), played_for="")


# Analysing.


def _analyst(state: State) -> str:
    """The seat that analyses: that which no computer has."""
    return next(seat for seat in SEATS if seat not in (state.options.get("robots") or {}))


def _analyses(state: State, seat: str) -> bool:
    return bool(state.options["analysing"]) and seat == _analyst(state)


def _why_not_here(state: State, seat: str, action: str) -> str:
    """Why one cannot go back, pass or set up now; empty if one can."""
    if action == BACK and _back_to(state, seat) is None:
        return _("There is no earlier turn of yours to go back to.")
    if action == PASS:
        if state.ended:
            return _("This game has ended: go back, or set up a position.")
        if not state.empty:
            return _("This can be said only when the table is empty.")
        if not state.position.hands[PLAYERS[other(seat)]]:
            return _("The other player has no card to lead.")
    return ""


def _back_to(state: State, seat: str) -> int | None:
    """The number of the position at the seat's own turn before."""
    turns = range(len(state.positions) - 2, -1, -1)
    return next((n for n in turns if state.positions[n].mover == PLAYERS[seat]), None)


def _analysed(state: State, seat: str, action: str) -> State:
    if why := _why_not_here(state, seat, action):
        raise IllegalAction(why)
    if action == PASS:
        return _passed(state)
    position = state.position
    fresh = State((position,), state.options, marks=state.marks, logged=state.logged, last=(seat, action))
    if action == BACK:
        number = _back_to(state, seat)
        assert number is not None
        earlier = state.positions[: number + 1]
        occurred = sum(one.key == earlier[-1].key for one in earlier)
        return replace(fresh, positions=earlier, moves=state.moves[:number], occurrences=occurred)
    cards = frozenset(_cards_of(position))
    player = PLAYERS[seat]
    hands = (cards, frozenset[str]()) if player == 0 else (frozenset[str](), cards)
    set_up = Position(hands, mover=player, trumps=position.trumps, form=position.form)
    return replace(fresh, positions=(set_up,))


# Where nobody acts: who stays away, and the computer.


def absent_action(state: State, seat: str, seed: str) -> str:
    """For who stays away: no question is accepted, and the lowest beating card is played that is no trump,
    else the lowest trump, else the table is picked up (ruling 14)."""
    if state.asked:
        return DECLINE
    return action_of(greedy_move(state.position))


def mark_played_by_server(state: State, seat: str) -> State:
    """The state after a move that the server has made for the seat, which tells it."""
    return replace(state, played_for=seat)


def robot_action(state: State, seat: str, robot: str, seed: str) -> str:
    """What the computer does without looking ahead: what it plays at depth 0, and if its search does not come
    to an end in time. It then accepts no offer and no claim."""
    if state.asked == CONSULT:
        return f"{ADVISE}{spelled(greedy_move(state.position))} +0"
    if state.asked:
        return DECLINE
    if state.options["computer_sees"] == "own":
        return action_of(greedy_move(state.position))
    found = best_move(state.position, depth=0, seed=_seed_of(state, seed), earlier=state.positions[:-1])
    return action_of(found.move)


def engine_question(state: State, seat: str, robot: str, seed: str) -> str | None:
    """What the computer in this seat has to search for, as ``engine.answer`` takes it: JSON of the form, who
    asks for what and how deep, and the game from its deal on, or, where the computer does not see all, what
    its seat sees. None if it acts at once."""
    options = state.options
    if not state.asked and options["depth"] == 0 and options["computer_sees"] == "all":
        return None
    sees = options["computer_sees"]
    if state.asked == CONSULT:  # advice is made of no more than its seat sees
        seat, sees = state.asked_by, "own" if "own" in (sees, options["show"]) else "all"
    asked = {
        "what": state.asked or "move",
        "seat": seat,
        "seed": _seed_of(state, seed),
        "left": state.left,
        **{name: options[name] for name in ("after_pickup", "after_better", "trumps", "depth", "nodes")},
    }
    if sees == "own":
        known = {"cards": _cards_of(state.positions[0]), "view": _blind(state, seat)}
    else:
        first = state.positions[0]
        hands = in_order(first.hands[0]), in_order(first.hands[1])
        known = {
            "deal": format_deal(Deal(*hands, first.mover)),
            "moves": " ".join(spelled(move) for move in state.moves),
        }
    return json.dumps({**asked, **known})


def _cards_of(position: Position) -> tuple[str, ...]:
    """All cards that are played with."""
    return in_order(card for cards in (*position.hands, position.table) for card in cards)


def _blind(state: State, seat: str) -> dict[str, Any]:
    """What a computer knows that sees its own hand and the top card, and remembers nothing else."""
    position = state.position
    return {
        "hand": in_order(position.hands[PLAYERS[seat]]),
        "others": len(position.hands[PLAYERS[other(seat)]]),
        "top": position.table[-1] if position.table else None,
        "table": len(position.table),
        "to_lead": position.to_lead,
        "mover": position.mover,
    }


def _seed_of(state: State, seed: str) -> str:
    return f"{seed}, move {len(state.moves) + 1}"


def action_of(move: str) -> str:
    """A move of a position as an action."""
    return move if move == PICK_UP else f"play {move}"


# What is seen, and what it comes to.


def view(state: State, seat: str) -> dict[str, Any]:
    """What a seat sees. Each of two things stands by seat.

    ``trumps`` of both; ``hand``, one's own in the order S H C D, high first; ``hands``, how many cards each
    has; ``other``, the other's cards, and ``table``, the cards there, the top card last: with ``show`` own
    None and the top card alone, of ``table_count``. ``turn`` whose it is, ``to_lead`` whether any card may
    be played; ``may`` has the legal actions of the seat, ``waiting_for`` who has to act.
    ``asked``, ``asked_by``, ``answered`` and ``put``: a question, and the answer. ``claims_left``: how many
    claims may still fail, None without a limit. ``advice`` for who asked;
    its line only where all cards are seen.
    ``occurrences`` of the position; ``left``, the actions before the game is drawn, when few are; ``moves``
    made; ``picked_up``. ``ended`` by what, and ``winner``. ``last`` has seat and action, ``played_for`` the
    seat for which the server did it. ``marks``, ``logged``: the toggles.
    """
    position, own = state.position, PLAYERS[seat]
    everything = state.options["show"] == "all"
    advice = state.advice if state.advice and state.advice.seat == seat else None
    return {
        "seat": seat,
        "robots": sorted(state.options.get("robots") or {}),
        "trumps": {one: position.trumps[PLAYERS[one]] for one in SEATS},
        "hand": list(in_order(position.hands[own])),
        "hands": {one: len(position.hands[PLAYERS[one]]) for one in SEATS},
        "other": list(in_order(position.hands[1 - own])) if everything else None,
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
        "advice": _line(advice, everything) if advice else None,
        "occurrences": state.occurrences,
        "left": state.left if state.left <= LAST_ACTIONS else None,
        "moves": len(state.moves),
        "picked_up": {one: state.picked_up(one) for one in SEATS},
        "ended": state.ended,
        "winner": state.winner,
        "last": _told(state),
        "played_for": state.played_for,
        "marks": seat in state.marks,
        "logged": state.logged,
        "analysing": state.options["analysing"],
    }


def _line(advice: Advice, everything: bool) -> dict[str, Any]:
    """An advice; what may follow names the other's cards."""
    line = list(advice.line) if everything else []
    return {"move": advice.move, "worth": advice.worth, "line": line}


def _told(state: State) -> list[str]:
    """The last action; of advice, which stands beside it, only that it was given."""
    who, action = state.last
    return [who, ADVISE.strip() if action.startswith(ADVISE) else action]


def is_over(state: State) -> bool:
    """Somebody has won, or the game is drawn; never when it is analysed."""
    return bool(state.ended) and not state.options["analysing"]


def result(state: State, seat: str, seconds: float) -> Result:
    """What the game scores for the seat: ``win``, ``draw`` or ``loss`` of the options.

    ``parts``: cards that each has left, pick-ups and actions. ``outcome`` is ``won``, ``lost``, ``drawn`` or
    ``open``; one that was not played to its end scores as lost.
    """
    outcome = _outcome(state, seat)
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


def _outcome(state: State, seat: str) -> str:
    if not state.ended:
        return "open"
    return "won" if state.winner == seat else "lost" if state.winner else "drawn"
