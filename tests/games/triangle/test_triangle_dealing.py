"""Tests how sessions of Triangle Solitaire are dealt from config, deal file or seed, or refused."""

import pytest
from dealing_files import expect_refusal, files

import settings
from cardlab.games.triangle import rules
from cardlab.games.triangle.deal import parse_deal
from cardlab.games.triangle.dealing import openings, practice_opening

ROW, BOTH = (rules.deal("a deal", options) for options in ({}, {"doubled": 2, "mixed_in": 3}))
PLACES, SPARES, DECK = ROW.split(" | ")
FILES = {
    "own.txt": f"{ROW}\n{BOTH}\n",
    "unknown.txt": f"// a comment\n{ROW.replace('HBC', 'HBX')}\n",
    "doubled_card.txt": f"{ROW.replace('PRT', 'HBC')}\n",
    "short.txt": f"{PLACES[2:]} | {SPARES} | {DECK}\n",
    "sections.txt": f"{PLACES} | {DECK}\n",
    "one_kind.txt": f"{PLACES.replace(' ', ' HP ', 1)} | {SPARES} | {DECK}\n",
    "nothing.txt": "// nothing\n",
    "second.txt": f"{ROW}\n\nrubbish\n",
}


def dealt(participants=3, **fields):
    config = {**settings.SESSION_CONFIG_DEFAULTS, **settings.triangle("a", "b", "c"), "seed": 7, **fields}
    return openings(config, participants, 20, files(FILES)).hands


def deals(hands):
    return [[opening.deal for opening in of_participants] for of_participants in hands]


def test_deals_are_shared_or_each_participants_own():
    same, own = (dealt(own_deals=yes) for yes in (False, True))
    assert [len(openings) for openings in same] == [1, 1, 1]
    assert [len(openings) for openings in own] == [3, 3, 3]
    assert len({deal for openings in deals(own) for deal in openings}) == 9
    assert deals(same) == [openings[:1] for openings in deals(own)]


def test_a_seed_may_be_number_or_text():
    assert deals(dealt(seed=7)) == deals(dealt(seed="7"))
    assert not {deal for (deal,) in deals(dealt(seed=7))} & {deal for (deal,) in deals(dealt(seed=8))}


def test_practice_hands_come_first_with_own_numbers():
    numbering = [
        (hand.practice, hand.number, hand.of, hand.hands) for (hand,) in dealt(hands=2, practice_hands=1)
    ]
    assert numbering == [(True, 1, 1, 3), (False, 1, 2, 3), (False, 2, 2, 3)]


def test_deals_of_a_file_determine_the_variation():
    hands = [hand for (hand,) in dealt(deal_file="own.txt", doubled=5)]
    assert [hand.deal for hand in hands] == [ROW, BOTH, ROW]
    assert [(hand.options["doubled"], hand.options["mixed_in"]) for hand in hands] == [(0, 0), (2, 3), (0, 0)]
    assert {(hand.source, len(hand.sha256)) for hand in hands} == {("own.txt", 64)}


def test_the_practice_board_has_the_sessions_options():
    ((opening,), *_others) = dealt(doubled=4, mixed_in=5)
    tried = practice_opening({}, opening)
    assert tried.options == opening.options
    assert (parse_deal(tried.deal).doubled, parse_deal(tried.deal).mixed_in) == (4, 5)
    assert tried.deal != opening.deal


REFUSED = {
    "an unknown card": ({"deal_file": "unknown.txt"}, "unknown.txt, line 2, column ", "'HBX' cannot be in"),
    "a card twice": (
        {"deal_file": "doubled_card.txt"},
        "line 1, column ",
        "must hold HBC once, not 2 times.",
    ),
    "26 places": ({"deal_file": "short.txt"}, "short.txt, line 1, column ", "has 27 places, not 26."),
    "two sections": ({"deal_file": "sections.txt"}, "sections.txt, line 1", "has 3 sections"),
    "two of one kind": ({"deal_file": "one_kind.txt"}, "one_kind.txt, line 1", "'HP' is not a valid place"),
    "no deal": ({"deal_file": "nothing.txt"}, "nothing.txt, line 1", "This file has no deals"),
    "a wrong second line": ({"deal_file": "second.txt"}, "second.txt, line 3, column ", "has 3 sections"),
    "no such file": ({"deal_file": "nowhere.txt"}, "nowhere.txt: there is no such deal file."),
    "too many Singles": ({"doubled": 5, "mixed_in": 5}, "doubled and mixed_in together must be at most 9"),
    "doubled": ({"doubled": 10}, "doubled must be "),
    "mixed_in": ({"mixed_in": -1}, "mixed_in must be "),
    "no hand": ({"hands": 0}, "hands must be a whole number from 1 to 20, not '0'."),
    "too many hands": ({"hands": 21}, "hands must be a whole number from 1 to 20, not '21'."),
    "too many with practice": ({"hands": 20, "practice_hands": 1}, "together must be at most 20, not 21."),
    "hands as text": ({"hands": "2"}, "hands must be a whole number"),
    "hands with a fraction": ({"hands": 1.5}, "not '1.5'."),
    "doubled as text": ({"doubled": "5"}, "doubled must be "),
    "doubled as true": ({"doubled": True}, "doubled must be "),
    "mixed_in as nothing": ({"mixed_in": None}, "mixed_in must be "),
    "highlight as text": ({"highlight": "yes"}, "highlight must be True or False"),
    "show_left as a number": ({"show_left": 1}, "show_left must be True or False"),
    "deal_file as a list": ({"deal_file": ["own.txt"]}, "deal_file must be the name of a file"),
}


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
def test_invalid_settings_are_refused_in_a_sentence(refused):
    fields, *words = refused
    expect_refusal(lambda: dealt(**fields), *words)
