"""Tests the questions to the computer of Challenge, and that its answers are legal and reproducible."""

import json
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.challenge import engine, rules
from cardlab.games.challenge.packs import pack

COMPUTER = {"robots": {"N": "computer"}}
FORMS = [{}, {"after_better": "lead"}, {"after_better": "lead", "after_pickup": "picker"}]


def engine_question(state):
    return rules.engine_question(state, "N", "computer", "seed")


def answer(question):
    return engine.answer(question).action


def played(seed, steps, **options):
    """Plays so many random actions; returns the state if the computer has to act, else None."""
    chance = random.Random(seed)
    state = rules.start(
        rules.deal(str(seed), {**options, "dealer": chance.choice(["computer", "participant"])}), options
    )
    for _step in range(steps):
        (seat,) = rules.waiting_for(state) or ("",)
        legal = [one for one in rules.legal_actions(state, seat) if one != "resign"] if seat else []
        if not legal or (state.asked and seat == "N"):
            break
        state = rules.apply(state, seat, chance.choice(legal))
    return state if rules.waiting_for(state) == ("N",) else None


questions = st.builds(
    lambda seed, steps, size, form, sees, depth, more: played(
        seed, steps, size=size, depth=depth, computer_sees=sees, nodes=2000, **form, **more, **COMPUTER
    ),
    st.integers(0, 10**6),
    st.integers(0, 25),
    st.sampled_from([1, 2, 3, 5, 8, 13]),
    st.sampled_from(FORMS),
    st.sampled_from(["all", "own"]),
    st.sampled_from([0, 1, 4]),
    st.sampled_from([{}, {"hints": True}]),
).filter(bool)


@given(questions)
def test_the_engine_answers_legally_and_reproducibly(state):
    question = engine_question(state)
    at_once = rules.robot_action(state, "N", "computer", "seed")
    rules.apply(state, "N", at_once)
    if question is None:
        assert (state.options["depth"], state.asked, state.options["computer_sees"]) == (0, "", "all")
        return
    reply = answer(question)
    after = rules.apply(state, "N", reply)
    assert answer(question) == reply
    if state.asked == "consult":
        rules.apply(after, "S", reply_with(after.advice.move))
    else:
        assert reply in rules.legal_actions(state, "N")


def reply_with(move):
    return move if move == "pick up" else f"play {move}"


@given(st.integers(0, 10**6), st.integers(0, 40), st.sampled_from([2, 3, 8]), st.sampled_from(FORMS))
def test_limited_questions_do_not_contain_hidden_cards(seed, steps, size, form):
    """Two games that differ only in hidden cards give the same question."""
    state = played(seed, steps, size=size, computer_sees="own", **form, **COMPUTER)
    if state is None:
        return
    position = state.position
    seen = {*position.hands[0], *position.table[-1:]}
    question_view = json.loads(engine_question(state))["view"]
    assert {*question_view["hand"], *filter(None, [question_view["top"]])} == seen
    hidden = [*position.table[:-1], *sorted(position.hands[1])]
    random.Random(seed).shuffle(hidden)
    under = tuple(hidden[: len(position.table[:-1])])
    other = replace(
        position,
        hands=(position.hands[0], frozenset(hidden[len(under) :])),
        table=(*under, *position.table[-1:]),
    )
    parted = replace(state, positions=(*state.positions[:-1], other))
    assert engine_question(parted) == engine_question(state)
    assert set(pack(size)) - seen == set(hidden)


def test_advice_reveals_no_hidden_cards():
    """It does not even if the computer itself sees them."""
    options = {"show": "own", "hints": True}
    states = [
        rules.apply(
            rules.apply(start(f"{hand} | AH 7D | computer", **options), "N", f"play {card}"), "S", "consult"
        )
        for hand, card in (("9C 8C 2D", "9C"), ("9C QC 3D", "9C"))
    ]
    view = json.loads(engine_question(states[0]))["view"]
    assert (view["hand"], view["top"]) == (["AH", "7D"], "9C")
    advised = rules.apply(states[0], "N", "advise AH +5 p 7D")
    assert rules.view(advised, "S")["advice"] == {"move": "AH", "standing": "even", "line": []}


def start(deal, **options):
    return rules.start(deal, {"size": 8, **COMPUTER, **options})


@pytest.mark.parametrize("sees", ["all", "own"])
def test_only_a_proved_claim_is_accepted(sees):
    won = rules.apply(start("8C 7C | AH AD | participant", computer_sees=sees), "S", "claim win")
    lost = rules.apply(start("AS AC | 7D 7C | participant", computer_sees=sees), "S", "claim win")
    assert answer(engine_question(won)) == "accept"
    assert answer(engine_question(lost)) == "decline"


def test_the_computer_accepts_a_draw_when_not_ahead():
    """Only the player on turn may offer a draw (ruling 21)."""
    ahead = rules.apply(start("AS AC | 7D 7C | participant"), "S", "offer draw")
    behind = rules.apply(start("7S 7C KD | AH AD | participant"), "S", "offer draw")
    assert (answer(engine_question(ahead)), answer(engine_question(behind))) == ("decline", "accept")


def test_advice_names_the_winning_move():
    state = start("9C 8C 7C | AH 7D | participant", hints=True)
    said = answer(engine_question(rules.apply(state, "S", "consult")))
    assert said.startswith("advise ")
    advice = rules.apply(rules.apply(state, "S", "consult"), "N", said).advice
    assert advice.worth >= rules.PROVED


def test_earlier_positions_affect_the_answer():
    """A third occurrence is a draw, so the same position with another history is another question."""
    options = {"size": 3, **COMPUTER}
    deal = "KS QS AC | KD AD | participant"
    around = "KD KS p QS KS p "
    once, twice = (rules.start(deal, {**options, "moves": around * times + "KD"}) for times in (0, 1))
    assert once.position == twice.position
    assert engine_question(once) != engine_question(twice)


@pytest.mark.parametrize(("depth", "sees", "asks"), [(0, "all", False), (0, "own", True), (1, "all", True)])
def test_only_depth_0_answers_without_the_engine(depth, sees, asks):
    state = start("9C | AH 7D | computer", depth=depth, computer_sees=sees)
    assert (engine_question(state) is not None) == asks
