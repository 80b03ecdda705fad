"""What a hand of Solitario comes to: beyond the common columns, and action by action.

A *move* is what moves cards: drawn, turned over, turned up by a click, laid on a column, sent home, brought
back. Pick-ups, taking back and giving up are none. A *position* is the table with all its cards, however the
columns lie beside each other and whichever foundation a suit has. Times are by the participant's own clock.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple

from cardlab.games.columns import Integer, YesNo
from cardlab.games.events import Event
from cardlab.games.hand import History
from cardlab.games.solitario import rules
from cardlab.games.solitario.rules import State
from cardlab.games.solitario.scoring import Counts

COLUMNS = {
    "pack": "the pack: briscola, tarocco or french",
    "draw": Integer("cards of the stock that come at a time, 1 or 3"),
    "ace_on_two": YesNo("1 if an ace may lie on a two, else 0"),
    "turn_up": "whether an uncovered card is turned up by a `click` or by itself (`auto`)",
    "undo": YesNo("1 if moves may be taken back, else 0"),
    "moves": Integer(
        "accepted actions that move cards, those taken back later included: draws, turn-overs, cards "
        "turned up by a click, cards moved, sent home, brought back; not pick-ups, `undo` and `give up`"
    ),
    "from_stock": Integer(
        "cards of the stock laid on a column; these five as the score counts them, without what "
        "was taken back"
    ),
    "turned_up": Integer("cards of the columns turned up"),
    "sent_home": Integer("cards laid on a foundation, from a column or the waste"),
    "brought_back": Integer("cards laid from a foundation on a column"),
    "turn_overs": Integer("how often the stock was turned over"),
    "points_of_events": Integer("what these are worth: +45, +25, +60, −75, −175 each (ruling 24)"),
    "time_points": Integer("−1 for each whole second; 0 while the hand is open"),
    "bonus": Integer("the bonus of a hand that was solved; `score` is the sum of the three"),
    "cards_home": Integer("cards on the foundations at the end"),
    "first_home_ms": Integer(
        "milliseconds, by the participant's clock, from when the hand was first shown to the "
        "first card home; empty if none went"
    ),
    "home_left": Integer("moves other than a card home that were made while some card could go home"),
    "led_nowhere": Integer(
        "moves after which a position stood that had stood before in the hand; a king that goes alone "
        "from one empty column to another leads nowhere, and so does an ace from foundation to foundation"
    ),
    "undone": Integer("how often the last move was taken back"),
    "pick_ups": Integer("cards picked up by dragging, aborted drags included"),
}

MOVE_COLUMNS = {
    "move_number": Integer("number of the action in the hand's `sequence`, from 1"),
    "action": "the action",
    "kind": "draw, turn, up, home, shift (an ace from foundation to foundation), move, back, undo or give_up",
    "source": "where the cards came from: the number of a column, `w` for the waste, `stock`, the suit of a "
    "foundation; empty for undo and give_up",
    "cards": "the cards that it moved or turned up, the lowest-lying first; empty for turn, undo and give_up",
    "could_home": Integer("how many cards could go home before it"),
    "seen_before": YesNo(
        "1 if the position after it had stood before in the hand, else 0; empty for undo and give_up"
    ),
    "points_after": Integer("the score after it, without time and bonus"),
    "cards_home_after": Integer("cards on the foundations after it"),
    "decision_ms": Integer(
        "milliseconds, by the participant's clock, from the action before (from when the hand was "
        "first shown, for the first) to this one; empty where it is not known"
    ),
    "server_ms": Integer("when it was done, Unix time in milliseconds by the server's clock"),
}

NO_MOVES = ("undo", "give_up")


class Act(NamedTuple):
    """An accepted action that is no pick-up: the state before and after it, whether the position after it had
    stood before, and how long it took."""

    before: State
    after: State
    event: Event
    seen_before: bool
    decision_ms: int | None

    @property
    def kind(self) -> str:
        """What it does, as ``MOVE_COLUMNS`` says."""
        first, *words = self.event.action.split()
        if first == "home" and words[0] in self.before.pack.suits:
            return "shift"
        return "give_up" if first == "give" else first

    @property
    def is_move(self) -> bool:
        """Whether it moves cards."""
        return self.kind not in NO_MOVES


def measure_hand(history: History, seat: str) -> dict[str, Any]:
    """The values of ``COLUMNS`` for a hand, and its ``sequence``: the actions parted by ``; ``, without
    pick-ups. ``line``, which no table has, is for the measures that ask a solver: see :func:`line_of`."""
    acts, state, parts = list(acts_of(history)), history.hand.state, history.hand.result(seat).parts
    moves = [act for act in acts if act.is_move]
    homes = [act for act in moves if act.kind == "home"]
    options = state.options
    first_home_ms = homes[0].event.client_ms if homes else None
    return {
        "sequence": "; ".join(act.event.action for act in acts) or "-",
        "line": line_of(acts),
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
        "home_left": sum(act.kind != "home" and could_home(act.before) > 0 for act in moves),
        "led_nowhere": sum(act.seen_before for act in moves),
        "undone": state.undone,
        "pick_ups": sum(step.is_action and step.event.action in rules.PICKS for step in history.steps),
    }


def moves_of(history: History) -> Iterator[dict[str, Any]]:
    """The values of ``MOVE_COLUMNS`` for each action of a hand that is no pick-up."""
    for number, act in enumerate(acts_of(history), 1):
        source, cards = _moved(act)
        yield {
            "move_number": number,
            "action": act.event.action,
            "kind": act.kind,
            "source": source,
            "cards": " ".join(cards),
            "could_home": could_home(act.before),
            "seen_before": int(act.seen_before) if act.is_move else "",
            "points_after": act.after.counts.points,
            "cards_home_after": sum(act.after.home),
            "decision_ms": "" if act.decision_ms is None else act.decision_ms,
            "server_ms": act.event.server_ms,
        }


PARTS = {"moves": (MOVE_COLUMNS, moves_of)}


def acts_of(history: History) -> Iterator[Act]:
    """The accepted actions of a hand but the pick-ups."""
    seen = {position(history.dealt.state)}
    since: int | None = 0  # the client's time of the action before
    for step in history.steps:
        if not step.is_action or step.event.action in rules.PICKS:
            continue
        event, after = step.event, step.after.state
        now = position(after)
        known = None if since is None or event.client_ms is None else max(0, event.client_ms - since)
        yield Act(step.before.state, after, event, now in seen, known)
        seen.add(now)
        since = event.client_ms


class Entry(NamedTuple):
    """An action that was not taken back: its number in the ``sequence``, its kind, and the state after it."""

    number: int
    kind: str
    state: State


def line_of(acts: Sequence[Act]) -> list[Entry]:
    """What was played and not taken back."""
    line: list[Entry] = []
    for number, act in enumerate(acts, 1):
        if act.kind == "undo":
            line.pop()
        else:
            line.append(Entry(number, act.kind, act.after))
    return line


def position(state: State) -> Hashable:
    """The table, equal for two that differ only in how columns and foundations lie beside each other."""
    return frozenset(state.columns), state.home, state.waste, state.stock


def could_home(state: State) -> int:
    """How many cards could go home now: ends of columns, and the waste's top card."""
    ends = [*(column.up[-1] for column in state.columns if column.up), *state.waste[-1:]]
    return sum(state.home_of(card[-1]) == state.pack.rank_of(card) for card in ends)


def _moved(act: Act) -> tuple[str, tuple[str, ...]]:
    """Where the cards came from, and which they were."""
    before, words = act.before, act.event.action.split()[1:]
    if act.kind == "draw":
        return "stock", act.after.waste[len(before.waste) :]
    if act.kind == "turn":
        return rules.WASTE, ()
    if act.kind in NO_MOVES:
        return "", ()
    source = words[0]
    if source == rules.WASTE:
        return source, before.waste[-1:]
    if source in before.pack.suits:
        return source, (before.pack.ranks[before.home_of(source) - 1] + source,)
    column = before.columns[int(source) - 1]
    if act.kind == "up":
        return source, column.down[-1:]
    return source, column.up[-(int(words[2]) if act.kind == "move" else 1) :]
