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
    kind, requested_name = ("participant", participant) if hand_id is None else ("hand", hand_id)
    is_found = False
    other_names: dict[str, None] = {}
    for hand in hands:
        names = {hand.hand_id} if hand_id is not None else set(participants_by_seat(hand).values())
        if requested_name in names:
            is_found = True
            yield hand
        else:
            other_names |= dict.fromkeys(sorted(names))
    if is_found:
        return
    if not other_names:
        raise BadFile(f"{kind} {requested_name}", "The sources have no hands.")
    known_names = _list_names(list(other_names), kind)
    raise BadFile(
        f"{kind} {requested_name}", f"The sources have no {kind} of this name. They have {known_names}."
    )


def participants_by_seat(hand: SourceHand) -> dict[str, str]:
    """Returns the codes of the participants by seat. Codes from a log may be empty."""
    codes = {seat: hand.participant_cells(seat)["participant_code"] for seat in hand.people}
    if hand.from_log:
        return codes
    if hand.participant and hand.participant not in codes.values():
        codes["solo"] = hand.participant
    return {seat: code for seat, code in codes.items() if code}


def choose_seat(hand: SourceHand, participant: str | None) -> str | None:
    """Returns the seat of a participant, by default the first seat of a participant that acted.

    None if there is no such seat.
    """
    codes = participants_by_seat(hand)
    if participant is not None:
        return next((seat for seat, code in codes.items() if code == participant), None)
    acted = [event.seat for event in hand.events if event.seat]
    return min(codes, key=lambda seat: acted.index(seat) if seat in acted else len(acted), default=None)


def _list_names(names: list[str], kind: str) -> str:
    first_names = ", ".join(name or "one without a name" for name in names[:MAX_NAMED])
    return f"{first_names} … ({len(names)} {kind}s in all)" if len(names) > MAX_NAMED else first_names
