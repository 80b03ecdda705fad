"""A hand of a ck and an nk log told step by step, as far as logs tell it.

Without an ``HS`` line neither goal nor settings are known: the goal lies face down, how many moves are left
is a question mark, and the cards may be looked at as the defaults allow.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from analysis.games.ttt.logged import Logged, row
from analysis.replay.steps import Steps, Told, kind_of, over_by
from games.contract import BadFile, IllegalAction
from games.events import Event
from games.ttt import rules
from games.ttt.keeper_log import LoggedEvent


def of_log(hand: Logged, seat: str | None) -> Told:
    """The hand as its logs tell it. BadFile if ``seat`` is another than the one there is."""
    told = hand.told
    if seat not in (None, rules.SEAT):
        sentence = f"A hand of Target the Two has no seat {seat!r}; its one seat is {rules.SEAT}."
        raise BadFile(hand.files[0], sentence)
    settings = {**rules.DEFAULT_OPTIONS, **told.options}
    untold: Told = {}
    if told.goal is None:
        settings["ViewTarget"] = False
    if "MaxRounds" not in told.options:
        settings["MaxRounds"] = len(told.sequence) + 1
        untold["left"] = "?"
    state = rules.State(told.layout, told.goal or "", told.first or "ck", settings)
    steps = Steps(rules, rules.SEAT, untold)
    steps.add("deal", state, log_ms=told.dealt_ms)
    for event in _in_order(hand):
        state = _add(steps, state, event, told.dealt_ms)
    known = row(hand)
    outcome = known.get("outcome") or ("open" if told.ended_ms is None else "ended")
    if told.ended_ms is not None:
        over = {"seat": rules.SEAT, "action": "end", "over": outcome}
        steps.add("end", state, told.ended_ms - told.dealt_ms, log_ms=told.ended_ms, **over)
    return {
        "number": told.number,
        "practice": False,
        "participant": told.participant,
        "label": "",
        "session": "",
        "seat": rules.SEAT,
        "seats": [rules.SEAT],
        "outcome": outcome,
        "score": known["score"],
        "shown": "",
        "deal": " | ".join([" ".join(told.layout), told.goal or "goal not told", told.first or "not told"]),
        "settings": told.options or {"CardsBackFile": settings["CardsBackFile"]},
        "source": f"{', '.join(dict.fromkeys(Path(file).name for file in hand.files))}, line {told.line}",
        "notice": " ".join(_missing(hand)),
        "steps": steps.steps,
    }


def _in_order(hand: Logged) -> list[LoggedEvent]:
    """The events by the clock; of one moment the pick-ups and looks before the move."""
    if hand.events is None:
        return list(hand.told.events)
    return sorted(hand.events, key=lambda event: (event.ms, event.accepted and event.action in rules.MOVES))


def _add(steps: Steps, state: rules.State, event: LoggedEvent, dealt_ms: int) -> rules.State:
    """The state after an event. One that the rules do not allow changes nothing, and the reason says so."""
    reason = event.reason
    kind = kind_of(rules, state, Event(None, rules.SEAT, event.action, None, 0, event.accepted))
    if event.accepted:
        try:
            state = rules.apply(state, rules.SEAT, event.action)
        except IllegalAction as error:
            reason = f"In the log, but not possible by the rules: {error}"
    ms = event.ms - dealt_ms
    more = {"reason": reason, "log_ms": event.ms, "over": over_by(rules, state, rules.SEAT)}
    steps.add(kind, state, ms, seat=rules.SEAT, action=event.action, **more)
    return state


def _missing(hand: Logged) -> list[str]:
    sentences = []
    if hand.told.goal is None:
        sentences.append("The log tells neither the goal nor the settings.")
    if hand.events is None:
        keeper: Any = {"ck": "Ck", "nk": "Nk"}.get(hand.told.keeper or "", "one keeper")
        sentences.append(
            f"Looks, pick-ups and refused actions are those of {keeper} alone: one log is missing."
        )
    return sentences
