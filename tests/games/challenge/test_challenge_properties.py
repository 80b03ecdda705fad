"""Compares random play of Challenge with a second implementation of ruling 20."""

import json
from collections import Counter
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.challenge import rules
from cardlab.games.challenge.deal import parse_deal
from cardlab.games.challenge.packs import pack
from cardlab.games.contract import IllegalAction
from cardlab.games.sentence import Sentence
from tests.games.challenge import plain_challenge as plain

FORMS = [{}, {"after_better": "lead"}, {"after_better": "lead", "after_pickup": "picker"}]
COMPUTER = {"robots": {"N": "computer"}}
JUNK = [
    "play",
    "play 10s",
    "play 10S ",
    "pick  up",
    "p",
    "lift",
    "advise",
    "advise AS +0 z",
    "log",
    "♥",
    "\n",
    "",
]
(ADVICE,) = (one for one in rules.EXAMPLES if one.startswith("advise"))
TEXTS = [*rules.EXAMPLES, *JUNK, *(f"{verb} {card}" for verb in ("play", "lift") for card in pack(13))]

chances = st.randoms(use_true_random=True)  # drawn as a seed, because a whole game would need too many draws
options = st.fixed_dictionaries(
    {
        "size": st.sampled_from([1, 2, 3, 4, 8, 13]),
        "trumps": st.sampled_from(["SH", "HS", "CD", "DS"]),
        "form": st.sampled_from(FORMS),
        "computer": st.sampled_from(
            [{}, COMPUTER, {**COMPUTER, "hints": True}, {**COMPUTER, "analysing": True}]
        ),
        "show": st.sampled_from(["all", "own"]),
        "max_actions": st.sampled_from([20, 400]),
        "highlight": st.booleans(),
    }
).map(lambda one: {**one.pop("form"), **one.pop("computer"), **one})


def dealt(chosen, chance):
    dealer = chance.choice(["computer", "participant"])
    return rules.start(rules.deal(str(chance.random()), {**chosen, "dealer": dealer}), chosen)


def drawn(state, chance):
    """Draws a seat that must act and its action: mostly a move, rarely a resignation."""
    seat = chance.choice(rules.waiting_for(state))
    legal = rules.legal_actions(state, seat)
    moves = [one for one in legal if one == "pick up" or one.startswith(("play", "advise"))]
    others = [one for one in legal if one not in moves and (one != rules.RESIGN or chance.random() < 0.1)]
    return seat, chance.choice(others if others and (not moves or chance.random() < 0.15) else moves or legal)


def walk(state, chance, steps):
    """Yields the first state and each later one, at most until the game is over."""
    yield state
    for _step in range(steps):
        if rules.is_over(state):
            return
        state = rules.apply(state, *drawn(state, chance))
        yield state


@st.composite
def states(draw, **chosen):
    """Draws any reachable state."""
    chance = draw(chances)
    *_before, state = walk(dealt({**draw(options), **chosen}, chance), chance, draw(st.integers(0, 40)))
    return state


def cards_of(position):
    return [*position.hands[0], *position.hands[1], *position.table]


@given(options, chances)
def test_cards_are_conserved_and_actions_exist(chosen, chance):
    for state in walk(dealt(chosen, chance), chance, 40):
        assert Counter(cards_of(state.position)) == Counter(pack(chosen["size"]))
        waiting = rules.waiting_for(state)
        assert bool(waiting) != rules.is_over(state)
        assert all(rules.legal_actions(state, seat) for seat in waiting)
        assert len(state.positions) == len(state.moves) + 1
        assert state.occurrences == sum(one.key == state.position.key for one in state.positions)


@given(states())
def test_exactly_the_legal_actions_are_accepted(state):
    analysing = state.options["analysing"]
    for seat in rules.SEATS:
        legal = set(rules.legal_actions(state, seat))
        assert rules.view(state, seat)["may"] == (
            rules.legal_actions(state, seat) if state.asked != "consult" else []
        )
        also = set()  # not a move, or an answer of the computer
        if not rules.is_over(state):
            also = {*rules.TOGGLES, *(f"lift {card}" for card in rules.view(state, seat)["hand"])}
            also = also - {"log on", "log off"} if analysing else also | {rules.RESIGN}
        if state.asked == "consult" and seat in rules.waiting_for(state):
            also.add(ADVICE)
        for text in {*TEXTS, *legal}:
            if text in legal | also:
                after = rules.apply(state, seat, text)
                assert after.position == state.position or text in legal
            else:
                with pytest.raises(IllegalAction) as refused:
                    rules.apply(state, seat, text)
                assert isinstance(refused.value.sentence, Sentence)
                assert refused.value.sentence[-1] in ".?"
    assert not analysing or not rules.is_over(state)


@given(states(), chances)
def test_states_are_immutable_values(state, chance):
    if rules.is_over(state):
        return
    before = deepcopy(state)
    seat, action = drawn(state, chance)
    assert rules.apply(state, seat, action) == rules.apply(before, seat, action)
    assert state == before
    assert json.loads(json.dumps(rules.view(state, seat))) == rules.view(state, seat)


@given(options, chances)
def test_every_step_follows_the_plain_rules(chosen, chance):
    form = {
        "picker_leads": chosen.get("after_pickup") == "picker",
        "better_leads": chosen.get("after_better") == "lead",
    }
    trumps = dict(zip("NS", chosen["trumps"], strict=True))
    chosen = {**chosen, "draw_offers": False, "claims": False, "hints": False, "analysing": False}
    deal = rules.deal(str(chance.random()), chosen)
    state, game = rules.start(deal, chosen), plain.dealt(deal)
    for _step in range(40):
        if state.ended not in ("", "out"):
            return
        following = plain.following(game, trumps, **form)
        assert sorted(move.removeprefix("play ") for move in _moves(state)) == sorted(following)
        if rules.is_over(state):
            break
        assert (state.mover, state.position.to_lead) == game[2:]
        move = chance.choice(sorted(following))
        state = rules.apply(state, game[2], move if move == "pick up" else f"play {move}")
        game = following[move]
        position = state.position
        assert ({"N": position.hands[0], "S": position.hands[1]}, list(position.table)) == game[:2]
    assert (state.ended == "out") == plain.over(game)


def _moves(state):
    legal = rules.legal_actions(state, state.mover) if rules.waiting_for(state) else []
    return [] if state.ended else [one for one in legal if one == "pick up" or one.startswith("play ")]


SWAPS = [("SH", "SHCD", "HSDC"), ("CD", "CDSH", "DCHS")]


@given(st.sampled_from([1, 3, 8, 13]), st.sampled_from(SWAPS), st.sampled_from(FORMS), chances)
def test_swapping_the_players_mirrors_the_game(size, swap, form, chance):
    """Exchanging trumps and the two other suits exchanges the players' positions."""
    trumps, suits, swapped = swap
    chosen = {"size": size, "trumps": trumps, **form}
    deal = rules.deal(str(chance.random()), {**chosen, "dealer": chance.choice(["computer", "participant"])})
    change = str.maketrans(suits, swapped)

    def changed(action):
        return action[:-1] + action[-1].translate(change) if action.startswith("play") else action

    first, second, leads = deal.split(" | ")
    assert {card[:-1] + card[-1].translate(change) for card in first.split()} == {*second.split()}
    other = "computer" if leads == "participant" else "participant"
    mirror = rules.start(f"{first} | {second} | {other}", chosen)
    state = rules.start(deal, chosen)
    for _step in range(30):
        if rules.is_over(state):
            break
        moves = _moves(state)
        assert {changed(move) for move in moves} == {*_moves(mirror)}
        move = chance.choice(moves)
        there = rules.other(state.mover)
        state, mirror = rules.apply(state, state.mover, move), rules.apply(mirror, there, changed(move))
        assert mirror.mover == rules.other(state.mover) or state.ended
    assert (mirror.winner, mirror.ended) == (state.winner and rules.other(state.winner), state.ended)


@given(states())
def test_a_view_shows_exactly_the_allowed_cards(state):
    text = {
        seat: json.dumps({**rules.view(state, seat), "advice": None, "last": None}) for seat in rules.SEATS
    }
    for seat in rules.SEATS:
        named = {card for card in pack(13) if f'"{card}"' in text[seat]} | {
            card for card in pack(13) if f'play {card}"' in text[seat]
        }
        player = rules.PLAYERS[seat]
        own = {*state.position.hands[player], *state.position.table[-1:]}
        assert named == (own if state.options["show"] == "own" else {*cards_of(state.position)})


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 3]), st.sampled_from(FORMS), chances)
def test_undo_restores_the_earlier_position(seed, size, form, chance):
    chosen = {"size": size, "analysing": True, **form, **COMPUTER}
    state = rules.start(rules.deal(str(seed), chosen), chosen)
    stood = {}  # at each turn of S, by the number of moves
    for _step in range(60):
        (seat,) = rules.waiting_for(state)
        if seat == "S" and not state.asked:
            was = stood.setdefault(len(state.moves), (state.positions, state.occurrences))
            assert (state.positions, state.occurrences) == was
        legal = [one for one in rules.legal_actions(state, seat) if one != "setup"]
        if seat == "N":  # the computer continues
            legal = [one for one in legal if one not in ("claim win", "consult")]
        if not legal:
            break
        action = "back" if "back" in legal and chance.random() < 0.3 else chance.choice(legal)
        after = rules.apply(state, seat, action)
        if action == "back":
            assert len(after.moves) < len(state.moves)
            assert after.positions == state.positions[: len(after.positions)]
            assert after.mover == "S"
        elif len(after.moves) > len(state.moves):
            stood = {number: was for number, was in stood.items() if number <= len(state.moves)}
        state = after


# ---------------------------------------------------------------- lines of play

COUNTS = {
    ("perft", 2, "pass", "opponent"): [4, 8, 19, 43, 79, 193, 335, 639],
    ("perft", 3, "pass", "opponent"): [6, 20, 68, 229, 696],
    ("perft", 3, "lead", "picker"): [6, 20, 112, 336, 1708],
    ("perft", 8, "pass", "opponent"): [16, 95, 695],
    ("other", 4, "lead", "opponent"): [8, 28, 196, 648],
    ("other", 13, "pass", "opponent"): [26, 224, 2378],
}


@pytest.mark.parametrize("case", COUNTS, ids=str)
def test_rules_and_plain_rules_count_equal_lines(case):
    seed, size, better, pickup = case
    chosen = {"size": size, "after_better": better, "after_pickup": pickup}
    deal = rules.deal(seed, chosen)
    assert parse_deal(deal).leads == 1
    form = {"picker_leads": pickup == "picker", "better_leads": better == "lead"}
    depths = range(1, len(COUNTS[case]) + 1)
    plain_counts = [plain.counted(plain.dealt(deal), depth, {"N": "S", "S": "H"}, **form) for depth in depths]
    state = replace(rules.start(deal, chosen), put=("offer draw", "claim win"))
    assert [_counted(state, depth) for depth in depths] == plain_counts == COUNTS[case]


def _counted(state, depth):
    if depth == 0:
        return 1
    return sum(_counted(rules.apply(state, state.mover, move), depth - 1) for move in _moves(state))
