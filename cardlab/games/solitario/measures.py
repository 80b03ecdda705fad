"""Measures of a hand of Solitario for the tables of hands and of moves.

A *move* moves or turns cards: draw, turn over, turn up, lay on a column, send home, bring back. Pick-ups,
``undo`` and ``give up`` are not moves. A *position* is the table with all cards, without the order of columns
and foundations. Times are by the participant's clock.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple

from cardlab.games.columns import Integer, UnixMs, YesNo
from cardlab.games.events import Event
from cardlab.games.hand import History
from cardlab.games.solitario import rules
from cardlab.games.solitario.rules import State
from cardlab.games.solitario.scoring import Counts

COLUMNS = {
    "pack": "the pack: briscola, tarocco or french",
    "draw": Integer("cards drawn from the stock at a time, 1 or 3"),
    "ace_on_two": YesNo("1 if an ace can lie on a two, else 0"),
    "turn_up": "whether an uncovered card is turned up by a `click` or automatically (`auto`)",
    "undo": YesNo("1 if moves can be taken back, else 0"),
    "moves": Integer("accepted actions that move or turn cards, including those taken back later"),
    "from_stock": Integer(
        "cards of the stock laid on a column; this and the next four as the score counts "
        "them, without what was taken back"
    ),
    "turned_up": Integer("cards of the columns turned up"),
    "sent_home": Integer("cards laid on a foundation from a column or the waste"),
    "brought_back": Integer("cards moved from a foundation to a column"),
    "turn_overs": Integer("times that the stock was turned over"),
    "points_of_events": Integer("points for these five (ruling 24)"),
    "time_points": Integer("−1 for each whole second of the `clock`; 0 while open"),
    "bonus": Integer("bonus of a solved hand; `score` is the sum of the three"),
    "cards_home": Integer("cards on the foundations at the end"),
    "first_home_ms": Integer(
        "milliseconds from first shown to the first card on a foundation, by the "
        "participant's clock; empty if none"
    ),
    "home_left": Integer("other moves made while a card could go to a foundation"),
    "led_nowhere": Integer(
        "moves that led to an earlier position of the hand, or moved a lone king or ace between empty places"
    ),
    "undone": Integer("actions taken back"),
    "pick_ups": Integer("cards picked up by dragging, including abandoned drags"),
}

MOVE_COLUMNS = {
    "move_number": Integer("number of the action in the hand's `sequence`, from 1"),
    "action": "the action",
    "kind": (
        "`draw`, `turn`, `up`, `home`, `finish` (home by **Finish**), `shift` (an ace between foundations), "
        "`move`, `back`, `undo` or `give_up`"
    ),
    "source": ("the column's number, `w` for the waste, `stock`, or the foundation's suit; else empty"),
    "cards": "the cards that were moved or turned up, the bottom one first; else empty",
    "could_home": Integer("cards that could go to a foundation before it"),
    "seen_before": YesNo("1 if a move led to an earlier position, 0 if not; else empty"),
    "points_after": Integer("score after it, without time and bonus"),
    "cards_home_after": Integer("cards on the foundations after it"),
    "decision_ms": Integer(
        "milliseconds since the previous action, or since first shown, by the participant's clock"
    ),
    "server_ms": UnixMs("Unix time in milliseconds by the server's clock"),
}

NO_MOVES = ("undo", "give_up")
HOME_MOVES = ("home", "finish")


class TimedAction(NamedTuple):
    """An accepted action other than a pick-up, with the states before and after it and its duration.

    ``seen_before`` says whether the position after it had occurred before in the hand.
    """

    before: State
    after: State
    event: Event
    seen_before: bool
    decision_ms: int | None

    @property
    def kind(self) -> str:
        """The kind of action, see ``MOVE_COLUMNS``."""
        verb, *arguments = self.event.action.split()
        if verb == "home" and arguments[0] in self.before.pack.suits:
            return "shift"
        return "give_up" if verb == "give" else verb

    @property
    def is_move(self) -> bool:
        """Whether it is a move."""
        return self.kind not in NO_MOVES


def measure_hand(history: History, seat: str) -> dict[str, Any]:
    """Returns the values of ``COLUMNS`` for a hand, and its ``sequence``, the actions without pick-ups.

    ``line`` is in no table; measures that use the solver need it. It is from :func:`actions_not_undone`.
    """
    actions, state, parts = list(timed_actions(history)), history.hand.state, history.hand.result(seat).parts
    moves = [action for action in actions if action.is_move]
    first_home_ms = next((move.event.client_ms for move in moves if move.kind in HOME_MOVES), None)
    options = state.options
    return {
        "sequence": "; ".join(action.event.action for action in actions) or "-",
        "line": actions_not_undone(actions),
        "pack": options["pack"],
        "draw": options["draw"],
        "ace_on_two": int(options["ace_on_two"]),
        "turn_up": options["turn_up"],
        "undo": int(options["undo"]),
        "moves": len(moves),
        **{name: parts[name] for name in Counts._fields},
        "points_of_events": state.counts.points,
        "time_points": -parts["seconds"],
        "bonus": parts["bonus"],
        "cards_home": parts["cards_home"],
        "first_home_ms": "" if first_home_ms is None else first_home_ms,
        "home_left": sum(move.kind not in HOME_MOVES and count_home_moves(move.before) > 0 for move in moves),
        "led_nowhere": sum(move.seen_before for move in moves),
        "undone": state.undone,
        "pick_ups": sum(step.is_action and step.event.action in rules.PICKS for step in history.steps),
    }


def move_rows(history: History) -> Iterator[dict[str, Any]]:
    """Yields the values of ``MOVE_COLUMNS`` for each accepted action other than a pick-up."""
    for number, action in enumerate(timed_actions(history), 1):
        source, cards = _source_and_cards(action)
        yield {
            "move_number": number,
            "action": action.event.action,
            "kind": action.kind,
            "source": source,
            "cards": " ".join(cards),
            "could_home": count_home_moves(action.before),
            "seen_before": int(action.seen_before) if action.is_move else "",
            "points_after": action.after.counts.points,
            "cards_home_after": sum(action.after.home),
            "decision_ms": "" if action.decision_ms is None else action.decision_ms,
            "server_ms": action.event.server_ms,
        }


PARTS = {"moves": (MOVE_COLUMNS, move_rows)}


def timed_actions(history: History) -> Iterator[TimedAction]:
    """Yields the accepted actions of a hand except the pick-ups."""
    seen_positions = {position(history.dealt.state)}
    previous_ms: int | None = 0  # the client's time of the previous action
    for step in history.steps:
        if not step.is_action or step.event.action in rules.PICKS:
            continue
        event, state_after = step.event, step.after.state
        new_position = position(state_after)
        duration = (
            None if previous_ms is None or event.client_ms is None else max(0, event.client_ms - previous_ms)
        )
        yield TimedAction(step.before.state, state_after, event, new_position in seen_positions, duration)
        seen_positions.add(new_position)
        previous_ms = event.client_ms


class LineEntry(NamedTuple):
    """An action that was not taken back: its number in the ``sequence``, its kind, and the state after it."""

    number: int
    kind: str
    state: State


def actions_not_undone(actions: Sequence[TimedAction]) -> list[LineEntry]:
    """Returns the actions that were not taken back."""
    line: list[LineEntry] = []
    for number, action in enumerate(actions, 1):
        if action.kind == "undo":
            line.pop()
        else:
            line.append(LineEntry(number, action.kind, action.after))
    return line


def position(state: State) -> Hashable:
    """Returns a key of the table that ignores the order of columns and foundations."""
    return frozenset(state.columns), state.home, state.waste, state.stock


def count_home_moves(state: State) -> int:
    """Counts the cards that could go home now: ends of columns, and the waste's top card."""
    end_cards = [*(column.up[-1] for column in state.columns if column.up), *state.waste[-1:]]
    return sum(state.home_of(card[-1]) == state.pack.rank_of(card) for card in end_cards)


def _source_and_cards(action: TimedAction) -> tuple[str, tuple[str, ...]]:
    """Returns the source of the moved cards, and the cards."""
    state_before, kind = action.before, action.kind
    if kind == "draw":
        return "stock", action.after.waste[len(state_before.waste) :]
    if kind == "turn":
        return rules.WASTE, ()
    if kind in NO_MOVES:
        return "", ()
    source, *arguments = action.event.action.split()[1:]
    if source == rules.WASTE:
        return source, state_before.waste[-1:]
    if source in state_before.pack.suits:
        return source, (state_before.pack.ranks[state_before.home_of(source) - 1] + source,)
    column = state_before.columns[int(source) - 1]
    if kind == "up":
        return source, column.down[-1:]
    return source, column.up[-(int(arguments[1]) if kind == "move" else 1) :]
