"""Tests how sessions of the matrix card game are dealt from config, deal file or seed, or refused."""

import pytest
from dealing_files import expect_refusal, files

import settings
from cardlab.games.matrix import rules
from cardlab.games.matrix.dealing import openings, practice_opening

SPECIAL = rules.deal("special", {"pack": "special"})
TWO = [rules.deal(f"two {number}", {}) for number in range(2)]
FOUR = rules.deal("four", {"players": 4})
_CARDS = TWO[0].split()
FILES = {
    "own.txt": f"// of the tests\n\n{TWO[0].lower()}\n# the second\n{TWO[1]}\n",
    "doubled.txt": f"{TWO[1]}\n{' '.join([_CARDS[1], *_CARDS[1:]])}\n",
    "unknown.txt": f"1Z {TWO[0].split(' ', 1)[1]}\n",
    "short.txt": TWO[0].rsplit(" ", 1)[0] + "\n",
    "one_section.txt": TWO[0].replace(" | ", " ") + "\n",
    "empty.txt": "// nothing\n\n",
    "special.txt": f"{SPECIAL}\n",
    "four.txt": f"{FOUR}\n",
}


def config(**fields):
    return {
        **settings.SESSION_CONFIG_DEFAULTS,
        **settings.matrix_game("a", "b", "c"),
        "seed": 7,
        **fields,
    }


def dealt(participants=2, **fields):
    return openings(config(**fields), participants, 10, files(FILES)).hands


def deals(hands):
    return [[opening.deal for opening in openings] for openings in hands]


def test_deals_are_shared_or_each_groups_own():
    same, own = (dealt(4, games=3, same_deals=yes) for yes in (True, False))
    assert [len(openings) for openings in same] == [1, 1, 1]
    assert [len(openings) for openings in own] == [4, 4, 4]  # a single left-over participant counts too
    assert len({deal for openings in deals(own) for deal in openings}) == 12
    assert [openings[0] for openings in deals(own)] == [deal for (deal,) in deals(same)]
    seeds = {opening.options["seed"] for openings in own for opening in openings}
    assert len(seeds) == 12


def test_seed_determines_deals_and_games_are_numbered():
    assert deals(dealt(seed=5)) == deals(dealt(seed=5)) == deals(dealt(seed="5"))
    assert not {deal for (deal,) in deals(dealt(seed=5))} & {deal for (deal,) in deals(dealt(seed=6))}
    ((one,), (two,)) = dealt()
    assert [(game.number, game.of, game.hands, game.practice) for game in (one, two)] == [
        (1, 2, 2, False),
        (2, 2, 2, False),
    ]
    assert one.options["seed"] == "7, game 1, deal 1"
    assert list(one.options) == [
        *("players", "pack", "court", "change_choice"),
        *("turn_limit_seconds", "gather_seconds", "absent_after", "seed"),
    ]


def test_file_deals_keep_their_order_and_repeat():
    games = dealt(deal_file="own.txt", games=3)
    assert deals(games) == [[TWO[0]], [TWO[1]], [TWO[0]]]
    assert {(opening.source, len(opening.sha256)) for (opening,) in games} == {("own.txt", 64)}
    assert deals(dealt(4, deal_file="own.txt", games=1, same_deals=False)) == [[*TWO, *TWO]]
    assert deals(dealt(4, deal_file="four.txt", players=4, group_size=4, games=1)) == [[FOUR]]
    assert deals(dealt(pack="special", deal_file="special.txt", games=1)) == [[SPECIAL]]


@pytest.mark.parametrize("players", [2, 4])
def test_practice_game_is_played_against_random_robots(players):
    opening = practice_opening(config(players=players), None)
    assert rules.start(opening.deal, opening.options)
    assert opening.options["robots"] == dict.fromkeys("SWNE"[1:players], "random")


BIG = 10**400
REFUSED = {
    "an odd number": (
        {"participants": 3},
        "3 participants cannot be put into groups of 2. Create the session with a multiple of 2.",
    ),
    "five for fours": ({"participants": 6, "players": 4, "group_size": 4}, "6 participants cannot be put"),
    "a group larger than the table": ({"group_size": 3}, "group_size must be a whole number from 1 to 2"),
    "nobody in a group": ({"group_size": 0}, "group_size must be a whole number from 1 to 2, not '0'."),
    "three at a table": ({"players": 3}, "players must be 2 or 4, not '3'."),
    "no games": ({"games": 0}, "games must be a whole number from 1 to 10, not '0'."),
    "too many games": ({"games": 21}, "games must be a whole number from 1 to 10, not '21'."),
    "an unknown pack": ({"pack": "tarot"}, "pack must be standard or special, not 'tarot'."),
    "an unknown court": ({"court": "12"}, "court must be 10 or ladder, not '12'."),
    "unknown partners": ({"partners": "random"}, "partners must be kept or rematched, not 'random'."),
    "unknown no_shows": ({"no_shows": "wait"}, "no_shows must be leave_out or robot or leave, not 'wait'."),
    "an unknown robot": ({"robot": "R2D2"}, "robot must be random or greedy or best_response or minimax"),
    "a limit before the start": (
        {"turn_limit_seconds": -1},
        "turn_limit_seconds must be a number, 0 or more",
    ),
    "patience before the start": ({"gather_seconds": -1}, "gather_seconds must be a number, 0 or more"),
    "a drawn game that somebody was left out of": (
        {"pay_hands": "one", "partners": "rematched"},
        "With partners rematched and no_shows leave_out, pay_hands cannot be one",
    ),
    "a missing file": ({"deal_file": "nowhere.txt"}, "nowhere.txt: there is no such deal file."),
    "a card twice": ({"deal_file": "doubled.txt"}, "doubled.txt, line 2, column 4: The deal contains "),
    "a card that is none": ({"deal_file": "unknown.txt"}, "unknown.txt, line 1, column 1: "),
    "a card too few": ({"deal_file": "short.txt"}, "short.txt, line 1, column "),
    "no sections": ({"deal_file": "one_section.txt"}, "A deal for 2 players has 7 sections"),
    "an empty file": ({"deal_file": "empty.txt"}, "empty.txt, line 1, column 1: This file has no deals"),
    "the other pack": ({"deal_file": "special.txt"}, "The standard pack has no card "),
    "deals for four": ({"deal_file": "four.txt"}, "A deal for 2 players has 7 sections"),
    "deals for two": (
        {"deal_file": "own.txt", "players": 4, "group_size": 2},
        "A deal for 4 players has 9 sections",
    ),
    "players as text": ({"players": "2"}, "players must be 2 or 4"),
    "players as true": ({"players": True}, "players must be 2 or 4"),
    "group_size with a fraction": ({"group_size": 1.5}, "not '1.5'."),
    "group_size as true": ({"group_size": True}, "not 'True'."),
    "group_size as nothing": ({"group_size": None}, "not 'None'."),
    "games as text": ({"games": "2"}, "games must be a whole number"),
    "games with a fraction": ({"games": 1.5}, "games must be a whole number"),
    "change_choice as text": ({"change_choice": "yes"}, "change_choice must be True or False"),
    "turn_limit_seconds as text": ({"turn_limit_seconds": "30"}, "turn_limit_seconds must be "),
    "turn_limit_seconds as true": ({"turn_limit_seconds": True}, "turn_limit_seconds must be "),
    "nobody may be gone at once": (
        {"gone_after_seconds": 0},
        "gone_after_seconds must be a number, 1 or more, not '0'.",
    ),
    "patience with an absent co-player": (
        {"partner_away_seconds": -1},
        "partner_away_seconds must be a number, 0 or more, not '-1'.",
    ),
    "gather_seconds as nothing": ({"gather_seconds": None}, "gather_seconds must be "),
    "gather_seconds too big": ({"gather_seconds": BIG}, "gather_seconds must be "),
    "deal_file as a list": ({"deal_file": ["own.txt"]}, "deal_file must be the name of a file"),
    "deal_file as nothing": ({"deal_file": None}, "deal_file must be the name of a file"),
    "pack as a list": ({"pack": ["standard"]}, "pack must be standard or special"),
    "pack as a group": ({"pack": {"standard": 1}}, "pack must be standard or special"),
    "robot as nothing": ({"robot": None}, "robot must be "),
    "court as a number": ({"court": 10}, "court must be 10 or ladder, not '10'."),
}


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
def test_invalid_settings_are_refused_in_a_sentence(refused):
    fields, *words = refused
    expect_refusal(lambda: dealt(**fields), *words)
