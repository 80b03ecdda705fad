"""Tests that no message holds a card that its seat may not see, for every game and setting."""

import pytest
from harnesses import GAMES
from hypothesis import given
from hypothesis import strategies as st
from server_driver import histories, run_history

REVEALING = [
    pytest.param(game, opening, actions, id=f"{game.name}-{number}")
    for game in GAMES.values()
    for number, (opening, actions) in enumerate(game.harness.REVEALING, 1)
]


def assert_hidden(game, opening, history):
    """Checks every message to each seat, and every answer to a sender, for hidden cards."""
    for driver, answered, answer in run_history(game.rules, opening, history):
        messages = [
            (seat, driver.message_to(seat)) for seat in driver.hand.seats if seat not in driver.hand.robots
        ]
        for seat, message in [*messages, *([(answered, answer)] if answered else [])]:
            state = driver.hand.state
            leaked = game.harness.named(message) & game.harness.unseen(state, seat, driver.done)
            assert not leaked, (leaked, message)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@given(data=st.data())
def test_no_answer_holds_a_hidden_card(game, data):
    opening = data.draw(game.harness.openings)
    assert_hidden(game, opening, data.draw(histories(game.harness.sent)))


@pytest.mark.parametrize(("game", "opening", "actions"), REVEALING)
def test_an_answer_hides_what_was_disclosed_before(game, opening, actions):
    assert_hidden(game, opening, [(0, action, 1, (), 0) for action in actions])
