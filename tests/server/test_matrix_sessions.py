"""Sessions of the matrix card game that are made, and sessions that are refused and leave nothing behind."""

from __future__ import annotations

import csv
import io
import json
import urllib.error

import pytest
from matrix_tables import Table, arrive, create, groups, rows_of, together
from played import hands_by_id
from tabs import advance, create_by_form, refusal

from games.matrix import rules

BIG = 10**400
SPECIAL = rules.deal("special", {"pack": "special"})
TWO = [rules.deal(f"two {number}", {}) for number in range(2)]
FOUR = rules.deal("four", {"players": 4})


@pytest.fixture(scope="module")
def deals(server):
    """The folder of deal files of the running server."""
    folder = server.folder / "deals" / "matrix"
    cards = TWO[0].split()
    doubled = " ".join([cards[1], *cards[1:]])
    files = {
        "own.txt": f"// of the tests\n\n{TWO[0].lower()}\n# the second\n{TWO[1]}\n",
        "doubled.txt": f"{TWO[1]}\n{doubled}\n",
        "unknown.txt": f"1Z {TWO[0].split(' ', 1)[1]}\n",
        "short.txt": TWO[0].rsplit(" ", 1)[0] + "\n",
        "one_section.txt": TWO[0].replace(" | ", " ") + "\n",
        "empty.txt": "// nothing\n\n",
        "special.txt": f"{SPECIAL}\n",
        "four.txt": f"{FOUR}\n",
        "markup.txt": f"<b>{TWO[0]}\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "latin1.txt").write_bytes(TWO[0].encode() + b"\n// Gr\xf6\xdfe\n")
    return folder


def openings(server, session):
    """The openings of a session: for each game those of the groups that there may be."""
    found = server.query(
        "SELECT openings FROM matrix_game_app_subsession AS sub JOIN otree_session AS s "
        "ON s.id = sub.session_id WHERE s.code = ? AND openings != '' ORDER BY round_number",
        session.code,
    )
    return [[json.loads(line) for line in text.splitlines()] for (text,) in found]


# ---------------------------------------------------------------- deals


def test_the_same_deals_for_every_group(server):
    session = create(server, 4, games=3, same_deals=True)
    assert [len(game) for game in openings(server, session)] == [1, 1, 1]
    assert len({game[0]["deal"] for game in openings(server, session)}) == 3
    pair_by_pair(server, session)
    dealt = [hand.deal for hand in hands_by_id(server, session.code).values()]
    assert len(dealt) == 2
    assert len(set(dealt)) == 1


def test_other_deals_for_every_group(server):
    session = create(server, 4, games=2, same_deals=False)
    of_games = openings(server, session)
    assert len({opening["deal"] for game in of_games for opening in game}) == 8  # one who is alone counts too
    pair_by_pair(server, session)
    dealt = [hand.deal for hand in hands_by_id(server, session.code).values()]
    assert dealt == [opening["deal"] for opening in of_games[0][:2]]
    seeds = {hand.settings["seed"] for hand in hands_by_id(server, session.code).values()}
    assert len(seeds) == 2


def pair_by_pair(server, session):
    """All take their seats at the first game."""
    visitors = arrive(server, session.participants)
    for visitor in visitors:
        visitor.walk_to("Hand")
    tables = [
        Table(server, session, [visitors[number - 1] for number in pair]) for pair in groups(server, session)
    ]
    assert len(tables) == 2


def test_the_seed_deals(server):
    dealt = [
        [opening["deal"] for game in openings(server, create(server, games=2, seed=seed)) for opening in game]
        for seed in (5, 5, 6)
    ]
    assert dealt[0] == dealt[1]
    assert not set(dealt[0]) & set(dealt[2])


def test_deals_of_a_file_in_its_order_and_again_from_the_first(server, deals):
    table = together(server, deal_file="own.txt", games=3)
    said = []
    for _game in range(3):
        said.append({seat: each.tab.first["view"]["hand"] for seat, each in table.seated.items()})
        advance(server, table.session.code)
        visitors = [each.visitor for each in table.seated.values()]
        for visitor in visitors:
            visitor.come()
        if visitors[0].name == "Hand":
            table = Table(server, table.session, visitors)
    hands = {
        deal: dict(zip("SW", (section.split() for section in deal.split(" | ")), strict=False))
        for deal in TWO
    }
    assert said == [hands[TWO[0]], hands[TWO[1]], hands[TWO[0]]]
    found = [*hands_by_id(server, table.session.code).values()]
    assert [hand.deal for hand in found] == [TWO[0], TWO[1], TWO[0]]
    assert {hand.dealt["show_file"] for hand in found} == {"own.txt"}
    assert {len(hand.dealt["show_file_sha256"]) for hand in found} == {64}


def test_a_file_goes_round_the_groups_too(server, deals):
    session = create(server, 4, deal_file="own.txt", games=1, same_deals=False)
    assert [opening["deal"] for opening in openings(server, session)[0]] == [*TWO, *TWO]


def test_deals_for_four_and_of_the_special_pack(server, deals):
    for fields, deal in (
        ({"players": 4, "group_size": 1, "deal_file": "four.txt"}, FOUR),
        ({"pack": "special", "group_size": 1, "deal_file": "special.txt"}, SPECIAL),
    ):
        session = create(server, 1, **fields)
        assert openings(server, session)[0][0]["deal"] == deal


@pytest.mark.parametrize(
    ("config", "participants"),
    [("matrix_two", 2), ("matrix_two_special", 2), ("matrix_four", 4), ("matrix_robot", 1)],
)
def test_every_config_begins_a_game(server, config, participants):
    session = server.create_session(config, participants)
    Table(server, session, arrive(server, session.participants)).play(2)
    (game,) = hands_by_id(server, session.code).values()
    assert len(game.replayed().turns) == 2


# ---------------------------------------------------------------- refused

REFUSED = {
    "an odd number": (
        {"participants": 3},
        "3 participants cannot be put into groups of 2: create the session with a multiple of 2.",
    ),
    "five for fours": ({"participants": 6, "players": 4, "group_size": 4}, "6 participants cannot be put"),
    "a group larger than the table": (
        {"group_size": 3},
        "group_size must be a whole number from 1 to 2, not '3'.",
    ),
    "nobody in a group": ({"group_size": 0}, "group_size must be a whole number from 1 to 2, not '0'."),
    "three at a table": ({"players": 3}, "players must be 2 or 4, not '3'."),
    "no games": ({"games": 0}, "games must be a whole number from 1 to 10, not '0'."),
    "too many games": ({"games": 21}, "games must be a whole number from 1 to 10, not '21'."),
    "an unknown pack": ({"pack": "tarot"}, "pack must be standard or special, not 'tarot'."),
    "an unknown court": ({"court": "12"}, "court must be 10 or ladder, not '12'."),
    "unknown partners": ({"partners": "random"}, "partners must be kept or rematched, not 'random'."),
    "unknown no_shows": ({"no_shows": "wait"}, "no_shows must be leave_out or robot, not 'wait'."),
    "an unknown robot": ({"robot": "R2D2"}, "robot must be random or greedy or best_response or minimax"),
    "a limit before the start": (
        {"turn_limit_seconds": -1},
        "turn_limit_seconds must be a number of seconds",
    ),
    "patience before the start": ({"gather_seconds": -1}, "gather_seconds must be a number of seconds"),
    "a drawn game that somebody was left out of": (
        {"pay_hands": "one", "partners": "rematched"},
        "pay_hands one does not go with partners rematched and no_shows leave_out",
    ),
    "pay_hands": ({"pay_hands": "best"}, "pay_hands must be all or one, not 'best'."),
    "a rate that is no number": ({"payoff_rate": "nan"}, "payoff_rate must be a number, not 'nan'."),
    "a time limit before the start": ({"time_limit_seconds": -5}, "time_limit_seconds must be 0 (no limit)"),
    "a missing file": (
        {"deal_file": "nowhere.txt"},
        "nowhere.txt: there is no such deal file in deals/matrix/. There are: ",
    ),
    "a path": ({"deal_file": "../matrix/own.txt"}, "the deal file is named without a folder"),
    "a card twice": ({"deal_file": "doubled.txt"}, "doubled.txt, line 2, column 4: The deal holds "),
    "a card that is none": ({"deal_file": "unknown.txt"}, "unknown.txt, line 1, column 1: "),
    "a card too few": ({"deal_file": "short.txt"}, "short.txt, line 1, column "),
    "no sections": ({"deal_file": "one_section.txt"}, "A deal for 2 players has 7 sections"),
    "an empty file": ({"deal_file": "empty.txt"}, "empty.txt, line 1, column 1: There is no deal"),
    "the other pack": ({"deal_file": "special.txt"}, "The standard pack has no card "),
    "deals for four": ({"deal_file": "four.txt"}, "A deal for 2 players has 7 sections"),
    "deals for two": (
        {"deal_file": "own.txt", "players": 4, "group_size": 2},
        "A deal for 4 players has 9 sections",
    ),
    "no text": (
        {"deal_file": "latin1.txt"},
        "latin1.txt, line 2, column 6: the deal file must be text in UTF-8.",
    ),
    "markup": ({"deal_file": "markup.txt"}, "'‹B›"),
}


@pytest.mark.parametrize(("fields", "sentence"), REFUSED.values(), ids=REFUSED)
def test_a_refused_session_leaves_a_sentence_and_nothing_else(server, deals, fields, sentence):
    before = server.row_counts()
    said = refusal(server, "matrix_two", **fields)
    assert said["error"].startswith("Failed to create session: ")
    assert sentence in said["error"]
    assert "\n" not in said["error"]
    assert "Traceback" not in said["traceback"]
    assert server.row_counts() == before


# What only the REST interface can send, which takes any JSON.
REFUSED_BY_REST = {
    "players as text": {"players": "2"},
    "players as true": {"players": True},
    "group_size with a fraction": {"group_size": 1.5},
    "group_size as true": {"group_size": True},
    "group_size as nothing": {"group_size": None},
    "games as text": {"games": "2"},
    "games with a fraction": {"games": 1.5},
    "change_choice as text": {"change_choice": "yes"},
    "turn_limit_seconds as text": {"turn_limit_seconds": "30"},
    "turn_limit_seconds as true": {"turn_limit_seconds": True},
    "gather_seconds as nothing": {"gather_seconds": None},
    "gather_seconds too big": {"gather_seconds": BIG},
    "deal_file as a list": {"deal_file": ["own.txt"]},
    "deal_file as nothing": {"deal_file": None},
    "pack as a list": {"pack": ["standard"]},
    "pack as a group": {"pack": {"standard": 1}},
    "robot as nothing": {"robot": None},
    "court as a number": {"court": 10},
}


@pytest.mark.parametrize("fields", REFUSED_BY_REST.values(), ids=REFUSED_BY_REST)
def test_a_session_refused_over_rest_leaves_nothing_behind(server, deals, fields):
    before = server.row_counts()
    with pytest.raises(urllib.error.HTTPError):
        create(server, 2, **fields)
    assert server.row_counts() == before


def test_the_exports_work_after_a_refusal(server, deals):
    kept = create(server)
    refusal(server, "matrix_two", deal_file="doubled.txt")
    refusal(server, "matrix_two", participants=3)
    for path in ("/api/export_wide", f"/api/export_wide?session_code={kept.code}"):
        wide = list(csv.DictReader(io.StringIO(server.api(path).decode())))
        assert set(kept.participants) <= {row["participant.code"] for row in wide}
    assert rows_of(server, kept, "custom_export") == []
    assert len(rows_of(server, kept, "custom_export_participants")) == 2


def test_the_form_makes_what_it_says(server, deals):
    said = create_by_form(
        server,
        "matrix_two",
        3,
        players=4,
        group_size=3,
        robot="greedy",
        games=3,
        change_choice=True,
        deal_file="four.txt",
        turn_limit_seconds=45,
        check=False,
    )
    code = said["session_url"].split("/")[-1]
    rows = json.loads(server.api(f"/api/get_session/{code}", {}))["participants"]
    visitors = arrive(server, [row["code"] for row in rows])
    for visitor in visitors:
        visitor.walk_to("Hand")
    tab = visitors[0].sit_down()
    (game,) = hands_by_id(server, code).values()
    assert game.deal == FOUR
    assert game.settings == {
        **game.settings,
        "change_choice": True,
        "turn_limit_seconds": 45,
        "players": 4,
    }
    assert [*game.settings["robots"].values()] == ["greedy"]
    assert tab.first["view"]["of"] == 22
    assert "Game 1 of 3" in visitors[0].page.text
