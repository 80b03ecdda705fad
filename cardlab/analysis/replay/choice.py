"""Which hands are to be looked at again, and from which seat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cardlab.analysis.source_hand import SourceHand
from cardlab.games.contract import BadFile

MAX_NAMED = 5  # of hands or participants, in a sentence that says which there are


def select_hands(
    hands: Iterable[SourceHand], hand_id: str | None, participant: str | None
) -> Iterator[SourceHand]:
    """The hand of that id, or all hands of the participant, in the order of the sources, each as soon as it
    is found. BadFile at the end if there was none."""
    found, others = False, {}
    for hand in hands:
        names = {hand.hand_id} if hand_id is not None else set(participants_by_seat(hand).values())
        if (participant if hand_id is None else hand_id) in names:
            found = True
            yield hand
        else:
            others |= dict.fromkeys(sorted(names))
    if found:
        return
    what = "participant" if hand_id is None else "hand"
    if not others:
        raise BadFile(f"{what} {participant if hand_id is None else hand_id}", "The sources hold no hand.")
    raise BadFile(
        f"{what} {participant if hand_id is None else hand_id}",
        f"The sources have no {what} of this name; they have {_list_names(list(others), what)}.",
    )


def participants_by_seat(hand: SourceHand) -> dict[str, str]:
    """The codes of those who sat at the table, by their seats."""
    codes = {seat: hand.who(seat)["participant_code"] for seat in hand.people}
    if hand.from_log:
        return codes  # a log may name nobody
    if hand.participant and hand.participant not in codes.values():
        codes["solo"] = hand.participant
    return {seat: code for seat, code in codes.items() if code}


def choose_seat(hand: SourceHand, participant: str | None) -> str | None:
    """Where the participant sat; without one, the first seat of a participant. None if nobody sat there."""
    codes = participants_by_seat(hand)
    if participant is not None:
        return next((seat for seat, code in codes.items() if code == participant), None)
    return min(codes, key=_order_of_seats(hand), default=None)


def _order_of_seats(hand: SourceHand):
    """Seats in the order in which they first act."""
    acted = [event.seat for event in hand.events if event.seat]
    return lambda seat: acted.index(seat) if seat in acted else len(acted)


def _list_names(names: list[str], what: str) -> str:
    first = ", ".join(name or "one without a name" for name in names[:MAX_NAMED])
    return f"{first} … ({len(names)} {what}s in all)" if len(names) > MAX_NAMED else first
