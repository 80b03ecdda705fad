"""Tests how sessions of Challenge are dealt from config, deal file or seed, or refused."""

from random import Random

import pytest
from dealing_files import expect_refusal, files

import settings
from cardlab.games.challenge import rules
from cardlab.games.challenge.dealing import analysis_opening, assign_seats, openings, practice_opening
from cardlab.games.challenge.position import PICK_UP
from cardlab.games.seating import Member

SMALL = "AS QS KH | AH QH KS | participant"
LARGE = rules.deal("large", {"size": 5, "dealer": "participant"})
FILES = {
    "own.txt": f"// of the tests\n\n{SMALL.lower()}\n# a larger one\n{LARGE}\n",
    "twice.txt": "AS QS | AH AS | participant\n",
    "nobody.txt": "- | AH QH | computer\n",
    "empty.txt": "// nothing\n",
}


def config(**fields):
    return {**settings.SESSION_CONFIG_DEFAULTS, **settings.challenge("a", "b", "c"), "seed": 7, **fields}


def dealt(participants=2, **fields):
    return openings(config(**fields), participants, 20, files(FILES)).hands


def test_deals_are_shared_or_each_groups_own():
    same, own = (dealt(4, games=3, same_deals=yes) for yes in (True, False))
    assert [len(openings) for openings in same] == [1, 1, 1]
    assert [len(openings) for openings in own] == [4, 4, 4]
    assert len({opening.deal for openings in own for opening in openings}) == 12
    assert [openings[0].deal for openings in own] == [opening.deal for (opening,) in same]
    assert len({opening.options["seed"] for openings in own for opening in openings}) == 12
    assert [(game.number, game.of, game.hands) for (game,) in same] == [(1, 3, 3), (2, 3, 3), (3, 3, 3)]


@pytest.mark.parametrize(
    ("dealer", "leads"),
    [("alternate", "SNSN"), ("computer", "SSSS"), ("participant", "NNNN")],
)
def test_non_dealer_leads(dealer, leads):
    states = [rules.start(game.deal, game.options) for (game,) in dealt(dealer=dealer)]
    assert "".join(state.mover for state in states) == leads


def test_deals_of_a_file_have_their_own_size():
    games = [opening for (opening,) in dealt(deal_file="own.txt", games=3, size=13)]
    small = rules.format_deal(rules.parse_deal(SMALL))
    assert [game.deal for game in games] == [small, LARGE, small]
    assert [game.options["size"] for game in games] == [3, 5, 3]
    assert {game.source for game in games} == {"own.txt"}


def test_computer_takes_the_free_seat():
    ((alone,), *_more), ((pair,), *_others) = dealt(), dealt(group_size=2)
    assert (alone.options["robots"], pair.options["robots"]) == ({"N": "computer"}, {})
    one, two = Member(1), Member(2)
    assert assign_seats(config(), [one, two], pair) == (("S", "N"), {})
    assert assign_seats(config(), [one], alone) == (("S",), {"N": "computer"})


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"size": 14}, "size"),
        ({"depth": -1}, "depth"),
        ({"trumps": "SS"}, "trumps"),
        ({"dealer": "nobody"}, "dealer"),
        ({"after_pickup": "picker"}, "after_pickup"),
        ({"games": 21}, "games"),
        ({"group_size": 3}, "group_size"),
        ({"turn_limit_seconds": -1}, "turn_limit_seconds"),
        ({"pay_hands": "one", "partners": "rematched", "no_shows": "leave_out"}, "pay_hands"),
    ],
)
def test_invalid_value_is_named(fields, named):
    expect_refusal(lambda: dealt(**fields), "session config", named)


def test_pairs_need_an_even_number():
    expect_refusal(lambda: dealt(3, group_size=2), "session config", "3 participants")


@pytest.mark.parametrize(
    ("file", "place"),
    [("twice.txt", "line 1, column 12"), ("nobody.txt", "line 1, column 13"), ("empty.txt", "line 1")],
)
def test_errors_in_a_file_have_line_and_column(file, place):
    expect_refusal(lambda: dealt(deal_file=file), file, place)


@pytest.mark.parametrize("trumps", ["SH", "HS", "CD"])
@pytest.mark.parametrize("form", [("opponent", "pass"), ("opponent", "lead"), ("picker", "lead")])
@pytest.mark.parametrize("size", [1, 8])
def test_the_practice_game_allows_every_tutorial_step(size, form, trumps):
    opening = practice_opening(
        config(size=size, trumps=trumps, after_pickup=form[0], after_better=form[1]), None
    )
    chance, beaten, picked_up = Random(1), 0, 0
    for _game in range(40):
        state = rules.start(opening.deal, opening.options)
        assert rules.waiting_for(state) == ("S",)
        while not rules.is_over(state):
            (seat,) = rules.waiting_for(state)
            if seat == "N":
                assert rules.engine_question(state, "N", "computer", "seed") is None  # it answers at once
                action = rules.robot_action(state, "N", "computer", "seed")
            else:
                action = chance.choice([a for a in rules.legal_actions(state, "S") if a != rules.RESIGN])
                picked_up += action == PICK_UP
                beaten += action != PICK_UP and not state.position.to_lead
            state = rules.apply(state, seat, action)
    assert beaten >= 5
    assert picked_up >= 5


def test_either_seat_can_analyse_a_finished_game():
    ((opening,), *_more) = dealt(size=2, show="own", computer_sees="own", group_size=2)
    state = rules.start(opening.deal, opening.options)
    for _move in range(3):
        seat = state.mover
        state = rules.apply(state, seat, rules.legal_actions(state, seat)[0])
    for seat, other in (("S", "N"), ("N", "S")):
        again = analysis_opening(opening, state, seat)
        analysed = rules.start(again.deal, again.options)
        assert analysed.position == state.position
        assert again.options["robots"] == {other: "computer"}
        assert rules.view(analysed, seat)["other"] is not None
