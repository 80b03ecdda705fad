"""Which hands are to be looked at again, and from which seat."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.actions_table import TableHand
from analysis.hands import Hand
from games.contract import BadFile

MOST_NAMED = 5  # of hands or participants, in a sentence that says which there are


def chosen(hands: Iterable[Hand], hand_id: str | None, participant: str | None) -> list[Hand]:
    """The hand of that id, or all hands of the participant, in the order of the sources. BadFile if none."""
    found, others = [], {}
    for hand in hands:
        names = {id_of(hand)} if hand_id is not None else set(participants(hand).values())
        if (participant if hand_id is None else hand_id) in names:
            found.append(hand)
        else:
            others |= dict.fromkeys(sorted(names))
    if found:
        return found
    what = "participant" if hand_id is None else "hand"
    if not others:
        raise BadFile(f"{what} {participant if hand_id is None else hand_id}", "The sources hold no hand.")
    raise BadFile(
        f"{what} {participant if hand_id is None else hand_id}",
        f"The sources have no {what} of this name; they have {_named(list(others), what)}.",
    )


def id_of(hand: Hand) -> str:
    """``hand_id`` of a table; of a log, which has none, the participant and the hand's number: ``Anna-3``."""
    if isinstance(hand, TableHand):
        return hand.hand_id
    return f"{hand.told.participant}-{hand.told.number}".removeprefix("-")


def participants(hand: Hand) -> dict[str, str]:
    """The codes of those who sat at the table, by their seats."""
    if not isinstance(hand, TableHand):
        return {"solo": hand.told.participant}
    codes = {seat: hand.who(seat)["participant_code"] for seat in hand.people}
    if hand.participant and hand.participant not in codes.values():
        codes["solo"] = hand.participant
    return {seat: code for seat, code in codes.items() if code}


def seat(hand: Hand, participant: str | None) -> str | None:
    """Where the participant sat; without one, the first seat of a participant. None if nobody sat there."""
    codes = participants(hand)
    if participant is not None:
        return next((seat for seat, code in codes.items() if code == participant), None)
    return None if isinstance(hand, TableHand) and not codes else min(codes, key=_order(hand))


def _order(hand: Hand):
    """Seats in the order in which they first act."""
    acted = [event.seat for event in hand.events if event.seat] if isinstance(hand, TableHand) else []
    return lambda seat: acted.index(seat) if seat in acted else len(acted)


def _named(names: list[str], what: str) -> str:
    first = ", ".join(name or "one without a name" for name in names[:MOST_NAMED])
    return f"{first} … ({len(names)} {what}s in all)" if len(names) > MOST_NAMED else first
