"""Measures of a game of Challenge for the tables of hands and of moves.

A *move* is a played card or a pick-up, in an analysed game also a pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from cardlab.games.challenge import rules
from cardlab.games.challenge.levels import strength_of
from cardlab.games.challenge.position import PICK_UP, legal_moves
from cardlab.games.challenge.rules import PLAYERS, State, other
from cardlab.games.columns import Integer, UnixMs, YesNo
from cardlab.games.events import ABSENT, PERSON, UNSEARCHED, Event
from cardlab.games.hand import History

COLUMNS = {
    "cards_per_suit": Integer("cards of each suit in the pack"),
    "opponent": "the other seat: `person` or `computer`",
    "level": Integer("level of the computer; empty without a level, and against a person"),
    "depth": Integer("search depth of the computer, that of its level if it has one; empty against a person"),
    "show": "visible cards: `all`, or `own` and the top card",
    "led": YesNo("1 if the seat led the first card, else 0"),
    "winner": "the seat that won; empty if none",
    "ended_by": (
        "`out` (last card played), `claimed` (forced win), `resigned`, `agreed` (draw), "
        "`repeated` (third occurrence of a position), `too_long` (`max_actions`); else "
        "empty"
    ),
    "length": Integer("cards played and pick-ups of both seats"),
    "moves": Integer("moves of the seat, including those by the server"),
    "pick_ups": Integer("pick-ups of the seat"),
    "pick_ups_of_other": Integer("pick-ups of the other seat"),
    "cards_picked_up": Integer("cards that the seat picked up in total"),
    "cards_left": Integer("the seat's cards at the end"),
    "cards_of_other": Integer("the other seat's cards at the end"),
    "draws_offered": Integer("draws that the seat offered"),
    "draws_accepted": Integer("draw offers of the other that the seat accepted, 1 or 0"),
    "claims": Integer("forced wins that the seat claimed"),
    "claims_right": Integer("claims that the other accepted"),
    "hints": Integer("answers of the computer to the question what to play"),
    "marks_switched": Integer("times that the seat switched the highlighting of playable cards"),
    "lifts": Integer("cards lifted to be dragged, including abandoned drags"),
    "repeats": Integer("moves of the seat that led to an earlier position"),
    "played_by_server": Integer("moves and answers by the server for the absent participant"),
    "mean_response_ms": Integer("mean of the seat's response times in the table of moves"),
}

MOVE_COLUMNS = {
    "move_number": Integer("number of the move in the game, from 1"),
    "seat": "the seat that moved",
    "by": "`person`, `absent` (the server) or `computer`",
    "move": "the card, `pick up`, or `pass`",
    "top": "the top card before it; empty if any card may be played",
    "could_play": Integer("number of allowed moves, including the pick-up"),
    "beats": YesNo("1 if it beat the top card, 0 if it led or picked up"),
    "trump": YesNo("1 if the card is a trump of the seat, else 0"),
    "cards": Integer("the seat's cards before it"),
    "cards_of_other": Integer("the other seat's cards before it"),
    "table": Integer("cards on the table before it"),
    "occurrence": Integer("occurrences of the position after it, including this one"),
    "advised": YesNo("1 if the seat had asked the computer for advice, else 0"),
    "unsearched": YesNo("1 if the computer moved without its search, else 0"),
    "depth_reached": Integer(
        "depth that the computer's search completed, 0 without a search; empty for people and in old records"
    ),
    "nodes": Integer("positions that this search visited; empty without a search and in old records"),
    "error": YesNo("1 if the computer erred on purpose, as its level demands, else 0"),
    "response_ms": Integer(
        "milliseconds from the beginning of the turn to the move, by the server's clock; "
        "empty if the server moved"
    ),
    "server_ms": UnixMs("Unix time in milliseconds by the server's clock"),
}


class Move(NamedTuple):
    """A move with the states before and after it, its actor and the response time.

    ``unsearched`` says that the computer moved without a search, because no answer came in time. ``search``
    is the engine's note about the search, "" if there was none.
    """

    before: State
    after: State
    event: Event
    by: str
    unsearched: bool
    search: str
    response_ms: int | None

    @property
    def seat(self) -> str:
        """The seat that moved."""
        return self.event.seat

    @property
    def move(self) -> str:
        """The card, ``pick up`` or ``pass``."""
        return self.after.moves[-1]

    @property
    def could_play(self) -> int:
        """The number of legal moves."""
        return len(legal_moves(self.before.position))

    @property
    def advised(self) -> bool:
        """Whether the seat had the computer's advice."""
        return self.before.advice is not None and self.before.advice.seat == self.seat


def measure_hand(history: History, seat: str) -> dict[str, Any]:
    """Returns the values of ``COLUMNS`` for a seat, and ``sequence``, the moves of both seats as in a log."""
    state, moves = history.hand.state_for(seat), moves_of(history)
    own_moves = [move for move in moves if move.seat == seat]
    own_steps = [step for step in history.steps if step.is_action and step.event.seat == seat]
    actions = [step.event.action for step in own_steps]
    responses = [move.response_ms for move in own_moves if move.response_ms is not None]
    robots, rival = history.hand.robots, other(seat)
    own_questions = [question for question in answered_questions(history) if question.asked_by == seat]
    return {
        "sequence": " ".join(map(rules.spelled, state.moves)) or "-",
        "cards_per_suit": state.options["size"],
        "opponent": robots.get(rival, PERSON),
        "level": state.options["level"] or "" if rival in robots else "",
        "depth": strength_of(state.options).depth if rival in robots else "",
        "show": state.options["show"],
        "led": int(history.dealt.state.mover == seat),
        "winner": state.winner,
        "ended_by": state.ended,
        "length": len(state.moves),
        "moves": len(own_moves),
        "pick_ups": state.picked_up(seat),
        "pick_ups_of_other": state.picked_up(rival),
        "cards_picked_up": sum(len(move.before.position.table) for move in own_moves if move.move == PICK_UP),
        "cards_left": len(state.position.hands[PLAYERS[seat]]),
        "cards_of_other": len(state.position.hands[PLAYERS[rival]]),
        "draws_offered": actions.count(rules.OFFER),
        "draws_accepted": sum(
            step.event.action == rules.ACCEPT and step.before.state.asked == rules.OFFER for step in own_steps
        ),
        "claims": actions.count(rules.CLAIM),
        "claims_right": sum(
            question.question == rules.CLAIM and question.answer == rules.ACCEPT for question in own_questions
        ),
        "hints": sum(question.question == rules.CONSULT for question in own_questions),
        "marks_switched": sum(action.startswith("mark ") for action in actions),
        "lifts": sum(action.startswith("lift ") for action in actions),
        "repeats": sum(move.after.occurrences > 1 for move in own_moves),
        "played_by_server": sum(step.before.absent_seat == seat for step in own_steps),
        "mean_response_ms": round(sum(responses) / len(responses)) if responses else "",
    }


def move_rows(history: History) -> Iterator[dict[str, Any]]:
    """Yields the values of ``MOVE_COLUMNS`` for each move of a game."""
    for number, move in enumerate(moves_of(history), 1):
        position, player = move.before.position, PLAYERS[move.seat]
        is_card = move.move in position.hands[player]
        yield {
            "move_number": number,
            "seat": move.seat,
            "by": move.by,
            "move": move.move,
            "top": "" if position.to_lead else position.table[-1],
            "could_play": move.could_play,
            "beats": int(is_card and not position.to_lead),
            "trump": int(is_card and move.move[-1] == position.trumps[player]),
            "cards": len(position.hands[player]),
            "cards_of_other": len(position.hands[1 - player]),
            "table": len(position.table),
            "occurrence": move.after.occurrences,
            "advised": int(move.advised),
            "unsearched": int(move.unsearched),
            **_search_cells(move),
            "response_ms": "" if move.response_ms is None else move.response_ms,
            "server_ms": move.event.server_ms,
        }


PARTS = {"moves": (MOVE_COLUMNS, move_rows)}


class AnsweredQuestion(NamedTuple):
    """A question, the seat that asked it, and the answer."""

    question: str
    asked_by: str
    answer: str


def answered_questions(history: History) -> Iterator[AnsweredQuestion]:
    """Yields the questions of a game that were answered."""
    for step in history.steps:
        state_before = step.before.state
        if step.is_action and state_before.asked and not step.after.state.asked:
            is_answer = (
                step.event.action in (rules.ACCEPT, rules.DECLINE) or state_before.asked == rules.CONSULT
            )
            if is_answer and step.event.action != rules.RESIGN:
                yield AnsweredQuestion(state_before.asked, state_before.asked_by, step.event.action)


def moves_of(history: History) -> list[Move]:
    """Returns the moves of a game in order."""
    moves, robots, unsearched, search = [], history.hand.robots, False, ""
    turn_began_ms = dict.fromkeys(rules.SEATS, history.hand.shown_ms)
    for step in history.steps:
        event = step.event
        unsearched = unsearched or event.is_note(UNSEARCHED)
        search = event.search or search
        if not step.is_action:
            continue
        state_before, state_after, seat = step.before.state, step.after.state, event.seat
        if is_move := event.action.startswith("play ") or event.action in (PICK_UP, rules.PASS):
            by = step.actor
            known_ms = [
                ms for ms in (turn_began_ms[seat], step.before.seats[seat].arrived_ms) if ms is not None
            ]
            timed = by != ABSENT and turn_began_ms[seat] is not None
            response = step.before.active_ms(max(known_ms), event.server_ms) if timed else None
            is_robot = by in robots.values()
            moves.append(
                Move(
                    state_before,
                    state_after,
                    event,
                    by,
                    is_robot and unsearched,
                    search if is_robot else "",
                    response,
                )
            )
        unsearched, search = False, ""
        waiting_before, waiting_after = rules.waiting_for(state_before), rules.waiting_for(state_after)
        turn_began_ms |= {
            waiting_seat: event.server_ms
            for waiting_seat in waiting_after
            if is_move or waiting_seat not in waiting_before
        }
    return moves


def _search_cells(move: Move) -> dict[str, Any]:
    """Returns the cells about the search from a note like ``depth 6 nodes 41234 error``."""
    words = move.search.split()
    noted = dict(zip(words[::2], words[1::2], strict=False))
    plain = move.unsearched or (move.by == rules.COMPUTER and strength_of(move.before.options) == (0, 0))
    reached = noted.get("depth", 0 if plain else "")
    return {"depth_reached": reached, "nodes": noted.get("nodes", ""), "error": int(words[-1:] == ["error"])}


def is_choice(move: Move) -> bool:
    """Returns whether a person chose among several moves without advice, so that the move shows skill."""
    unaided = move.by == PERSON and move.move != rules.PASS and not move.advised
    return unaided and move.could_play > 1
