"""Selects the hands to replay, and the seat from which they are shown."""

from collections.abc import Iterable, Iterator

from cardlab.analysis.source_hand import SourceHand
from cardlab.games.contract import BadFile

MAX_NAMED = 5  # hands or participants listed in an error message


def select_hands(
    hands: Iterable[SourceHand], hand_id: str | None, participant: str | None
) -> Iterator[SourceHand]:
    """Yields the hand with an id, or all hands of a participant, in the order of the sources.

    Raises:
        BadFile: At the end, if there is none.
    """
    what, wanted = ("participant", participant) if hand_id is None else ("hand", hand_id)
    is_found = False
    others: dict[str, None] = {}
    for hand in hands:
        names = {hand.hand_id} if hand_id is not None else set(participants_by_seat(hand).values())
        if wanted in names:
            is_found = True
            yield hand
        else:
            others |= dict.fromkeys(sorted(names))
    if is_found:
        return
    if not others:
        raise BadFile(f"{what} {wanted}", "The sources have no hands.")
    known = _list_names(list(others), what)
    raise BadFile(f"{what} {wanted}", f"The sources have no {what} of this name. They have {known}.")


def participants_by_seat(hand: SourceHand) -> dict[str, str]:
    """Returns the codes of the participants by seat. Codes from a log may be empty."""
    codes = {seat: hand.who(seat)["participant_code"] for seat in hand.people}
    if hand.from_log:
        return codes
    if hand.participant and hand.participant not in codes.values():
        codes["solo"] = hand.participant
    return {seat: code for seat, code in codes.items() if code}


def choose_seat(hand: SourceHand, participant: str | None) -> str | None:
    """Returns the seat of a participant, or without one, the first participants' seat that acted.

    None if there is no such seat.
    """
    codes = participants_by_seat(hand)
    if participant is not None:
        return next((seat for seat, code in codes.items() if code == participant), None)
    acted = [event.seat for event in hand.events if event.seat]
    return min(codes, key=lambda seat: acted.index(seat) if seat in acted else len(acted), default=None)


def _list_names(names: list[str], what: str) -> str:
    first = ", ".join(name or "one without a name" for name in names[:MAX_NAMED])
    return f"{first} … ({len(names)} {what}s in all)" if len(names) > MAX_NAMED else first
