"""Tests the completed share of a study, and the estimate of the time left."""

import pytest
import without_database  # noqa: F401

from cardlab.pages.study_progress import Part, minutes_left, own_minutes, percent_done, time_sentence

CONSENT, GAME, OTHER = Part("consent"), Part("game", hands=8, minutes=2), Part("other", hands=4, minutes=5)
PARTS = (CONSENT, GAME, OTHER)  # 1 + 9 + 5 steps
MINUTE_MS = 60_000


def test_share_grows_evenly_with_hands():
    assert [percent_done(PARTS, 1, 1 + hands) for hands in (0, 1, 7, 8)] == [13, 20, 60, 66]
    assert percent_done(PARTS, 0, 0) == 0
    assert percent_done(PARTS, 2, 5) == 100


def test_own_pace_is_known_after_two_hands():
    begins_ms = {1: 0, 2: MINUTE_MS}
    assert own_minutes(begins_ms) is None
    assert own_minutes({**begins_ms, 3: 4 * MINUTE_MS}) == 2
    # A break in one hand does not change the median; a hand that was not seen does not count.
    assert own_minutes({**begins_ms, 3: 2 * MINUTE_MS, 4: 90 * MINUTE_MS, 9: 99 * MINUTE_MS}) == 1


def test_time_left_prefers_the_own_pace():
    assert minutes_left(PARTS[1:], 2, None) == 6 * 2 + 4 * 5
    assert minutes_left(PARTS[1:], 2, 0.5) == 6 * 0.5 + 4 * 5
    unknown = Part("unknown", hands=3)
    assert minutes_left((unknown,), 1, None) is None
    assert minutes_left((unknown,), 1, 2) == 4
    assert minutes_left((GAME, unknown), 8, 2) is None
    assert minutes_left((unknown,), 3, None) == 0


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(0.2, "About 1 minute of"), (9.4, "About 9 minutes of"), (12.4, "About 10 minutes of"), (33, "35")],
)
def test_time_is_rounded_to_what_is_known(minutes, words):
    assert words in time_sentence(minutes)


def test_nothing_is_said_without_time():
    assert time_sentence(None) == time_sentence(0) == ""
