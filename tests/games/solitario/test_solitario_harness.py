"""Tests that the harness of Solitario provides the cases that the shared tests need."""

import json
import re

import pytest
from harnesses import GAMES
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlab.games.contract import IllegalAction
from cardlab.games.solitario import rules
from cardlab.games.solitario.deal import parse_deal
from cardlab.games.solitario.packs import PACKS
from tests.games.solitario.grammar import attempt

HARNESS = GAMES["solitario"].harness


def cards(deal, pack):
    """Returns the initially visible and the face-down cards."""
    columns, stock = parse_deal(deal, PACKS[pack])
    return [column[-1] for column in columns], [card for column in columns for card in column[:-1]], stock


@pytest.mark.parametrize("hidden", HARNESS.HIDDEN.values(), ids=HARNESS.HIDDEN)
def test_hidden_cards_do_not_change_the_page(hidden):
    """If they did, the comparison of the leak tests would prove nothing."""
    options = {name: value for name, value in hidden.fields.items() if name not in ("deal_file", "hands")}
    one, other = (deals.splitlines()[0] for deals in hidden.deals)
    table = OnPaper(one, options), OnPaper(other, options)
    for each in table:
        hidden.play(each)
    assert table[0].heard == table[1].heard
    assert len(table[0].heard) > 12
    (up, down, stock), (same_up, other_down, other_stock) = (
        cards(deal, options["pack"]) for deal in (one, other)
    )
    drawn = len(stock) - len(table[0].state.stock)
    assert (up, stock[:drawn]) == (same_up, other_stock[:drawn])
    for beneath, other_beneath in ((down, other_down), (stock[drawn:], other_stock[drawn:])):
        assert all(this != that for this, that in zip(beneath, other_beneath, strict=True))
    for untold, deal in zip(hidden.untold, (one, other), strict=True):
        assert len(untold.split()) >= 6
        assert deal.endswith(untold)


class OnPaper:
    """Stands in for the table and the tab that a case of ``HIDDEN`` plays with."""

    def __init__(self, deal, options):
        self.state, self.heard = rules.start(deal, options), []

    def tab(self, _seat):
        return self

    def act(self, action, traces=()):
        for trace, _ms in traces:
            assert trace in rules.PICKS
        self.state = rules.apply(self.state, rules.SEAT, action)
        self.heard.append((rules.view(self.state, rules.SEAT), rules.legal_actions(self.state, rules.SEAT)))

    def refused(self, action):
        with pytest.raises(IllegalAction) as refused:
            rules.apply(self.state, rules.SEAT, action)
        self.heard.append(str(refused.value))


@pytest.mark.parametrize(("opening", "actions"), HARNESS.REVEALING)
def test_undone_actions_had_uncovered_a_card(opening, actions):
    state = rules.start(opening.deal, opening.options)
    seen = [set(HARNESS.in_sight(rules.view(state, rules.SEAT)))]
    for action in actions:
        state = rules.apply(state, rules.SEAT, action)
        seen.append(set(HARNESS.in_sight(rules.view(state, rules.SEAT))))
    assert any(before - after for before, after in zip(seen, seen[1:]))


@given(HARNESS.openings, st.randoms(use_true_random=True))
def test_actions_a_page_may_send_are_accepted(opening, chance):
    state = rules.start(opening.deal, opening.options)
    for _move in range(HARNESS.LONG + 4):
        may = HARNESS.moves(json.loads(json.dumps(rules.view(state, rules.SEAT))))
        assert set(may) <= set(rules.legal_actions(state, rules.SEAT))
        assert bool(may) is not rules.is_over(state)
        if not may:
            break
        state = rules.apply(state, rules.SEAT, chance.choice(may))
    for trace in HARNESS.TRACES:
        assert trace in rules.PICKS


@settings(max_examples=5)
@given(HARNESS.openings)
def test_cards_are_found_as_data_and_as_words(opening):
    state = rules.start(opening.deal, opening.options)
    everything = set(state.pack.cards)
    assert set(HARNESS.CARD.findall(opening.deal)) == everything
    assert set(HARNESS.CARD.findall(json.dumps(state.pack.cards))) == everything
    view = rules.view(state, rules.SEAT)
    assert HARNESS.named({"view": view}) == set(HARNESS.in_sight(view))
    assert HARNESS.unseen(state, rules.SEAT, []) == everything - set(HARNESS.in_sight(view))
    one, other = (column.up[-1] for column in state.columns[:2])
    _state, reason = attempt(state, "move 1 2 1")
    if reason and "does not go on" in reason:
        assert HARNESS.named({"refused": reason}) == {one, other}


def test_messages_do_not_name_the_next_foundation_card():
    refused = "The 3 of coins cannot go home yet. The 2 of coins must go first."
    assert not HARNESS.named({"refused": refused}) - {"3d"}


def test_css_codes_and_card_names_are_not_cards():
    assert not HARNESS.CARD.findall(json.dumps({"words": dict.fromkeys(PACKS["tarocco"].cards, "a name")}))
    assert HARNESS.named({"view": {"1s": 3}}) == {"1s"}
    assert not HARNESS.CARD.findall('<p style="transition:all .1s">a1s2b 12s id="s1" 0.5s;3sb</p>')


def test_the_replayed_hand_contains_every_kind_of_action():
    rows = HARNESS.replayed()
    accepted = {row["action"].split()[0] for row in rows if row["accepted"] == "1" and row["seat"]}
    assert {*accepted, "finish"} == {action.split()[0] for action in rules.EXAMPLES}, "it is given up before"
    assert any(re.match("home [sbcd] 4", row["action"]) for row in rows), "from base to base"
    assert any(row["accepted"] == "0" for row in rows)
    assert rows[-1]["action"] == "end gave_up"
    assert len(rows) < 90
