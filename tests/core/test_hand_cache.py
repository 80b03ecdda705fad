"""Tests the digests of a record: a changed, moved or missing line is detected."""

import pytest

from cardlab.core import hand_cache
from cardlab.core.hand_cache import UnreadableRecord, fold, read_hand
from cardlab.core.record_chain import RecordEnd, chain
from cardlab.games.events import Event
from cardlab.games.hand import Hand
from cardlab.games.record import Opening, write_event, write_opening
from cardlab.games.ttt import rules

HAND = "the hand"
OPENING = Opening("2H 3C 3H 4C 2C 4H | 2H | ck", {}, shown_ms=1_000)


def events_of(moves):
    return [Event(number, "solo", move, 5, 1_000 * number) for number, move in enumerate(moves, 1)]


def texts_of(moves):
    return [write_opening(OPENING), *map(write_event, events_of(moves))]


@pytest.fixture
def lines():
    """Provides the stored lines of a hand in which U, C and N were played, with an empty cache."""
    hand_cache._cache.clear()
    return chain(HAND, "", texts_of("UCN"))


def test_an_unchanged_record_is_folded(lines):
    assert fold(rules, HAND, lines) == Hand(rules, OPENING).after_all(events_of("UCN"))


def other_line(place):
    """Returns the stored line of a pass instead of move number ``place``, which keeps the hand legal."""
    moves = ["P" if number == place else move for number, move in enumerate("UCN", 1)]
    Hand(rules, OPENING).after_all(events_of(moves))
    return chain(HAND, "", texts_of(moves))[place]


@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_replaced_legal_move_is_detected(lines, place):
    lines[place] = lines[place]._replace(text=other_line(place).text)
    with pytest.raises(UnreadableRecord, match=rf"damaged at line {place + 1} \(its digest does not match\)"):
        fold(rules, HAND, lines)


@pytest.mark.parametrize("place", [1, 2])
def test_a_forged_digest_breaks_the_next_line(lines, place):
    lines[place] = other_line(place)
    with pytest.raises(UnreadableRecord, match=f"damaged at line {place + 2} "):
        fold(rules, HAND, lines)


def test_the_deal_is_covered_by_the_digests_too(lines):
    other = write_opening(Opening("2H 3C 3H 4C 2C 4H | 4H | ck", {}, shown_ms=1_000))
    lines[0] = lines[0]._replace(text=other)
    with pytest.raises(UnreadableRecord, match="damaged at line 1 "):
        fold(rules, HAND, lines)


def test_a_missing_or_moved_line_is_detected(lines):
    for damaged in (lines[:1] + lines[2:], [*lines[:2], lines[3], lines[2]]):
        with pytest.raises(UnreadableRecord, match="its digest does not match"):
            fold(rules, HAND, damaged)


def test_another_hands_record_is_rejected(lines):
    with pytest.raises(UnreadableRecord, match="damaged at line 1 "):
        fold(rules, "another hand", lines)


def test_a_changed_line_is_detected_despite_the_cache(lines):
    fold(rules, HAND, lines)
    assert hand_cache.cached_hand(HAND, lines[-1].digest)
    lines[2] = chain(HAND, "", texts_of("UPN"))[2]._replace(digest=lines[2].digest)
    with pytest.raises(UnreadableRecord, match="damaged at line 3 "):
        fold(rules, HAND, lines)


def test_the_cache_needs_the_same_digest(lines):
    class Stored:
        @staticmethod
        def lines(_hand):
            return other

    fold(rules, HAND, lines)
    other = chain(HAND, "", texts_of("UCP"))  # after a rollback: of equal length, but different
    hand = read_hand(RecordEnd(len(other), other[-1].digest), rules, HAND, Stored)
    assert hand == Hand(rules, OPENING).after_all(events_of("UCP"))
