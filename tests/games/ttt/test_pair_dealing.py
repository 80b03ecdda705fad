"""Tests how sessions of Target the Two for two are dealt, paired and seated, or refused."""

import pytest
from dealing_files import expect_refusal, files
from hypothesis import given
from hypothesis import strategies as st

import settings
from cardlab.games.seating import Member, PastGame, compatibility_of, plan_groups
from cardlab.games.ttt import board, rules
from cardlab.games.ttt.pairs import GROUPS, assign_seats, begins, openings

ROWS = ["2H 3C 3H 4C 2C 4H 2H ck", "3H 2C 2H 4C 4H 3C 2H nk", "4C 3H 4H 2C 3C 2H 2H ck"]
FILES = {
    "CardLab.ini": "[PREFERENCES]\nShowFileName = own.txt\n",
    "own.txt": "\n".join(ROWS),
    "practice.txt": f"{ROWS[1]}\n" * 4,
    **{f"{name}.txt": f"// {name}\n" + "\n".join(ROWS) for name in "abc"},
    "short.txt": ROWS[0],
    "sixty.txt": f"{ROWS[0]}\n" * 60,
    "goals.txt": f"{ROWS[0]}\n2H 3C 3H 4C 2C 4H 3C ck",
}


def config(**fields):
    return {
        **settings.SESSION_CONFIG_DEFAULTS,
        **settings.ttt_pair("a", "b", "c"),
        **{"seed": 7, "practice_hands": 0, **fields},
    }


def dealt(participants=4, **fields):
    return openings(config(**fields), participants, 60, files(FILES))


def way(number, hands):
    return [of_hand[number % len(of_hand)] for of_hand in hands]


def test_one_block_is_the_show_file():
    hands = dealt(practice_hands=1).hands
    assert {len(of_hand) for of_hand in hands} == {1}
    first, *rest = way(0, hands)
    assert [(hand.practice, hand.options["block"], hand.source) for hand in (first, rest[0])] == [
        (True, 0, "practice.txt"),
        (False, 1, "own.txt"),
    ]
    assert [(hand.number, hand.of, hand.hands) for hand in rest] == [(n, 3, 4) for n in (1, 2, 3)]
    assert len({hand.options["seed"] for hand in (first, *rest)}) == 4
    assert {hand.options["players"] for hand in (first, *rest)} == {2}
    assert rules.seats(rules.start(first.deal, first.options)) == ("ck", "nk")


def test_pairs_rotate_through_the_files_of_a_block():
    hands = dealt(blocks=" a.txt / b.txt : 2,own.txt,b.txt/c.txt:01", practice_hands=1, participants=8).hands
    one, two = way(0, hands), way(1, hands)
    assert [hand.source for hand in one] == ["practice.txt", "a.txt", "a.txt", *["own.txt"] * 3, "b.txt"]
    assert [hand.source for hand in two] == ["practice.txt", "b.txt", "b.txt", *["own.txt"] * 3, "c.txt"]
    assert [hand.options["block"] for hand in two] == [0, 1, 1, 2, 2, 2, 3]
    assert [hand.options["ShowFileName"] for hand in two] == ["b.txt", *(hand.source for hand in two[1:])]
    assert [hand.number for hand in one] == [1, *range(1, 7)]
    assert not {hand.options["seed"] for hand in one} & {hand.options["seed"] for hand in two}
    assert len(dealt(blocks="a.txt/b.txt, a.txt/b.txt/c.txt", participants=12).hands[0]) == 6


def test_doubtful_settings_give_notices():
    assert dealt(blocks="a.txt/b.txt").notices == []
    (uneven,) = dealt(6, blocks="a.txt/b.txt").notices
    assert uneven.startswith("3 groups cannot be divided equally among the show files of the blocks")
    (hidden,) = dealt(blocks="goals.txt,own.txt", ViewTarget="FALSE").notices
    assert "participants cannot see the goal card" in hidden


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"blocks": "a.txt,"}, "blocks must be show files separated by commas"),
        ({"blocks": "a.txt//b.txt"}, "blocks must be show files"),
        ({"blocks": "a.txt:0"}, "not 'a.txt:0'"),
        ({"blocks": "a.txt:2/b.txt"}, "blocks must be show files"),
        ({"blocks": 3}, "blocks must be a text"),
        ({"blocks": "none.txt"}, "none.txt: there is no such show file"),
        ({"blocks": "a.txt:4"}, "a.txt: blocks uses 4 hands, but the file has only 3."),
        (
            {"blocks": "a.txt/short.txt"},
            "a.txt 3, short.txt 1. To use the first hands of each, write a.txt/short.txt:1",
        ),
        (
            {"blocks": "sixty.txt,a.txt"},
            "Practice and blocks have 63 hands, but a session can have at most 60.",
        ),
        ({"blocks": "a.txt", "ShowFileName": "b.txt"}, "ShowFileName cannot be used with blocks"),
        ({"partners": "new"}, "partners must be kept or rematched or mixed, not 'new'."),
        ({"roles": "both"}, "roles must be kept or exchanged"),
        ({"robot": "clever"}, "robot must be informed or always_422"),
        ({"robot_seat": "solo"}, "robot_seat must be ck or nk"),
        ({"no_shows": "wait"}, "no_shows must be leave_out or robot or leave"),
        ({"group_size": 3}, "group_size must be a whole number from 1 to 2"),
        ({"absent_after": -1}, "absent_after must be a whole number"),
        ({"turn_limit_seconds": "9"}, "turn_limit_seconds must be a number, 0 or more"),
        ({"practice_hands": 9}, "practice_hands is 9, but the file has only 4 hands."),
        ({"pay_by": "luck"}, "pay_by must be moves or time"),
        ({"partners": "rematched"}, "partners can be rematched only with several blocks"),
        ({"roles": "exchanged"}, "roles can be exchanged only with several blocks"),
        ({"partners": "mixed", "blocks": "a.txt,b.txt/c.txt"}, "pairs must be trained differently"),
        (
            {"partners": "rematched", "blocks": "a.txt,b.txt", "group_size": 1},
            "with group_size 1, because",
        ),
        ({"partners": "rematched", "blocks": "a.txt,b.txt", "pay_hands": "one"}, "pay_hands cannot be one"),
    ],
)
def test_invalid_settings_are_refused_in_a_sentence(fields, words):
    expect_refusal(lambda: dealt(**fields), words)


def test_odd_number_is_refused_unless_robots_play():
    expect_refusal(lambda: dealt(3), "3 participants cannot be put into pairs", "even number")
    assert dealt(3, group_size=1).hands


def test_only_the_routinizing_robot_knows_earlier_hands():
    fields = {"blocks": "a.txt/b.txt", "practice_hands": 1, "robot": "routinizing"}
    assert "habit" not in dealt(**fields).hands[0][0].options  # it replaces nobody
    for more in ({"group_size": 1}, {"no_shows": "robot"}):
        first, *_between, last = way(1, dealt(**fields, **more).hands)
        assert first.options["habit"]["search"] == last.options["habit"]["search"] > 0
        assert sum(last.options["habit"].values()) > sum(first.options["habit"].values())
    assert "habit" not in dealt(group_size=1).hands[0][0].options


# Matching.


def test_pairs_change_between_blocks_unless_kept():
    fields = {"blocks": "a.txt/b.txt:2,own.txt,c.txt", "practice_hands": 1}
    for partners, games in (("kept", [1]), ("rematched", [1, 4, 7]), ("mixed", [1, 4, 7])):
        hands = way(0, dealt(**fields, partners=partners).hands)
        assert begins(config(partners=partners), hands) == games


def hand(block):
    return way(0, dealt(blocks="a.txt,b.txt,c.txt", practice_hands=1).hands)[1 + 3 * (block - 1)]


def test_seats_follow_roles_and_robot_settings():
    new = [Member(1), Member(2)]
    assert assign_seats(config(), new, hand(1)) == (("ck", "nk"), {})
    assert assign_seats(config(), new, hand(2)) == (("ck", "nk"), {})
    exchanged = config(roles="exchanged")
    assert [assign_seats(exchanged, new, hand(block))[0] for block in (0, 1, 2, 3)] == [
        ("ck", "nk"),
        ("ck", "nk"),
        ("nk", "ck"),
        ("ck", "nk"),
    ]
    played = [Member(3, (PastGame("nk", (4,), "a"),)), Member(5, (PastGame("ck", (6,), "a"),))]
    assert assign_seats(config(), played, hand(2)) == (("nk", "ck"), {})
    assert assign_seats(exchanged, played, hand(2)) == (("ck", "nk"), {})
    assert assign_seats(config(robot="always_442"), played[:1], hand(2)) == (("nk",), {"ck": "always_442"})
    assert assign_seats(config(robot_seat="ck"), new[:1], hand(1)) == (("nk",), {"ck": "informed"})
    assert assign_seats(exchanged, new[:1], hand(2)) == (("nk",), {"ck": "informed"})


def stretch(settings, members, pairs, block, files):
    """Returns the members with their games after a block; pairs get the files in order."""
    by_number = {member.number: member for member in members}
    hands_found = []
    for count, pair in enumerate(pairs):
        seats, _robots = assign_seats(settings, [by_number[number] for number in pair], hand(block))
        for number, seat in zip(pair, seats):
            partners = tuple(other for other in pair if other != number)
            played = PastGame(seat, partners, files[count % len(files)])
            hands_found.append(Member(number, (*by_number[number].past_games, played)))
    return hands_found


@given(st.text(), st.integers(1, 12), st.sampled_from(["kept", "exchanged"]), st.data())
def test_new_partners_differ_in_person_and_training(seed, pairs, roles, data):
    """This holds even if some drop out in each block."""
    settings = config(partners="mixed", roles=roles)
    members = [Member(number) for number in range(1, 2 * pairs + 1)]
    drawn = plan_groups(seed, [member.number for member in members], 2)
    members = stretch(settings, members, drawn, 1, "ab")
    for block in (2, 3):
        gone = data.draw(st.sets(st.sampled_from([member.number for member in members]), max_size=3))
        members = [member for member in members if member.number not in gone]
        if not members:
            return
        known = {member.number: member for member in members}
        role = {number: member.past_games[0].seat for number, member in known.items()}
        fit = compatibility_of(GROUPS, settings, members)
        drawn = plan_groups(f"{seed}, {block}", [*known], 2, compatibility=fit)
        full = [pair for pair in drawn if len(pair) == 2]
        assert len(full) == min([*role.values()].count(keeper) for keeper in ("ck", "nk"))
        assert all({role[one], role[other]} == {"ck", "nk"} for one, other in full)
        alike = [pair for pair in full if _training(known[pair[0]]) == _training(known[pair[1]])]
        again = [(one, other) for one, other in full if other in known[one].past_games[-1].partners]
        if block == 2:
            assert not again or len(full) < 3
            trained = [(role[number], _training(member)) for number, member in known.items()]
            crossed = sum(
                min(trained.count(("ck", (one,))), trained.count(("nk", (other,))))
                for one, other in ("ab", "ba")
            )
            assert len(full) - len(alike) == min(len(full), crossed)
        members = stretch(settings, members, drawn, block, ["own"])
        for member in members:
            seats = [played.seat for played in member.past_games]
            kept = [seats[0]] * block
            other = board.other(seats[0])
            assert seats == (kept if roles == "kept" else [seats[0], other, seats[0]][:block])


def _training(member):
    return tuple(played.source for played in member.past_games)
