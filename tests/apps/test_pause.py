"""Tests the page between two hands, which is shown only if it has something to say."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from golden_session import APPS

from cardlab.games.record import Opening

PLAYED, LAST = Opening("", {}, 1, 2, 3), Opening("", {}, 2, 2, 3)
PRACTICE, LAST_PRACTICE = (Opening("", {}, number, 2, 4, practice=True) for number in (1, 2))
OVER = "Time is up. Your score: −3"


def recorded_notes(game: str, opening: Opening | None, outcome: str) -> list[str]:
    """Returns the sentences of the page after a hand with this ending; empty if the page is skipped."""
    hand = SimpleNamespace(outcome_for=lambda _seat: outcome, result=lambda _seat: SimpleNamespace(score=-3))
    hand_page = SimpleNamespace(
        opening=lambda _player: opening,
        hand=lambda _player: opening and hand,
        seat=lambda _player: "solo",
        has_stopped=lambda _player: False,
    )
    page = type("Pause", (APPS[game].Pause,), {"hand_page": hand_page})
    assert page.is_displayed(None) is bool(page.sentences(None))
    return page.sentences(None)


@pytest.mark.parametrize("game", ["ttt", "matrix", "triangle"])
def test_pause_follows_timeout_and_practice(game):
    over, paid = OVER, "Practice is over. From now on, the hands count."
    assert recorded_notes(game, PLAYED, "timeout") == [over]
    assert recorded_notes(game, PRACTICE, "timeout") == [over]
    assert recorded_notes(game, LAST_PRACTICE, "solved") == [paid]
    assert recorded_notes(game, LAST_PRACTICE, "timeout") == [over, paid]


@pytest.mark.parametrize("game", ["ttt", "matrix", "triangle"])
def test_no_pause_without_something_to_say(game):
    assert recorded_notes(game, PLAYED, "solved") == recorded_notes(game, PRACTICE, "failed") == []
    assert recorded_notes(game, LAST, "timeout") == []
    assert recorded_notes(game, None, "") == []
