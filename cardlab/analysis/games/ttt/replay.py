"""Makes the steps of the replay of a hand from ck and nk logs.

Without an ``HS`` line the goal and the settings are unknown: the goal is face down, the number of moves left
is a question mark, and other settings have their defaults.
"""

from pathlib import Path
from typing import Any

from cardlab.analysis.games.ttt.hand_logs import HandLogs, events_in_order, rows
from cardlab.analysis.replay.steps import JsonObject, Steps, classify_event, outcome_by_rules
from cardlab.games.contract import BadFile, IllegalAction
from cardlab.games.events import Event
from cardlab.games.ttt import board, rules
from cardlab.games.ttt.keeper_log import LoggedEvent


def replay_logs(hand: HandLogs, seat: str | None) -> JsonObject:
    """Returns the replay as ``seat`` saw it, by default the first seat with a file. Raises BadFile."""
    longest, seats = hand.longest, list(hand.codes)
    if seat not in (None, *seats):
        which = f"its one seat is {seats[0]}" if len(seats) == 1 else f"its seats are {', '.join(seats)}"
        raise BadFile(hand.files[0], f"A hand of Target the Two has no seat {seat!r}; {which}.")
    seat = seat or next(logged_seat for logged_seat in seats if hand.side(logged_seat))
    settings = {**rules.DEFAULT_OPTIONS, **longest.options}
    unknown_cells: JsonObject = {}
    if longest.goal is None:
        settings["ViewTarget"] = False
    if "MaxRounds" not in longest.options:
        settings["MaxRounds"] = len(longest.sequence) + 1
        unknown_cells["left"] = "?"
    state = board.State(longest.layout, longest.goal or "", longest.first or "ck", settings)
    steps = Steps(rules, seat, unknown_cells)
    steps.add("deal", state, log_ms=longest.dealt_ms)
    for by, event in events_in_order(hand):
        state = _add(steps, state, by, event, longest.dealt_ms)
    robots = {"robots": hand.robots} if hand.robots else {}
    known_row = next(row for row in rows(hand) if row["seat"] == seat)
    outcome = known_row.get("outcome") or ("open" if longest.ended_ms is None else "ended")
    if longest.ended_ms is not None:
        over = {"seat": seat if len(seats) == 1 else "", "action": "end", "over": outcome}
        steps.add(
            "end",
            state,
            longest.ended_ms - longest.dealt_ms,
            log_ms=longest.ended_ms,
            **over,
        )
    return {
        "number": longest.number,
        "practice": False,
        "participant": hand.codes[seat],
        "label": "",
        "session": "",
        "seat": seat,
        "seats": seats,
        "outcome": outcome,
        "score": known_row["score"],
        "shown": "",
        "deal": " | ".join(
            [
                " ".join(longest.layout),
                longest.goal or "goal unknown",
                longest.first or "unknown",
            ]
        ),
        "settings": {**(longest.options or {"CardsBackFile": settings["CardsBackFile"]}), **robots},
        "source": f"{', '.join(dict.fromkeys(Path(file).name for file in hand.files))}, line {longest.line}",
        "notice": " ".join(_missing(hand)),
        "steps": steps.steps,
    }


def _add(steps: Steps, state: board.State, seat: str, event: LoggedEvent, dealt_ms: int) -> board.State:
    """Adds an event and returns the state after it. An illegal event changes nothing and has a reason."""
    reason = event.reason
    kind = classify_event(rules, state, Event(None, seat, event.action, None, 0, event.accepted))
    if event.accepted:
        try:
            state = rules.apply(state, seat, event.action)
        except IllegalAction as error:
            reason = f"In the log, but not allowed by the rules: {error}"
        else:
            state = rules.mark_played_by_server(state, seat) if event.by_server else state
    fields = {"reason": reason, "log_ms": event.ms, "over": outcome_by_rules(rules, state, seat)}
    fields["by"] = "server" if event.by_server else ""
    steps.add(kind, state, event.ms - dealt_ms, seat=seat, action=event.action, **fields)
    return state


def _missing(hand: HandLogs) -> list[str]:
    sentences = []
    if hand.longest.goal is None:
        sentences.append("The log has neither the goal nor the settings.")
    if len(hand.codes) > 1:
        missing = [code for seat, code in hand.codes.items() if code and not hand.side(seat)]
        sentences += [
            f"The log of {code} is missing, so their looks, pick-ups and refused actions are unknown."
            for code in missing
        ]
    elif hand.events is None:
        keeper: Any = {"ck": "Ck", "nk": "Nk"}.get(hand.longest.keeper or "", "one keeper")
        sentences.append(
            f"Looks, pick-ups and refused actions are only those of {keeper}, because one log is missing."
        )
    return sentences
