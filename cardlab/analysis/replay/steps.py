"""Makes the steps of a hand as one seat saw it, as JSON values.

The first step is the deal; each later step is an event. ``view`` is the change of what the seat sees
(``rules.view``), ``state`` the change of the whole state, hidden cards included. Both are differences
(:func:`diff`), so that forty hands fit into one file.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import ModuleType
from typing import Any

from cardlab.analysis.folding import history
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.events import Event
from cardlab.games.hand import Hand, History
from cardlab.games.tables import format_utc

JsonObject = dict[str, Any]
Annotate = Callable[[History], dict[int, str]]  # a hand → notes on its actions, by their numbers


def diff(old: Any, new: Any) -> Any:
    """Returns the difference of two JSON values; None if they are equal.

    ``[value]`` replaces the value. A dict has the differences of the parts, by key of an object or index of a
    list.
    """
    if old == new and type(old) is type(new):
        return None
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        parts = [(key, old[key], new[key]) for key in new]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        parts = [(str(index), *pair) for index, pair in enumerate(zip(old, new))]
    else:
        return [new]
    return {key: inside for key, *pair in parts if (inside := diff(*pair)) is not None}


@dataclass
class Steps:
    """Collects the steps of a hand.

    ``shown`` is the current view, ``known`` the current state. ``unknown`` replaces parts of the view that
    the source does not have. ``ms`` is the time of the last step.
    """

    rules: ModuleType
    seat: str
    unknown: JsonObject = field(default_factory=dict)
    shown: Any = None
    known: Any = None
    ms: int = 0
    steps: list[JsonObject] = field(default_factory=list)

    def add(self, kind: str, state: Any, ms: int | None = None, **cells: Any) -> None:
        """Adds a step.

        Parameters:
            kind: the kind of the step (:func:`classify_event`).
            state: the state after it; None after the seat has left, so that the view no longer changes.
            ms: milliseconds since the hand was first shown. If the last step was later, its time is used
                instead, because the clocks of participant and server may differ.
            cells: further contents of the step.
        """
        shown, known = self.shown, self.known
        if state is not None:
            shown = json.loads(json.dumps({**self.rules.view(state, self.seat), **self.unknown}))
            known = describe_state(state)
        self.ms = max(self.ms, ms or 0)
        changes = {"view": diff(self.shown, shown), "state": diff(self.known, known)}
        step = {"kind": kind, "ms": self.ms, **cells, **changes}
        self.steps.append({key: value for key, value in step.items() if value not in (None, "")})
        self.shown, self.known = shown, known


def describe_state(state: Any) -> dict[str, str]:
    """Returns the fields of a state that are cards, numbers or names, as texts."""
    names = getattr(state, "_fields", None) or [field.name for field in fields(state)]
    texts = {name: _to_text(getattr(state, name)) for name in names if name != "options"}
    return {name: text for name, text in texts.items() if text is not None}


def _to_text(value: Any) -> str | None:
    if isinstance(value, (str, int)):
        return str(value)
    if isinstance(value, frozenset):
        return " ".join(sorted(value))
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        return " ".join(value)
    if isinstance(value, tuple) and all(type(item) is tuple for item in value):
        return " | ".join(_to_text(item) or "" for item in value)
    if isinstance(value, tuple) and all(_is_column(item) for item in value):
        return " | ".join(" / ".join(" ".join(cards) for cards in item) for item in value)
    return None


def _is_column(value: Any) -> bool:
    """Returns whether a value is a tuple of tuples of cards, such as those face down and those face up."""
    return isinstance(value, tuple) and all(type(cards) is tuple for cards in value)


def classify_event(rules: ModuleType, state: Any, event: Event) -> str:
    """Returns the kind of an event that occurs in ``state``, in one word."""
    if event.accepted is None:
        return "note"
    if not event.accepted:
        return "refused"
    word = event.action.partition(" ")[0]
    if word in (legal.partition(" ")[0] for legal in rules.legal_actions(state, event.seat)):
        return "move"  # compared by the first word, because an action may add details such as a foundation
    return {"look": "look", "pick": "pick-up"}.get(word, "other")


def outcome_by_rules(rules: ModuleType, state: Any, seat: str) -> str:
    """Returns the outcome if the hand is over by the rules, else "". A board gets it with the last move."""
    return rules.result(state, seat, 0).outcome if rules.is_over(state) else ""


def replay_hand(
    hand: SourceHand, seat: str | None, rules: ModuleType, annotate: Annotate | None = None
) -> JsonObject:
    """Returns a hand of a table as a seat saw it (None: the first seat), with the notes of ``annotate``.

    Raises BadFile if the hand has no such seat or breaks the rules.
    """
    hand_history = history(hand, rules)
    seats = tuple(hand_history.dealt.seats)
    seat = seats[0] if seat is None else seat
    if seat not in seats:
        raise hand.error_at(f"The hand dealt here has no seat {seat!r}. Its seats are {', '.join(seats)}.")
    steps, away = Steps(rules, seat), hand_history.dealt.away_seats() if len(seats) > 1 else None
    steps.add("deal", hand_history.dealt.state, away=away)
    notes = annotate(hand_history) if annotate else {}
    for hand_before, event, hand_after in hand_history.steps:
        ms = event.client_ms
        if ms is None and hand.shown_ms is not None:
            ms = event.server_ms - hand.shown_ms
        kind = "end" if event.end_outcome else classify_event(rules, hand_before.state, event)
        has_left = hand_before.seats[seat].left is not None
        if kind == "end":
            over = hand_after.outcome
        elif event.accepted:
            over = outcome_by_rules(rules, hand_after.state, seat)
        else:
            over = event.leave_outcome or "" if event.seat == seat else ""
        still_away, away = away, hand_after.away_seats() if len(seats) > 1 else None
        steps.add(
            kind,
            None if hand_after.seats[seat].left else hand_after.state,
            ms,
            seat=event.seat,
            action=event.action,
            number=event.number,
            reason=event.reason,
            client_ms=event.client_ms,
            server=format_utc(event.server_ms),
            beside=notes.get(event.number, "") if event.number and event.accepted else "",
            by="server" if event.client_ms is None and kind in ("move", "other") else "",
            away=None if away == still_away else away,
            over="" if has_left and event.accepted is not None else over,
        )
    return {**_describe_hand(hand, seat, hand_history.hand), "steps": steps.steps}


def _describe_hand(hand: SourceHand, seat: str, hand_state: Hand) -> JsonObject:
    shown_ms, identity = hand.shown_ms, hand.participant_cells(seat)
    return {
        "number": hand.number,
        "practice": hand.cells["practice"] == "1",
        "participant": identity["participant_code"],
        "label": identity["participant_label"],
        "session": hand.cells["session_code"],
        "seat": seat,
        "seats": list(hand_state.seats),
        "outcome": hand_state.outcome_for(seat),
        "score": hand_state.result(seat).score,
        "shown": "" if shown_ms is None else format_utc(shown_ms),
        "deal": hand.deal,
        "settings": hand.options,
        "source": f"{Path(hand.file).name}, line {hand.line}",
        "notice": hand.cells.get("notice", ""),
    }
