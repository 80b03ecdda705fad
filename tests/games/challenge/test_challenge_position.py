"""Tests the rules of a position of Challenge: legal moves and their results (ruling 20)."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.challenge.deal import draw_deal, parse_deal
from cardlab.games.challenge.packs import pack
from cardlab.games.challenge.position import (
    CAMBRIDGE,
    DEFAULT_FORM,
    PICK_UP,
    Form,
    after_moves,
    apply,
    legal_moves,
    start,
)

FORMS = [DEFAULT_FORM, CAMBRIDGE, Form("opponent", "lead")]


def dealt(text, form=DEFAULT_FORM):
    return start(parse_deal(text), form=form)


def perft(position, depth):
    """Counts the sequences of this length; shorter ones that end the game do not count."""
    if depth == 0:
        return 1
    return sum(perft(apply(position, move), depth - 1) for move in legal_moves(position))


def test_a_player_beats_or_picks_up():
    here = dealt("AS 9S QC 9D 7D | AH JH 10C KD 8D | participant")
    here = after_moves(here, ["8D"])
    assert legal_moves(here) == ("AS", "9S", "9D", PICK_UP)  # trumps, and higher diamonds
    here = apply(here, "9S")
    assert legal_moves(here) == ("AH", "JH", PICK_UP)  # any own trump beats the other's trump
    here = apply(here, "JH")
    assert legal_moves(here) == ("AS", PICK_UP)
    after = apply(here, PICK_UP)
    assert after.hands[0] == {"AS", "9S", "QC", "9D", "7D", "8D", "JH"}
    assert after.table == ()
    assert (after.mover, after.to_lead) == (1, True)
    assert legal_moves(after) == ("AH", "10C", "KD")


def test_playing_the_last_card_wins():
    end = after_moves(dealt("AS | KH AD | participant"), ["AD", "AS"])
    assert end.winner == 0
    assert legal_moves(end) == ()
    with pytest.raises(ValueError, match="not allowed"):
        apply(end, PICK_UP)


def test_the_original_form_gives_leads_to_mover():
    here = after_moves(dealt("AS QC 7D | AH JH KD 8D | participant", CAMBRIDGE), ["8D", "AS"])
    assert (here.mover, here.to_lead, here.table) == (0, True, ("8D", "AS"))
    assert legal_moves(here) == ("QC", "7D")  # any card, and no picking up
    here = apply(here, "7D")
    assert (here.mover, here.to_lead) == (1, False)
    after = apply(here, PICK_UP)
    assert (after.mover, after.to_lead) == (1, True)
    assert after_moves(here, ["KD", "AH"]).table == ("8D", "AS", "7D", "KD", "AH")


def test_picker_leading_with_pass_is_refused():
    with pytest.raises(ValueError, match="after_better lead"):
        Form("picker", "pass")


def test_repetitions_ignore_cards_under_the_top_card():
    deal = dealt("AS KS AC | AH KH KC | participant")
    one, other = after_moves(deal, ["KC", "KS", "KH", "AS"]), after_moves(deal, ["KC", "AS", "KH", PICK_UP])
    assert one.key != other.key
    under = [after_moves(deal, line) for line in (["KH", "KS", "AH", "AS"], ["AH", "KS", "KH", "AS"])]
    assert under[0].key == under[1].key
    assert under[0] != under[1]


@pytest.mark.parametrize(
    ("size", "form", "counts"),
    [
        (2, DEFAULT_FORM, [4, 8, 19, 43, 79, 193, 335, 639]),
        (3, DEFAULT_FORM, [6, 20, 68, 229, 696, 2297]),
        (3, CAMBRIDGE, [6, 20, 112, 336, 1708, 4320]),
        (8, DEFAULT_FORM, [16, 95, 695]),
    ],
)
def test_numbers_of_lines_are_known(size, form, counts):
    position = start(draw_deal("perft", size, 0), form=form)
    assert [perft(position, depth) for depth in range(1, len(counts) + 1)] == counts


@given(st.integers(0, 2**32), st.integers(1, 8), st.sampled_from(FORMS))
def test_cards_are_conserved_and_moves_exist(seed, size, form):
    chance = random.Random(seed)
    position = start(draw_deal(str(seed), size, 0), form=form)
    for _action in range(60):
        cards = Counter([*position.hands[0], *position.hands[1], *position.table])
        assert cards == Counter(pack(size))
        if position.winner is not None:
            assert not position.hands[position.winner]
            break
        moves = legal_moves(position)
        assert moves
        assert (PICK_UP in moves) != position.to_lead
        assert position.table or position.to_lead
        position = apply(position, chance.choice(moves))
