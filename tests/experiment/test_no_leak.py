"""No answer of the server holds a card that the participant cannot see, over every setting."""

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_hands import actions, deals, milliseconds, options, traces
from visible import assert_hidden
from written import extended, fold, opened, play

from experiment.message import Message
from experiment.play import answer
from games.record import Opening
from games.ttt import rules

steps = st.lists(st.tuples(actions, milliseconds, traces, st.integers(-1, 1)), max_size=25)
HARDEST = {"ViewTarget": False, "ViewCkNk": False, "ViewCard": "none"}


def as_text(said):
    return json.dumps(said, ensure_ascii=False)


@settings(max_examples=400)
@given(deals(), options, steps)
@example("2H 3C 3H 4C 2C 4H | 2H | ck", HARDEST, [("U", 1, (), 0), ("T", 2, (), 0)])
@example("2H 3H 3C 4C 2C 4H | 2H | ck", HARDEST, [("T", 1, (), 0), ("look ck", 2, (), 0), ("T", 3, (), 0)])
def test_no_answer_holds_a_hidden_card(deal, settings_in_force, history):
    record = opened(Opening(deal, settings_in_force, source="hands.txt"), 1_000_000)
    hand, looked = fold(rules, record), set()
    assert_hidden(as_text(answer(hand, "solo", 1, 1_000_000)), hand.state, looked)
    for action, ms, fidgets, off in history:
        message = Message(1, hand.next + off, action, ms, fidgets)
        events, refused = play(hand, "solo", message, 1_000_000 + ms)
        for event in events:
            if event.accepted and event.action.startswith("look "):
                looked.add(event.action[5:].capitalize())
            elif event.accepted and event.action in rules.MOVES:
                looked.clear()
        record = extended(rules, record, events)
        hand = fold(rules, record)
        assert_hidden(as_text(answer(hand, "solo", 1, 1_000_000 + ms, refused)), hand.state, looked)
