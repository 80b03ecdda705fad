"""Regenerates the ck and nk logs and the Transform summary of a session from its table of actions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from cardlab.analysis.folding import history
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.hand import Hand
from cardlab.games.ttt import board, keeper_log, rules, transform

Numbers = Mapping[str, int]


def _ck_log(hands: Sequence[SourceHand], numbers: Numbers) -> Iterator[str]:
    return _keeper_log("ck", hands, numbers)


def _nk_log(hands: Sequence[SourceHand], numbers: Numbers) -> Iterator[str]:
    return _keeper_log("nk", hands, numbers)


def _keeper_log(keeper: str, hands: Sequence[SourceHand], numbers: Numbers) -> Iterator[str]:
    """Yields the lines of the log of each participant, in the order of the participants."""
    own_hands: dict[str, list[SourceHand]] = defaultdict(list)
    for hand in hands:
        for code in _codes(hand, _state(hand)).values():
            own_hands[code].append(hand)
    for code, number in numbers.items():
        log: keeper_log.ParticipantLog | None = None
        for hand in sorted(own_hands[code], key=lambda hand: hand.number):
            state = _state(hand)
            codes = _codes(hand, state)
            seat = next(seat for seat, other in codes.items() if other == code)
            if keeper not in keeper_log.file_keepers(seat) or not keeper_log.is_logged(state, seat):
                continue
            log = log or keeper_log.ParticipantLog(keeper, code, number, hand.whole("hands"), hand.created_ms)
            partner = keeper_log.partner_code(seat, codes)
            yield from log.begin_hand(
                *(hand.number, hand.deal, hand.options, state.shown_ms, hand.events, partner)
            )


def _transform(hands: Sequence[SourceHand], _numbers: Numbers) -> Iterator[str]:
    """Yields the lines of the summary, group by group."""
    groups: dict[frozenset[str], list[SourceHand]] = defaultdict(list)
    for hand in hands:
        groups[frozenset(_codes(hand, _state(hand)).values())].append(hand)
    for group in groups.values():
        for hand in group:
            yield from transform.summary([(board.parse_deal(hand.deal)[0], _state(hand).state.sequence)])


def _state(hand: SourceHand) -> Hand:
    return history(hand, rules).hand


def _codes(hand: SourceHand, state: Hand) -> dict[str, str]:
    """Returns the codes of the participants by seat."""
    codes = {seat: hand.participant_cells(seat)["participant_code"] for seat in state.seats}
    return {seat: code for seat, code in codes.items() if code}


LINES = {"ck_log": _ck_log, "nk_log": _nk_log, "transform": _transform}
