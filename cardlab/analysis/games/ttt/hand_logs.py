"""Combines the logs of one hand, and computes its rows of the table of hands."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from cardlab.analysis.source_hand import Row
from cardlab.games.contract import IllegalAction
from cardlab.games.events import ABSENT, ARRIVE, END, Event, server_note
from cardlab.games.hand import Hand, History, Step
from cardlab.games.record import Opening, compact_json
from cardlab.games.registry import games_by_name
from cardlab.games.ttt import board, measures, routes, rules
from cardlab.games.ttt.board import KEEPERS
from cardlab.games.ttt.keeper_log import ROBOT, LoggedEvent, LoggedHand

# Columns that are known only from the seat's own file if two play.
_OWN_FILE_COLUMNS = ("actions", "refused", "looks", "pick_ups", "aborted_drags", "first_move_ms")


class HandLogs(NamedTuple):
    """One hand as read from one or several logs.

    ``longest`` is the hand of the file with the most moves. ``events`` are those of both keepers' files; None
    if one is missing or ends earlier, or if two play. ``files`` names each file. ``versions`` has the hand in
    each file if two play and there are several files.
    """

    longest: LoggedHand
    events: tuple[LoggedEvent, ...] | None
    files: tuple[str, ...]
    versions: tuple[LoggedHand, ...] = ()

    @property
    def codes(self) -> dict[str, str]:
        """The participants' codes by seat; "" for a robot, or if the log has no code."""
        longest = self.longest
        if longest.seat == board.SEAT:
            return {board.SEAT: longest.participant}
        partner = "" if longest.partner == ROBOT else longest.partner
        codes = {
            longest.seat: longest.participant,
            board.other(longest.seat): partner,
        }
        return {seat: codes[seat] for seat in KEEPERS}

    @property
    def hand_id(self) -> str:
        """The id of the hand: its players and its number, such as ``Anna-3`` or ``Anna-robot-3``."""
        names = [code or self.longest.partner for code in self.codes.values()]
        return "-".join(filter(None, [*names, str(self.longest.number)]))

    @property
    def robots(self) -> dict[str, str]:
        """The robot by seat, if there is one, as in the settings of a record."""
        return {
            seat: ROBOT for seat in self.codes if self.longest.partner == ROBOT and seat != self.longest.seat
        }

    def side(self, seat: str) -> LoggedHand | None:
        """Returns the longest version in the files of a seat; None if there is no file."""
        own_versions = [version for version in self.versions or (self.longest,) if version.seat == seat]
        return max(own_versions, key=fullness, default=None)


def fullness(version: LoggedHand) -> tuple[bool, int]:
    """Returns a sort key that is greater for a version with more of the hand."""
    return version.ended, len(version.sequence)


def rows(hand: HandLogs) -> Iterator[Row]:
    """Yields the row of each seat for the table of hands."""
    if hand.longest.seat == board.SEAT:
        yield solo_row(hand)
        return
    hand_history = history(hand)
    for seat in KEEPERS:
        yield _pair_row(hand, seat, hand_history)


def solo_row(hand: HandLogs) -> Row:
    """Returns the row of a hand in which one participant moves both keepers.

    Without an ``HS`` line the goal and the settings are unknown. A single file has only half of the looks.
    Times are those of the participant's clock.
    """
    longest = hand.longest
    sequence = longest.sequence
    first_move = next(
        (event.ms for event in longest.events if event.accepted and event.action in board.MOVES), None
    )
    known_values: Row = {
        "participant_code": longest.participant,
        "hand": longest.number,
        "seat": board.SEAT,
        "sequence": sequence,
        "score": longest.score if longest.ended else "",
        "client_seconds": client_seconds(longest),
        "settings": compact_json(longest.options) if longest.options else "",
        "layout": " ".join(longest.layout),
        "goal": longest.goal,
        "first": longest.first,
        "moves": len(sequence),
        "first_move_ms": "" if first_move is None else first_move - longest.dealt_ms,
    }
    if hand.events is not None:
        known_values["refused"] = sum(not event.accepted for event in hand.events)
        known_values |= _touches([event.action for _seat, event in events_in_order(hand) if event.accepted])
    if longest.goal and longest.first:
        known_values |= measures.deal_measures(longest.layout, longest.goal, longest.first)
        known_values |= _deal_and_outcome(hand)
    return known_values | {"source": "; ".join(dict.fromkeys(hand.files))}


def _pair_row(hand: HandLogs, seat: str, hand_history: History | None) -> Row:
    """Returns the row of a seat if two play. Only the seat's own file has its actions other than moves."""
    longest, side = hand.longest, hand.side(seat)
    from_own = side is not None and (side.ended or fullness(side) == fullness(longest))
    ending = side if side and side.ended else longest
    known_values: Row = {
        "participant_code": hand.codes[seat],
        "app": games_by_name()["ttt"].app_for_seats(len(KEEPERS)),
        "hand": longest.number,
        "hand_id": hand.hand_id,  # the same in both rows
        "seat": seat,
        "sequence": longest.sequence,
        "score": ending.score if longest.ended else "",
        "client_seconds": client_seconds(ending),
        "settings": compact_json(longest.options),
        "layout": " ".join(longest.layout),
        "goal": longest.goal,
        "first": longest.first,
        "moves": len(longest.sequence),
    }
    if longest.goal and longest.first:
        known_values |= _deal_and_outcome(hand)
    if hand_history:
        own_events = [step.event for step in hand_history.steps if step.event.seat == seat]
        known_values |= measures.measure_hand(hand_history, seat)
        known_values["actions"] = sum(event.accepted is True for event in own_events)
        known_values["refused"] = sum(event.accepted is False for event in own_events)
    if not from_own:
        known_values |= dict.fromkeys(_OWN_FILE_COLUMNS, "")
    return known_values | {"source": "; ".join(dict.fromkeys(hand.files))}


def events_in_order(hand: HandLogs) -> list[tuple[str, LoggedEvent]]:
    """Returns the events by time, each with its seat. Pick-ups and looks precede a move of the same time.

    The clocks of two PCs differ. So if two play, each event keeps its position between the moves of its own
    file, and a move has the time of the player who made it.
    """
    longest = hand.longest
    if longest.seat == board.SEAT:
        if hand.events is None:
            return [(board.SEAT, event) for event in longest.events]
        in_order = sorted(hand.events, key=lambda event: (event.ms, is_move(event)))
        return [(board.SEAT, event) for event in in_order]
    moves, between = _split_at_moves(longest)
    sides = {seat: _split_at_moves(side) for seat in KEEPERS if (side := hand.side(seat))}
    events, turn = [], longest.first or KEEPERS[0]
    for number in range(len(moves) + 1):
        asides = [
            (seat, event)
            for seat, (_moves, own) in sides.items()
            for event in (own[number] if number < len(own) else ())
        ]
        events += sorted(asides, key=lambda aside: aside[1].ms)
        if number < len(moves):
            own_moves = sides.get(turn, ((), ()))[0]
            events.append((turn, (own_moves if number < len(own_moves) else moves)[number]))
            turn = board.other(turn)
    return events


def _split_at_moves(version: LoggedHand) -> tuple[list[LoggedEvent], list[list[LoggedEvent]]]:
    """Returns the moves of a file, and the events before, between and after them."""
    moves: list[LoggedEvent] = []
    between: list[list[LoggedEvent]] = [[]]
    for event in version.events:
        if is_move(event):
            moves.append(event)
            between.append([])
        else:
            between[-1].append(event)
    return moves, between


def is_move(event: LoggedEvent) -> bool:
    """Returns whether the event is an accepted move, not a look or a pick-up."""
    return event.accepted and event.action in board.MOVES


def history(hand: HandLogs) -> History | None:
    """Returns a hand of two players as from a record, with both present from the deal on.

    None if the files have no goal, or if the moves break the rules.
    """
    longest = hand.longest
    if not longest.goal or not longest.first:
        return None
    options = {**longest.options, "robots": hand.robots}
    deal = board.format_deal(longest.layout, longest.goal, longest.first)
    dealt_hand = hand_state = Hand(
        games_by_name()["ttt"].rules, Opening(deal, options, shown_ms=longest.dealt_ms)
    )
    steps: list[Step] = []
    for event in _record_events(hand):
        try:
            previous_hand, hand_state = hand_state, hand_state.after(event)
        except IllegalAction:
            if event.action in board.MOVES:
                return None
            continue  # a damaged line, such as a look at a card that is not visible
        steps.append(Step(previous_hand, event, hand_state))
    return History(dealt_hand, tuple(steps))


def _record_events(hand: HandLogs) -> Iterator[Event]:
    """Yields the rows of a record of the hand, timed as in the logs."""
    longest, robots = hand.longest, hand.robots
    latest_ms, number = longest.dealt_ms, 0
    for seat in KEEPERS:
        if seat not in robots:
            yield server_note(seat, ARRIVE, longest.dealt_ms)
    for seat, event in events_in_order(hand):
        latest_ms = max(latest_ms, event.ms)
        number += event.accepted
        if event.by_server:
            yield server_note(seat, ABSENT, latest_ms)
        client_ms = None if event.by_server or seat in robots else max(0, event.ms - longest.dealt_ms)
        yield Event(number, seat, event.action, client_ms, latest_ms, event.accepted, event.reason)
    if longest.ended_ms is not None:
        outcome = _deal_and_outcome(hand).get("outcome") or "advanced"  # stands for any unknown outcome
        yield Event(number + 1, "", f"{END}{outcome}", None, max(latest_ms, longest.ended_ms))


def client_seconds(log: LoggedHand) -> float | str:
    """Returns the duration of a hand in seconds, "" if it has no end.

    Less than six milliseconds count as 0, because the six cards are logged a millisecond apart.
    """
    if log.ended_ms is None:
        return ""
    ms = log.ended_ms - log.dealt_ms
    return 0.0 if ms < len(board.PLACES) else ms / 1000


def _deal_and_outcome(hand: HandLogs) -> dict[str, Any]:
    """Returns deal, outcome and route of a hand whose goal and first mover are known.

    The outcome is "" if the hand was not solved or failed, because a log does not say how it ended. If the
    moves break the rules, only the deal is returned; the reader of the log has warned.
    """
    longest = hand.longest
    assert longest.goal
    assert longest.first
    deal = board.format_deal(longest.layout, longest.goal, longest.first)
    try:
        route = routes.route(deal, longest.sequence)
        # Replayed as a hand of one player, because the board does not depend on who moves.
        solo_options = {
            **longest.options,
            "players": 1,
            "MaxRounds": len(longest.sequence) + 1,
        }
        state = rules.start(deal, solo_options)
        for move in longest.sequence:
            state = rules.apply(state, board.SEAT, move)
    except IllegalAction:
        return {"deal": deal}
    outcome = ""
    if state.solved:
        outcome = "solved"
    elif longest.ended_ms is None:
        outcome = "open"
    elif "MaxRounds" in longest.options and state.moves >= longest.options["MaxRounds"]:
        outcome = "failed"
    return {"deal": deal, "outcome": outcome, "route": route}


def _touches(accepted_actions: list[str]) -> dict[str, int]:
    """Returns the counts that need all accepted actions of the hand."""
    return {
        "actions": len(accepted_actions),
        "looks": sum(action.startswith("look ") for action in accepted_actions),
        **measures.drag_counts(accepted_actions),
    }
