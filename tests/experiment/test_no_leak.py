"""No answer of the server holds a card that the participant cannot see, over every setting.

What can be seen is told here a second time, from ruling 5 alone, so that a slip in the rules is found.
"""

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_hands import PACK, actions, deals, milliseconds, options, traces

from experiment.hand import answer, extended, fold, opened, play
from experiment.message import Message
from experiment.record import Opening
from games.cards import pretty
from games.ttt import rules

steps = st.lists(st.tuples(actions, milliseconds, traces, st.integers(-1, 1)), max_size=25)
HARDEST = {"ViewTarget": False, "ViewCkNk": False, "ViewCard": "none"}


def open_cards(state, looked):
    """UP and Target always, the goal if it is shown, the keepers as ViewCard and ViewCkNk say."""
    cards = dict(zip(("C", "Ck", "UP", "T", "N", "Nk"), state.layout, strict=True))
    exchanged = any(move != "P" for move in state.sequence)
    both = state.options["ViewCard"] == "all" or (state.options["ViewCard"] == "mix" and exchanged)
    allowed = {"Ck", "Nk"} if both else {state.turn.capitalize()}
    shown = allowed if state.options["ViewCkNk"] else looked & allowed
    goal = {state.goal} if state.options["ViewTarget"] else set()
    return {cards["UP"], cards["T"], *(cards[keeper] for keeper in shown)} | goal


def assert_hidden(said, state, looked):
    text = json.dumps(said, ensure_ascii=False)
    for card in set(PACK) - open_cards(state, looked):
        assert card not in text
        assert pretty(card) not in text
        assert card.lower() not in text


@settings(max_examples=400)
@given(deals(), options, steps)
@example("2H 3C 3H 4C 2C 4H | 2H | ck", HARDEST, [("U", 1, (), 0), ("T", 2, (), 0)])
@example("2H 3H 3C 4C 2C 4H | 2H | ck", HARDEST, [("T", 1, (), 0), ("look ck", 2, (), 0), ("T", 3, (), 0)])
def test_no_answer_holds_a_hidden_card(deal, settings_in_force, history):
    record = opened(Opening(deal, settings_in_force, source="hands.txt"), 1_000_000)
    hand, looked = fold(rules, record), set()
    assert_hidden(answer(hand, "solo", 1, 1_000_000), hand.state, looked)
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
        assert_hidden(answer(hand, "solo", 1, 1_000_000 + ms, refused), hand.state, looked)
