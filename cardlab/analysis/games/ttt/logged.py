"""What ck and nk logs tell of a hand, as far as the table of hands goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from cardlab.analysis.source_hand import Row
from cardlab.games.contract import IllegalAction
from cardlab.games.events import ABSENT, ARRIVE, END, Event, server_note
from cardlab.games.hand import Hand, History, Step
from cardlab.games.record import Opening, compact_json
from cardlab.games.registry import games_by_name
from cardlab.games.ttt import measures, routes, rules
from cardlab.games.ttt.keeper_log import ROBOT, LoggedEvent, LoggedHand
from cardlab.games.ttt.keeper_log.quick import PlayedHand
from cardlab.games.ttt.rules import KEEPERS

# What of a seat of two only their own file tells.
_OF_THE_OWN_FILE = ("actions", "refused", "looks", "pick_ups", "aborted_drags", "first_move_ms")


class Logged(NamedTuple):
    """A hand as its logs tell it.

    ``told`` is the fullest telling, a PlayedHand if only the moves were read; ``events`` are those of
    both keepers' files, None where one is missing, ends earlier or was read for its moves alone, and where
    two play, of whom each has a file of their own. ``files`` names each file it was read from, and
    ``tellings`` what each tells, if there are several.
    """

    told: LoggedHand | PlayedHand
    events: tuple[LoggedEvent, ...] | None
    files: tuple[str, ...]
    tellings: tuple[LoggedHand | PlayedHand, ...] = ()

    @property
    def codes(self) -> dict[str, str]:
        """The participants' codes by their seats; empty for a robot, and where the log names nobody."""
        told = self.told
        if told.seat == rules.SEAT:
            return {rules.SEAT: told.participant}
        partner = "" if told.partner == ROBOT else told.partner
        codes = {told.seat: told.participant, rules.other(told.seat): partner}
        return {seat: codes[seat] for seat in KEEPERS}

    @property
    def hand_id(self) -> str:
        """The name of the hand: those who play, and its number, like ``Anna-3`` or ``Anna-robot-3``."""
        names = [code or self.told.partner for code in self.codes.values()]
        return "-".join(filter(None, [*names, str(self.told.number)]))

    @property
    def robots(self) -> dict[str, str]:
        """The robot of two by its seat, as the settings of a record name one."""
        return {seat: ROBOT for seat in self.codes if self.told.partner == ROBOT and seat != self.told.seat}

    def side(self, seat: str) -> LoggedHand | PlayedHand | None:
        """The fullest telling from the file of one of two; None if it is missing."""
        own = [told for told in self.tellings or (self.told,) if told.seat == seat]
        return max(own, key=fullness, default=None)


def fullness(told: LoggedHand | PlayedHand) -> tuple[bool, int]:
    """What is greater for a telling that tells more."""
    return told.ended, len(told.sequence)


def rows(hand: Logged) -> Iterator[Row]:
    """The cells of the table of hands, for each seat."""
    if hand.told.seat == rules.SEAT:
        yield row(hand)
        return
    played = history(hand)
    for seat in KEEPERS:
        yield _row_of_two(hand, seat, played)


def row(hand: Logged) -> Row:
    """The cells of the table of hands: a hand without an ``HS`` line names neither goal nor settings, a
    single file has half of the looks, and times are the participant's alone."""
    told = hand.told
    sequence = told.sequence
    first_move = next(
        (event.ms for event in told.events if event.accepted and event.action in rules.MOVES), None
    )
    ended = told.ended_ms is not None
    known: Row = {
        "participant_code": told.participant,
        "hand": told.number,
        "seat": rules.SEAT,
        "sequence": sequence,
        "score": told.score if ended else "",
        "client_seconds": client_seconds(told.ended_ms - told.dealt_ms) if ended else "",
        "settings": compact_json(told.options) if told.options else "",
        "layout": " ".join(told.layout),
        "goal": told.goal,
        "first": told.first,
        "moves": len(sequence),
        "first_move_ms": "" if first_move is None else first_move - told.dealt_ms,
    }
    if hand.events is not None:
        known["refused"] = sum(not event.accepted for event in hand.events)
        known |= _touches([event.action for _seat, event in in_order(hand) if event.accepted])
    if told.goal and told.first:
        known |= measures.of_deal(told.layout, told.goal, told.first)
        known |= _played(hand)
    return known | {"source": "; ".join(dict.fromkeys(hand.files))}


def _row_of_two(hand: Logged, seat: str, played: History | None) -> Row:
    """The same for one of two, whose own file alone has their looks, pick-ups and refused actions."""
    told, side = hand.told, hand.side(seat)
    from_own = side is not None and (side.ended or fullness(side) == fullness(told))
    ending = side if side and side.ended else told
    known: Row = {
        "participant_code": hand.codes[seat],
        "app": games_by_name()["ttt"].app_for_seats(len(KEEPERS)),  # who has no code there is a robot
        "hand": told.number,
        "hand_id": hand.hand_id,  # by which the two rows are known to be of one hand
        "seat": seat,
        "sequence": told.sequence,
        "score": ending.score if told.ended else "",
        "client_seconds": client_seconds(ending.ended_ms - ending.dealt_ms) if told.ended else "",
        "settings": compact_json(told.options),
        "layout": " ".join(told.layout),
        "goal": told.goal,
        "first": told.first,
        "moves": len(told.sequence),
    }
    if told.goal and told.first:
        known |= _played(hand)
    if played:
        own = [step.event for step in played.steps if step.event.seat == seat]
        known |= measures.measure_hand(played, seat)
        known["actions"] = sum(event.accepted is True for event in own)
        known["refused"] = sum(event.accepted is False for event in own)
    if not from_own:
        known |= dict.fromkeys(_OF_THE_OWN_FILE, "")
    return known | {"source": "; ".join(dict.fromkeys(hand.files))}


def in_order(hand: Logged) -> list[tuple[str, LoggedEvent]]:
    """The events by the clock, each with its seat; of one moment the pick-ups and looks before the move.

    Two PCs have two clocks. So of two who play what each did stands between the moves between which it stands
    in their own file, and a move has the time of who made it.
    """
    told = hand.told
    if told.seat == rules.SEAT:
        events = told.events if hand.events is None else hand.events
        if hand.events is not None:
            events = sorted(events, key=lambda event: (event.ms, is_move(event)))
        return [(rules.SEAT, event) for event in events]
    moves, between = _parts(told)
    sides = {seat: _parts(side) for seat in KEEPERS if (side := hand.side(seat))}
    found, turn = [], told.first or KEEPERS[0]
    for number in range(len(moves) + 1):
        asides = [
            (seat, event)
            for seat, (_moves, own) in sides.items()
            for event in (own[number] if number < len(own) else ())
        ]
        found += sorted(asides, key=lambda aside: aside[1].ms)
        if number < len(moves):
            own_moves = sides.get(turn, ((), ()))[0]
            found.append((turn, (own_moves if number < len(own_moves) else moves)[number]))
            turn = rules.other(turn)
    return found


def _parts(told: LoggedHand) -> tuple[list[LoggedEvent], list[list[LoggedEvent]]]:
    """The moves of a file, and what stands before, between and after them."""
    moves: list[LoggedEvent] = []
    between: list[list[LoggedEvent]] = [[]]
    for event in told.events:
        if is_move(event):
            moves.append(event)
            between.append([])
        else:
            between[-1].append(event)
    return moves, between


def is_move(event: LoggedEvent) -> bool:
    """Whether a move was made, and not a look or a pick-up."""
    return event.accepted and event.action in rules.MOVES


def history(hand: Logged) -> History | None:
    """A hand of two as a record would tell it, as far as the files go; None if they name no goal, or the
    rules do not allow the moves. Both have come when the cards were dealt."""
    told = hand.told
    if not told.goal or not told.first:
        return None
    options = {**told.options, "robots": hand.robots}
    deal = rules.format_deal(told.layout, told.goal, told.first)
    dealt = played = Hand(rules, Opening(deal, options, shown_ms=told.dealt_ms))
    steps: list[Step] = []
    for event in _as_recorded(hand):
        try:
            before, played = played, played.after(event)
        except IllegalAction:
            if event.action in rules.MOVES:
                return None
            continue  # a damaged line: a look at a card that may not be looked at, say
        steps.append(Step(before, event, played))
    return History(dealt, tuple(steps))


def _as_recorded(hand: Logged) -> Iterator[Event]:
    """The rows of a record of the hand, by the clock of the logs."""
    told, robots = hand.told, hand.robots
    latest, number = told.dealt_ms, 0
    for seat in KEEPERS:
        if seat not in robots:
            yield server_note(seat, ARRIVE, told.dealt_ms)
    for seat, event in in_order(hand):
        latest = max(latest, event.ms)
        number += event.accepted
        if event.by_server:
            yield server_note(seat, ABSENT, latest)
        client_ms = None if event.by_server or seat in robots else max(0, event.ms - told.dealt_ms)
        yield Event(number, seat, event.action, client_ms, latest, event.accepted, event.reason)
    if told.ended_ms is not None:
        outcome = _played(hand).get("outcome") or "advanced"  # or another that a log does not tell
        yield Event(number + 1, "", f"{END}{outcome}", None, max(latest, told.ended_ms))


def client_seconds(ms: int) -> float:
    """The cards are dealt a millisecond apart in a log, which takes no time of the participant's."""
    return 0.0 if ms < len(rules.PLACES) else ms / 1000


def _played(hand: Logged) -> dict[str, Any]:
    """Deal, outcome and route, for a hand whose goal and first mover are known.

    A log says that a hand has ended, not whether it was given up, timed out or moved on. Nothing where
    the moves break the rules; the log's reader has warned of it.
    """
    told = hand.told
    deal = rules.format_deal(told.layout, told.goal, told.first)
    try:
        route = routes.route(deal, told.sequence)
        alone = {**told.options, "players": 1, "MaxRounds": len(told.sequence) + 1}
        state = rules.start(deal, alone)  # whoever moves, the board is the same
        for move in told.sequence:
            state = rules.apply(state, rules.SEAT, move)
    except IllegalAction:
        return {"deal": deal}
    outcome = ""
    if state.solved:
        outcome = "solved"
    elif told.ended_ms is None:
        outcome = "open"
    elif "MaxRounds" in told.options and state.moves >= told.options["MaxRounds"]:
        outcome = "failed"
    return {"deal": deal, "outcome": outcome, "route": route}


def _touches(accepted: list[str]) -> dict[str, int]:
    """What needs every accepted action between deal and end."""
    return {
        "actions": len(accepted),
        "looks": sum(action.startswith("look ") for action in accepted),
        **measures.of_drags(accepted),
    }
