"""Tests how sessions of Solitario are dealt from config, deal file or seed, or refused."""

from itertools import product

import pytest
from dealing_files import expect_refusal, files

import settings
from cardlab.games.record import Opening
from cardlab.games.solitario import dealing, rules, simulation
from cardlab.games.solitario.deal import ALLOWED_OPTIONS
from cardlab.games.solitario.dealing import is_solvable, openings, practice_opening
from cardlab.games.solitario.packs import PACKS

ONE, TWO = (rules.deal(name, {}) for name in ("perft one", "two"))
TAROCCO = rules.deal("one", {"pack": "tarocco"})
# Its aces lie under the twos and threes that would have to leave first, and can go nowhere.
LOST = (
    "2s | 1s 3s | 1b 2b 3b | 1c 2c 3c Vs | 1d 2d 3d Vb Vc | 4s 4b 4c 4d 5s 5b | 5c 5d 6s 6b 6c 6d Vd | "
    "7s 7b 7c 7d Cs Cb Cc Cd Rs Rb Rc Rd"
)
FILES = {
    "own.txt": f"// two deals\n{ONE}\n{TWO.lower()}\n",
    "tarocco.txt": f"{TAROCCO}\n",
    "lost.txt": f"{LOST}\n",
    "one_lost.txt": f"{LOST}\n{ONE}\n",
    "unknown.txt": f"// a comment\n{ONE[:-2]}9x\n",
    "short.txt": f"{ONE[:-3]}\n",
    "nothing.txt": "// nothing\n",
    "second.txt": f"{ONE}\n\nrubbish\n",
}


def dealt(participants=3, **fields):
    config = {**settings.SESSION_CONFIG_DEFAULTS, **settings.solitario("a", "b", "c"), "seed": 7, **fields}
    return openings(config, participants, 20, files(FILES)).hands


def deals(hands):
    return [[opening.deal for opening in of_participants] for of_participants in hands]


def test_deals_are_shared_or_each_participants_own():
    same, own = (dealt(own_deals=yes, hands=3) for yes in (False, True))
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


def test_a_file_is_dealt_in_order_and_repeated():
    hands = [hand for (hand,) in dealt(deal_file="own.txt", hands=3)]
    assert [hand.deal for hand in hands] == [ONE, TWO, ONE]
    assert {(hand.source, len(hand.sha256)) for hand in hands} == {("own.txt", 64)}
    ((tarocco,),) = dealt(deal_file="tarocco.txt", hands=1, pack="tarocco")
    assert tarocco.deal == TAROCCO


@pytest.mark.parametrize("pack", PACKS)
def test_ace_on_two_follows_pack_or_config(pack):
    values = [
        dealt(pack=pack, ace_on_two=setting)[0][0].options["ace_on_two"] for setting in ("pack", "on", "off")
    ]
    assert values == [pack == "french", True, False]


def test_a_record_has_the_hands_options():
    fields = {"pack": "tarocco", "draw": 3, "turn_up": "auto", "undo": True}
    for (hand,) in dealt(**fields):
        assert hand.options == {**fields, "ace_on_two": False, "clock": "shown"}
        assert rules.start(hand.deal, hand.options).options == hand.options


# Only deals that can be solved


@pytest.mark.parametrize(("pack", "draw"), [("briscola", 1), ("briscola", 3), ("tarocco", 1), ("french", 1)])
def test_the_solvable_setting_deals_solvable_hands(pack, draw):
    asked = {"pack": pack, "draw": draw, "hands": 1, "practice_hands": 1, "own_deals": pack == "briscola"}
    every = [deal for openings in deals(dealt(2, **asked)) for deal in openings]
    chosen = [hand for openings in dealt(2, which_deals="solvable", **asked) for hand in openings]
    assert len({hand.deal for hand in chosen}) == len(every)
    for hand in chosen:
        assert is_solvable(hand.deal, pack, draw, hand.options["ace_on_two"])


def test_unsolvable_deals_of_a_file_are_skipped():
    assert is_solvable(LOST, "briscola", 1, False) is False
    assert is_solvable(ONE, "briscola", 1, False) is True
    assert deals(dealt(deal_file="one_lost.txt")) == [[LOST], [ONE]]
    assert deals(dealt(deal_file="one_lost.txt", which_deals="solvable")) == [[ONE], [ONE]]


def test_a_file_without_solvable_deals_is_rejected():
    words = ("lost.txt: ", f"{dealing.MAX_REJECTED} deals in a row have no known solution.")
    expect_refusal(lambda: dealt(deal_file="lost.txt", which_deals="solvable"), *words)


def test_a_seed_without_solvable_deals_is_rejected(monkeypatch):
    monkeypatch.setattr(dealing, "is_solvable", lambda *_deal, **_asked: None)
    words = ("session config: ", f"{dealing.MAX_REJECTED} deals in a row have no known solution.")
    expect_refusal(lambda: dealt(which_deals="solvable"), *words)


# The hand to try

EVERY_SETTING = [dict(zip(ALLOWED_OPTIONS, values)) for values in product(*ALLOWED_OPTIONS.values())]


@pytest.mark.parametrize("options", [each for each in EVERY_SETTING if not each["undo"]], ids=str)
def test_the_practice_board_allows_every_tutorial_step(options):
    opening = Opening(rules.deal("any", options), options)
    tried = practice_opening({}, opening)
    assert tried.options == options
    assert tried.deal != opening.deal
    state = rules.start(tried.deal, tried.options)
    moves = rules.legal_actions(state, rules.SEAT)
    assert any(move.startswith("home") for move in moves)
    assert any(turned_up(rules.apply(state, rules.SEAT, move)) for move in moves if move.startswith("move"))
    drawn = rules.apply(state, rules.SEAT, rules.DRAW)
    assert any(move.startswith("move w") for move in rules.legal_actions(drawn, rules.SEAT))


def turned_up(state):
    """Returns whether the move has uncovered a card, that is turned up or can be."""
    may = rules.legal_actions(state, rules.SEAT)
    return state.counts.turned_up == 1 or any(move.startswith("up") for move in may)


def test_the_practice_board_depends_on_options_only():
    one, other = (
        practice_opening({}, Opening(rules.deal(name, {}), {**EVERY_SETTING[0], "undo": True}))
        for name in "ab"
    )
    assert one == other
    assert one.options["undo"] is False


# Refusals

REFUSED = {
    "an unknown card": (
        {"deal_file": "unknown.txt"},
        "unknown.txt, line 2, column ",
        "'9X' is not a card of this",
    ),
    "a card too few": (
        {"deal_file": "short.txt"},
        "short.txt, line 1, column ",
        "The stock must have 12 cards, not 11",
    ),
    "another pack": ({"deal_file": "tarocco.txt"}, "tarocco.txt, line 1, column ", " of this pack of 40."),
    "no deal": ({"deal_file": "nothing.txt"}, "nothing.txt, line 1", "This file has no deals"),
    "a wrong second line": (
        {"deal_file": "second.txt"},
        "second.txt, line 3, column ",
        "A deal has 8 sections",
    ),
    "no such file": ({"deal_file": "nowhere.txt"}, "nowhere.txt: there is no such deal file."),
    "deal_file as a list": ({"deal_file": ["own.txt"]}, "deal_file must be the name of a file"),
    "no hand": ({"hands": 0}, "hands must be a whole number from 1 to 20, not '0'."),
    "too many hands": ({"hands": 21}, "hands must be a whole number from 1 to 20, not '21'."),
    "too many with practice": (
        {"hands": 20, "practice_hands": 1},
        "hands and practice_hands together must be at most 20, not 21.",
    ),
    "hands as text": ({"hands": "2"}, "hands must be a whole number"),
    "less practice than none": ({"practice_hands": -1}, "practice_hands must be a whole number from 0 to 20"),
    "pack": ({"pack": "bridge"}, "pack must be briscola or tarocco or french, not 'bridge'."),
    "draw": ({"draw": 2}, "draw must be 1 or 3, not '2'."),
    "draw as text": ({"draw": "3"}, "draw must be 1 or 3, not '3'."),
    "draw as true": ({"draw": True}, "draw must be 1 or 3, not 'True'."),
    "ace_on_two": ({"ace_on_two": True}, "ace_on_two must be pack or on or off, not 'True'."),
    "turn_up": ({"turn_up": "never"}, "turn_up must be click or auto, not 'never'."),
    "undo as text": ({"undo": "yes"}, "undo must be True or False, not 'yes'."),
    "undo as a number": ({"undo": 1}, "undo must be True or False, not '1'."),
    "own_deals": ({"own_deals": None}, "own_deals must be True or False, not 'None'."),
    "which_deals": ({"which_deals": "easy"}, "which_deals must be any or solvable, not 'easy'."),
    "ten_best": ({"ten_best": True}, "ten_best must be numbers or labels or off, not 'True'."),
}


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
def test_invalid_settings_are_refused_in_a_sentence(refused):
    fields, *words = refused
    expect_refusal(lambda: dealt(**fields), *words)


# A session that is simulated


def simulated(given=(), deals=None, count=None):
    return simulation.hands(dict(given), deals, count, "a seed", files(FILES))


def test_a_simulated_session_draws_or_reads_deals():
    drawn = simulated()
    assert len({hand.deal for hand in drawn}) == len(drawn) == simulation.DRAWN_HANDS
    assert [hand.deal for hand in simulated(deals="own.txt")] == [ONE, TWO]
    assert [hand.deal for hand in simulated(deals="own.txt", count=1)] == [ONE]
    (hand,) = simulated({"pack": "tarocco", "draw": "3", "undo": "true"}, "tarocco.txt")
    assert hand.options == {
        "pack": "tarocco",
        "draw": 3,
        "ace_on_two": False,
        "turn_up": "click",
        "undo": True,
        "clock": "shown",
    }


def test_the_settings_of_a_simulated_session_are_checked():
    expect_refusal(lambda: simulated({"draw": "2"}), "settings: draw must be 1 or 3, not '2'.")
    expect_refusal(lambda: simulated({"hint": "on"}), "Unknown setting 'hint'. The settings are pack, draw, ")
    expect_refusal(lambda: simulated(deals="own.txt", count=3), "own.txt", "2")
