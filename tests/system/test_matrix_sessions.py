"""Tests the creation and refusal of sessions of the matrix card game."""

import csv
import io
import json
import urllib.error

import pytest
from exported_hands import hands_by_id
from matrix_table import MatrixTable, arrive, create_session, groups, session_rows, together
from tabs import advance, create_by_form, creation_error

from cardlab.games.matrix import rules

TWO = [rules.deal(f"two {number}", {}) for number in range(2)]
FOUR = rules.deal("four", {"players": 4})


@pytest.fixture(scope="module")
def deals(server):
    """Provides the folder of deal files of the running server."""
    folder = server.folder / "deals" / "matrix"
    cards = TWO[0].split()
    doubled = " ".join([cards[1], *cards[1:]])
    files = {
        "own.txt": f"// of the tests\n\n{TWO[0].lower()}\n# the second\n{TWO[1]}\n",
        "doubled.txt": f"{TWO[1]}\n{doubled}\n",
        "four.txt": f"{FOUR}\n",
        "markup.txt": f"<b>{TWO[0]}\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def openings(server, session):
    """Returns a session's openings: for each game, those of all possible groups."""
    rows = server.query(
        "SELECT openings FROM matrix_game_app_subsession AS sub JOIN otree_session AS s "
        "ON s.id = sub.session_id WHERE s.code = ? AND openings != '' ORDER BY round_number",
        session.code,
    )
    return [[json.loads(line) for line in text.splitlines()] for (text,) in rows]


# ---------------------------------------------------------------- deals


def test_deals_can_be_shared_by_all_groups(server):
    session = create_session(server, 4, games=3, same_deals=True)
    assert [len(game) for game in openings(server, session)] == [1, 1, 1]
    assert len({game[0]["deal"] for game in openings(server, session)}) == 3
    pair_by_pair(server, session)
    dealt = [hand.deal for hand in hands_by_id(server, session.code).values()]
    assert len(dealt) == 2
    assert len(set(dealt)) == 1


def test_deals_can_differ_between_groups(server):
    session = create_session(server, 4, games=2, same_deals=False)
    opened = openings(server, session)
    assert (
        len({opening["deal"] for game in opened for opening in game}) == 8
    )  # includes the possible groups of one
    pair_by_pair(server, session)
    dealt = [hand.deal for hand in hands_by_id(server, session.code).values()]
    assert dealt == [opening["deal"] for opening in opened[0][:2]]
    seeds = {hand.settings["seed"] for hand in hands_by_id(server, session.code).values()}
    assert len(seeds) == 2


def pair_by_pair(server, session):
    """Seats all participants at the first game."""
    visitors = arrive(server, session.participants)
    for visitor in visitors:
        visitor.walk_to("Hand")
    tables = [
        MatrixTable(server, session, [visitors[number - 1] for number in pair])
        for pair in groups(server, session)
    ]
    assert len(tables) == 2


def test_deals_repeat_in_file_order(server, deals):
    table = together(server, deal_file="own.txt", games=3)
    hands_shown = []
    for _game in range(3):
        hands_shown.append({seat: each.tab.first["view"]["hand"] for seat, each in table.players.items()})
        advance(server, table.session.code)
        visitors = [each.visitor for each in table.players.values()]
        for visitor in visitors:
            visitor.open_start_link()
        if visitors[0].name == "Hand":
            table = MatrixTable(server, table.session, visitors)
    hands = {
        deal: dict(zip("SW", (section.split() for section in deal.split(" | ")), strict=False))
        for deal in TWO
    }
    assert hands_shown == [hands[TWO[0]], hands[TWO[1]], hands[TWO[0]]]
    exported = [*hands_by_id(server, table.session.code).values()]
    assert [hand.deal for hand in exported] == [TWO[0], TWO[1], TWO[0]]
    assert {hand.deal_row["show_file"] for hand in exported} == {"own.txt"}
    assert {len(hand.deal_row["show_file_sha256"]) for hand in exported} == {64}


@pytest.mark.parametrize(
    ("config", "participants"),
    [("matrix_two", 2), ("matrix_two_special", 2), ("matrix_four", 4), ("matrix_robot", 1)],
)
def test_every_config_starts_a_game(server, config, participants):
    session = server.create_session(config, participants)
    MatrixTable(server, session, arrive(server, session.participants)).play(2)
    (game,) = hands_by_id(server, session.code).values()
    assert len(game.final_state().turns) == 2


# ---------------------------------------------------------------- refusals

REFUSED = {
    "an odd number": (
        {"participants": 3},
        "3 participants cannot be put into groups of 2. Create the session with a multiple of 2.",
    ),
    "a card twice": ({"deal_file": "doubled.txt"}, "doubled.txt, line 2, column 4: The deal contains "),
    "markup": ({"deal_file": "markup.txt"}, "'‹B›"),
}


@pytest.mark.parametrize(("fields", "sentence"), REFUSED.values(), ids=REFUSED)
def test_refused_session_leaves_no_rows(server, deals, fields, sentence):
    before = server.row_counts()
    message = creation_error(server, "matrix_two", **fields)
    assert message["error"].startswith("Failed to create session: ")
    assert sentence in message["error"]
    assert "\n" not in message["error"]
    assert "Traceback" not in message["traceback"]
    assert server.row_counts() == before


# Values that only the REST interface can send, because it accepts any JSON.
REFUSED_BY_REST = {
    "players as text": {"players": "2"},
}


@pytest.mark.parametrize("fields", REFUSED_BY_REST.values(), ids=REFUSED_BY_REST)
def test_session_refused_over_rest_leaves_nothing_behind(server, deals, fields):
    before = server.row_counts()
    with pytest.raises(urllib.error.HTTPError):
        create_session(server, 2, **fields)
    assert server.row_counts() == before


def test_exports_work_after_a_refusal(server, deals):
    kept = create_session(server)
    creation_error(server, "matrix_two", deal_file="doubled.txt")
    creation_error(server, "matrix_two", participants=3)
    for path in ("/api/export_wide", f"/api/export_wide?session_code={kept.code}"):
        wide = list(csv.DictReader(io.StringIO(server.api(path).decode())))
        assert set(kept.participants) <= {row["participant.code"] for row in wide}
    assert session_rows(server, kept, "custom_export") == []
    assert len(session_rows(server, kept, "custom_export_participants")) == 2


def test_form_creates_the_session_as_filled_in(server, deals):
    message = create_by_form(
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
    code = message["session_url"].split("/")[-1]
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
